/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "paths.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void join(char *to, const char *root, const char *path)
{
	snprintf(to, PATH_MAX, "%.2000s%s", root, path);
}

/* The folder of the running program, without its last slash; "" when unknown. */
static void own_folder(char *folder, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", folder, size - 1);
	char *slash;

	folder[n > 0 ? n : 0] = '\0';
	slash = strrchr(folder, '/');
	if (slash)
		*slash = '\0';
}

void paths_resolve(struct paths *paths)
{
	char folder[2000];
	size_t n, bin = strlen(BINDIR);

	own_folder(folder, sizeof(folder));
	n = strlen(folder);
	join(paths->guard, folder, "/drupe-guard");
	if (access(paths->guard, F_OK) == 0) {
		join(paths->backends, folder, "/plugins/.libs");
		join(paths->policies, "", POLICYDIR);
		return;
	}
	folder[n >= bin && strcmp(folder + n - bin, BINDIR) == 0 ? n - bin : 0] = '\0';
	join(paths->guard, folder, GUARD_PATH);
	join(paths->backends, folder, BACKENDDIR);
	join(paths->policies, folder, POLICYDIR);
}
