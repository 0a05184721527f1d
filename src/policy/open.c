/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "policy/open.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <sha2.h>

#include "base/fd.h"
#include "base/trust.h"
#include "policy/ini.h"
#include "policy/keys.h"
#include "policy/rules.h"
#include "policy/sink.h"
#include "policy/text.h"
#include "policy/yaml.h"

/* What to produce. */
struct outcome {
	struct policy **ret_policy; /* NULL: not wanted */
	struct findings *findings;
	policy_look *look; /* NULL: check only the rules */
	const void *data;
};

static int parse_text(struct policy_sink *sink, const char *text, size_t length,
		      const struct outcome *outcome)
{
	_cleanup_free_ char *copy = NULL;
	int r = 0;

	if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		length -= 3;
	}
	if (!policy_text_screen(sink, text, length, &copy))
		return 0;
	if (copy) {
		text = copy;
		sink->n_screened = sink->findings->count;
	}
	r = sink->format == POLICY_INI ? policy_ini_parse(sink, text, length)
				       : policy_yaml_parse(sink, text, length);
	if (r < 0 || sink->exhausted)
		return r;
	policy_rules_check(sink);
	return outcome->look ? outcome->look(sink->policy, sink->findings, outcome->data)
			     : 0;
}

static int policy_new(const char *source, const char *text, size_t length,
		      struct policy **ret_policy)
{
	struct policy *policy = calloc(1, sizeof(*policy));

	if (!policy)
		return -ENOMEM;
	policy->source = strdup(source);
	SHA256Data((const unsigned char *)text, length, policy->sha256);
	if (!policy->source || policy_keys_default(SECTION_TOP, policy) < 0 ||
	    policy_keys_default(SECTION_BACKENDS, policy) < 0) {
		policy_free(policy);
		return -ENOMEM;
	}
	*ret_policy = policy;
	return 0;
}

static void sink_free(struct policy_sink *sink)
{
	for (size_t i = 0; i < sink->n_options; i++)
		free(sink->options[i].backend);
	free(sink->options);
	free(sink->profiles);
}

static int parse(const char *source, const char *text, size_t length,
		 enum policy_format format, const struct outcome *outcome,
		 struct error *err)
{
	_cleanup_policy_ struct policy *policy = NULL;
	struct findings *findings = outcome->findings;
	struct policy_sink sink = { .findings = findings, .format = format };
	int r;

	r = policy_new(source, text, length, &policy);
	if (r == 0) {
		sink.policy = policy;
		r = parse_text(&sink, text, length, outcome);
	}
	if (sink.exhausted)
		r = -ENOMEM;
	sink_free(&sink);
	if (r == 0 && !findings->source)
		r = (findings->source = strdup(source)) ? 0 : -ENOMEM;
	if (r < 0)
		return error_set(err, ERROR_SYSTEM, -r, "%s: %s", source, strerror(-r));
	if (findings->count > 0)
		return findings_report(findings, source, ERROR_POLICY_INVALID, err);
	if (outcome->ret_policy) {
		*outcome->ret_policy = policy;
		policy = NULL;
	}
	return 0;
}

int policy_parse(const char *source, const char *text, size_t length,
		 enum policy_format format, struct policy **ret_policy,
		 struct findings *findings, struct error *err)
{
	struct outcome outcome = { .ret_policy = ret_policy, .findings = findings };

	return parse(source, text, length, format, &outcome, err);
}

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

static int load(const char *file, const struct outcome *outcome, struct error *err)
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
	/* Room for one byte above the limit, as the file may be growing, and for the
	 * NUL. */
	text = malloc(POLICY_SIZE_MAX + 2);
	length = text ? fd_pread(fd, text, POLICY_SIZE_MAX + 2) : -ENOMEM;
	if (length < 0)
		return error_set(err, ERROR_SYSTEM, (int)-length,
				 "%s: cannot be read: %s", file, strerror((int)-length));
	if (length > POLICY_SIZE_MAX)
		return refuse_size(file, err);
	return parse(file, text, (size_t)length, format, outcome, err);
}

int policy_load(const char *file, struct policy **ret_policy, struct findings *findings,
		struct error *err)
{
	struct outcome outcome = { .ret_policy = ret_policy, .findings = findings };

	return load(file, &outcome, err);
}

/* Whether the name exists; a dangling link counts. */
static int look_up(const char *file, bool *ret_there, struct error *err)
{
	struct stat st;

	*ret_there = lstat(file, &st) == 0;
	if (*ret_there || errno == ENOENT || errno == ENOTDIR)
		return 0;
	return error_set(err, ERROR_POLICY_NOT_FOUND, errno,
			 "%s: cannot be looked up: %s", file, strerror(errno));
}

static int open_builtin(const struct outcome *outcome, struct error *err)
{
	return parse(POLICY_BUILTIN, policy_builtin_text, strlen(policy_builtin_text),
		     POLICY_YAML, outcome, err);
}

static int open_name(const char *name, const char *confdir, bool builtin,
		     const struct outcome *outcome, struct error *err)
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
		return error_set(err, ERROR_POLICY_INVALID, EEXIST,
				 "%s and %s: both exist; remove one, or name the file",
				 yaml, ini);
	if (has_yaml || has_ini)
		return load(has_yaml ? yaml : ini, outcome, err);
	if (builtin)
		return open_builtin(outcome, err);
	return error_set(err, ERROR_POLICY_NOT_FOUND, ENOENT,
			 "no policy \"%s\": neither %s nor %s.ini exists; name one that "
			 "does, or a file",
			 name, yaml, name);
}

static int open_any(const char *name_or_file, const char *confdir,
		    const struct outcome *outcome, struct error *err)
{
	if (!name_or_file)
		return open_name("default", confdir, true, outcome, err);
	if (!name_or_file[0])
		return error_set(err, ERROR_POLICY_NOT_FOUND, EINVAL,
				 "the name of the policy is empty");
	if (!strpbrk(name_or_file, "/."))
		return open_name(name_or_file, confdir, false, outcome, err);
	return load(name_or_file, outcome, err);
}

int policy_open(const char *name_or_file, const char *confdir, struct policy **ret_policy,
		struct findings *findings, struct error *err)
{
	struct outcome outcome = { .ret_policy = ret_policy, .findings = findings };

	return open_any(name_or_file, confdir, &outcome, err);
}

int policy_check(const char *name_or_file, const char *confdir, policy_look *look,
		 const void *data, struct findings *findings, struct error *err)
{
	struct outcome outcome = { .findings = findings, .look = look, .data = data };

	return open_any(name_or_file, confdir, &outcome, err);
}
