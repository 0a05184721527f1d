/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/paths.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void join(char *to, const char *root, const char *path)
{
	snprintf(to, PATHS_MAX, "%.700s%s", root, path);
}

/* FOLDER contains one of our files; PLACE is where that is installed. */
static void resolve(char *folder, const char *place, struct paths *paths)
{
	size_t n = strlen(folder), m = strlen(place);

	join(paths->guard, folder, "/drupe-guard");
	if (access(paths->guard, F_OK) == 0) {
		join(paths->netns, folder, "/drupe-netns");
		join(paths->backends, folder, "/plugins/.libs");
		join(paths->policies, "", POLICYDIR);
		return;
	}
	folder[n >= m && strcmp(folder + n - m, place) == 0 ? n - m : 0] = '\0';
	join(paths->guard, folder, GUARDDIR "/drupe-guard");
	join(paths->netns, folder, GUARDDIR "/drupe-netns");
	join(paths->backends, folder, BACKENDDIR);
	join(paths->policies, folder, POLICYDIR);
}

/* Cut off the last component; "" when there is none. */
static void cut_name(char *path)
{
	char *slash = strrchr(path, '/');

	*(slash ? slash : path) = '\0';
}

void paths_resolve_for(const char *program, struct paths *paths)
{
	char folder[2000];

	snprintf(folder, sizeof(folder), "%.1999s", program);
	cut_name(folder);
	resolve(folder, BINDIR, paths);
}

static void resolve_for_library(const char *library, struct paths *paths)
{
	char folder[2000];
	size_t n;

	snprintf(folder, sizeof(folder), "%.1999s", library);
	cut_name(folder);
	/* libtool builds it one level below drupe-guard's folder. */
	n = strlen(folder);
	if (n > 6 && strcmp(folder + n - 6, "/.libs") == 0)
		folder[n - 6] = '\0';
	resolve(folder, LIBDIR, paths);
}

void paths_resolve(struct paths *paths)
{
	char file[PATH_MAX];
	const char *name;
	Dl_info self;

	/* This code may be in the library or in the program itself. */
	if (dladdr((const void *)(uintptr_t)&paths_resolve, &self) != 0 &&
	    self.dli_fname && realpath(self.dli_fname, file)) {
		name = strrchr(file, '/');
		if (name && strncmp(name, "/libdrupe.so", 12) == 0) {
			resolve_for_library(file, paths);
			return;
		}
	}
	if (!realpath("/proc/self/exe", file))
		file[0] = '\0';
	paths_resolve_for(file, paths);
}
