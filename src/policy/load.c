/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Policies by file and by name; whom a file may come from. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "policy/policy.h"
#include "base/trust.h"

static int format_of(const char *file, enum policy_format *ret_format, struct error *err)
{
	static const struct {
		const char *suffix;
		enum policy_format format;
	} suffixes[] = { { ".yaml", POLICY_YAML },
			 { ".yml", POLICY_YAML },
			 { ".ini", POLICY_INI } };
	size_t length = strlen(file);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t n = strlen(suffixes[i].suffix);

		if (length > n && strcmp(file + length - n, suffixes[i].suffix) == 0) {
			*ret_format = suffixes[i].format;
			return 0;
		}
	}
	return error_set(err, ERROR_POLICY_INVALID, EINVAL,
			 "%s: the name of a policy file ends in .yaml, .yml or .ini",
			 file);
}

static int refuse_size(const char *file, struct error *err)
{
	return error_set(err, ERROR_POLICY_INVALID, EFBIG,
			 "%s: larger than 256 KiB; no policy needs that", file);
}

int policy_load(const char *file, struct policy **ret_policy, struct findings *findings,
		struct error *err)
{
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *text = NULL;
	enum policy_format format = POLICY_YAML;
	struct stat st;
	ssize_t length;
	int r;

	r = format_of(file, &format, err);
	if (r < 0)
		return r;
	r = trust_open(file, ERROR_POLICY_NOT_FOUND, ERROR_POLICY_UNTRUSTED, &fd, &st,
		       err);
	if (r < 0)
		return r;
	if (st.st_size > POLICY_SIZE_MAX)
		return refuse_size(file, err);
	/* Room for one byte more than is allowed, and the NUL: it may be growing. */
	text = malloc(POLICY_SIZE_MAX + 2);
	length = text ? fd_pread(fd, text, POLICY_SIZE_MAX + 2) : -ENOMEM;
	if (length < 0)
		return error_set(err, ERROR_SYSTEM, (int)-length,
				 "%s: cannot be read: %s", file, strerror((int)-length));
	if (length > POLICY_SIZE_MAX)
		return refuse_size(file, err);
	return policy_parse(file, text, (size_t)length, format, ret_policy, findings,
			    err);
}

/* Whether there is something of that name; a dangling link is something. */
static int look_up(const char *file, bool *ret_there, struct error *err)
{
	struct stat st;

	*ret_there = lstat(file, &st) == 0;
	if (*ret_there || errno == ENOENT || errno == ENOTDIR)
		return 0;
	return error_set(err, ERROR_POLICY_NOT_FOUND, errno,
			 "%s: cannot be looked up: %s", file, strerror(errno));
}

static int open_builtin(struct policy **ret_policy, struct findings *findings,
			struct error *err)
{
	return policy_parse(POLICY_BUILTIN, policy_builtin_text,
			    strlen(policy_builtin_text), POLICY_YAML, ret_policy,
			    findings, err);
}

static int open_name(const char *name, const char *confdir, bool builtin,
		     struct policy **ret_policy, struct findings *findings,
		     struct error *err)
{
	char yaml[PATH_MAX], ini[PATH_MAX];
	bool has_yaml, has_ini;
	int r;

	if (snprintf(yaml, sizeof(yaml), "%s/%s.yaml", confdir, name) >=
		    (int)sizeof(yaml) ||
	    snprintf(ini, sizeof(ini), "%s/%s.ini", confdir, name) >= (int)sizeof(ini))
		return error_set(err, ERROR_POLICY_NOT_FOUND, ENAMETOOLONG,
				 "the name of the policy is too long");
	r = look_up(yaml, &has_yaml, err);
	if (r == 0)
		r = look_up(ini, &has_ini, err);
	if (r < 0)
		return r;
	if (has_yaml && has_ini)
		return error_set(
			err, ERROR_POLICY_INVALID, EEXIST,
			"%s and %s: there are both; remove one, or name the file", yaml,
			ini);
	if (has_yaml || has_ini)
		return policy_load(has_yaml ? yaml : ini, ret_policy, findings, err);
	if (builtin)
		return open_builtin(ret_policy, findings, err);
	return error_set(
		err, ERROR_POLICY_NOT_FOUND, ENOENT,
		"no policy \"%s\": neither %s nor %s.ini is there; name one that is, or "
		"a file",
		name, yaml, name);
}

int policy_open(const char *name_or_file, const char *confdir, struct policy **ret_policy,
		struct findings *findings, struct error *err)
{
	if (!name_or_file)
		return open_name("default", confdir, true, ret_policy, findings, err);
	if (!name_or_file[0])
		return error_set(err, ERROR_POLICY_NOT_FOUND, EINVAL,
				 "the name of the policy is empty");
	if (!strpbrk(name_or_file, "/."))
		return open_name(name_or_file, confdir, false, ret_policy, findings, err);
	return policy_load(name_or_file, ret_policy, findings, err);
}
