/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "paths.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void join(char *to, const char *root, const char *path)
{
	snprintf(to, PATH_MAX, "%.2000s%s", root, path);
}

void paths_resolve(struct paths *paths)
{
	char program[2000];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);

	program[n > 0 ? n : 0] = '\0';
	paths_resolve_for(program, paths);
}

void paths_resolve_for(const char *program, struct paths *paths)
{
	char folder[2000];
	size_t n, bin = strlen(BINDIR);
	char *slash;

	snprintf(folder, sizeof(folder), "%s", program);
	slash = strrchr(folder, '/');
	if (slash)
		*slash = '\0';
	n = strlen(folder);
	join(paths->guard, folder, "/drupe-guard");
	if (access(paths->guard, F_OK) == 0) {
		join(paths->netns, folder, "/drupe-netns");
		join(paths->backends, folder, "/plugins/.libs");
		join(paths->policies, "", POLICYDIR);
		return;
	}
	folder[n >= bin && strcmp(folder + n - bin, BINDIR) == 0 ? n - bin : 0] = '\0';
	join(paths->guard, folder, GUARDDIR "/drupe-guard");
	join(paths->netns, folder, GUARDDIR "/drupe-netns");
	join(paths->backends, folder, BACKENDDIR);
	join(paths->policies, folder, POLICYDIR);
}
