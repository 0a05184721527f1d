/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "policy/env.h"

#include <stddef.h>
#include <string.h>

/* Variables that the loader, the C library and shells act on before the command runs,
 * and those that the executor sets itself.  A trailing * matches any ending. */
static const struct {
	const char *pattern;
	const char *fault;
} env_table[] = {
	{ "HOME", "is set by drupe; see the key home" },
	{ "TMPDIR", "is set by drupe; see the key ephemeral_tmp" },
	{ "PWD", "is set by drupe; it is the workspace" },
	{ "OLDPWD", "is set by shells; leave it out" },
	{ "DRUPE_*", "is reserved for drupe; choose another name" },
	{ "XDG_RUNTIME_DIR", "leads out of the sandbox; leave it out" },
	{ "DBUS_*", "leads out of the sandbox; leave it out" },
	{ "LD_*", "steers the program loader; leave it out" },
	{ "GLIBC_TUNABLES", "steers the C library; leave it out" },
	{ "GCONV_PATH", "steers the C library; leave it out" },
	{ "LOCPATH", "steers the C library; leave it out" },
	{ "NLSPATH", "steers the C library; leave it out" },
	{ "MALLOC_*", "steers the C library; leave it out" },
	{ "BASH_ENV", "makes shells run code; leave it out" },
	{ "ENV", "makes shells run code; leave it out" },
	{ "BASH_FUNC_*", "makes shells run code; leave it out" },
	{ "PS4", "makes shells run code; leave it out" },
	{ "SHELLOPTS", "changes how shells read; leave it out" },
	{ "BASHOPTS", "changes how shells read; leave it out" },
	{ "IFS", "changes how shells read; leave it out" },
};

const char *policy_env_fault(const char *name)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	size_t n = strlen(name);

	if (!name[0] || !strchr(letters, name[0]))
		return "is not the name of a variable; write letters, digits and _";
	for (size_t i = 1; i < n; i++)
		if (!strchr(letters, name[i]) && !(name[i] >= '0' && name[i] <= '9'))
			return "is not the name of a variable; write letters, digits and "
			       "_";
	for (size_t i = 0; i < sizeof(env_table) / sizeof(env_table[0]); i++) {
		const char *pattern = env_table[i].pattern;
		size_t length = strcspn(pattern, "*");

		if (pattern[length] ? strncmp(name, pattern, length) == 0
				    : strcmp(name, pattern) == 0)
			return env_table[i].fault;
	}
	return NULL;
}
