/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/value.h"

/* Look up by name, or by uid if NAME is a number.  False: no such user; *ret_uid is
 * then the number, if it was one. */
static bool lookup(const char *name, struct passwd *ret_entry, char *buffer, size_t size,
		   uint64_t *ret_uid)
{
	struct passwd *found = NULL;

	*ret_uid = UINT64_MAX;
	if (getpwnam_r(name, ret_entry, buffer, size, &found) == 0 && found)
		return true;
	if (value_count(name, ret_uid) < 0 || *ret_uid >= (uid_t)-1) {
		*ret_uid = UINT64_MAX;
		return false;
	}
	return getpwuid_r((uid_t)*ret_uid, ret_entry, buffer, size, &found) == 0 && found;
}

static int take_groups(struct identity *identity)
{
	int count = 32;

	for (;;) {
		gid_t *groups = reallocarray(identity->groups, (size_t)count,
					     sizeof(*groups));
		int wanted = count;

		if (!groups)
			return -ENOMEM;
		identity->groups = groups;
		if (getgrouplist(identity->name, identity->gid, groups, &wanted) >= 0) {
			identity->n_groups = (size_t)wanted;
			return 0;
		}
		count = wanted > count ? wanted : count * 2;
	}
}

static int resolve_other(const char *name, struct identity *identity, struct error *err)
{
	char buffer[4096];
	struct passwd entry;
	uint64_t uid;

	if (lookup(name, &entry, buffer, sizeof(buffer), &uid)) {
		identity->uid = entry.pw_uid;
		identity->gid = entry.pw_gid;
		identity->name = strdup(entry.pw_name);
		identity->home = strdup(entry.pw_dir);
	} else if (uid != UINT64_MAX) {
		identity->uid = (uid_t)uid;
		identity->gid = (gid_t)uid;
		identity->name = strdup(name);
	} else {
		return error_set(err, ERROR_USER_UNKNOWN, ENOENT, "no user \"%s\"", name);
	}
	if (!identity->name)
		return error_set(err, ERROR_SYSTEM, ENOMEM, "out of memory");
	if (identity->uid == 0 || identity->gid == 0) {
		error_set(err, ERROR_USER_UNKNOWN, EPERM,
			  "user \"%s\" has uid %u and gid %u: nothing runs as root", name,
			  identity->uid, identity->gid);
		error_hint(err, "name an unprivileged user");
		return -EPERM;
	}
	identity->drop = true;
	if (take_groups(identity) < 0)
		return error_set(err, ERROR_SYSTEM, ENOMEM, "out of memory");
	return 0;
}

static int resolve_self(const char *name, struct identity *identity, struct error *err)
{
	char buffer[4096];
	struct passwd entry, *found = NULL;
	char number[16];

	identity->uid = geteuid();
	identity->gid = getegid();
	snprintf(number, sizeof(number), "%u", identity->uid);
	(void)getpwuid_r(identity->uid, &entry, buffer, sizeof(buffer), &found);
	identity->name = strdup(found ? found->pw_name : number);
	identity->home = found ? strdup(found->pw_dir) : NULL;
	if (!identity->name)
		return error_set(err, ERROR_SYSTEM, ENOMEM, "out of memory");
	if (name && strcmp(name, identity->name) != 0 && strcmp(name, number) != 0) {
		error_set(err, ERROR_USER_UNKNOWN, EPERM,
			  "only root may run a command as another user (\"%s\")", name);
		error_hint(err, "leave --user out, or call drupe as root");
		return -EPERM;
	}
	return 0;
}

int identity_resolve(const char *asked, const char *policy, struct identity *ret_identity,
		     struct error *err)
{
	struct identity identity = { 0 };
	int r;

	if (geteuid() != 0) {
		r = resolve_self(asked, &identity, err);
	} else if (asked || policy) {
		r = resolve_other(asked ? asked : policy, &identity, err);
	} else {
		error_set(err, ERROR_USER_REQUIRED, EPERM,
			  "root must name the unprivileged user to run the command as");
		error_hint(err,
			   "give --user NAME, or `user: NAME` in the policy; for example "
			   "--user nobody");
		r = -EPERM;
	}
	if (r < 0) {
		identity_free(&identity);
		return r;
	}
	*ret_identity = identity;
	return 0;
}

void identity_free(struct identity *identity)
{
	free(identity->groups);
	free(identity->name);
	free(identity->home);
	*identity = (struct identity){ 0 };
}

bool identity_in_passwd_file(uid_t uid)
{
	char text[65536], *line, *rest = text;

	if (fd_read_file(AT_FDCWD, "/etc/passwd", text, sizeof(text)) < 0)
		return false;
	/* passwd(5): name:password:uid:... */
	while ((line = strsep(&rest, "\n"))) {
		char *field = line;
		uint64_t value;

		strsep(&field, ":");
		strsep(&field, ":");
		if (field && value_count(strsep(&field, ":"), &value) == 0 &&
		    value == uid)
			return true;
	}
	return false;
}
