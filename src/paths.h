/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the parts of drupe lie. */
#ifndef DRUPE_PATHS_H
#define DRUPE_PATHS_H

#include <limits.h>

struct paths {
	char guard[PATH_MAX];	 /* drupe-guard */
	char netns[PATH_MAX];	 /* drupe-netns */
	char backends[PATH_MAX]; /* folder of the backends */
	char policies[PATH_MAX]; /* folder of the policies */
};

/*
 * The configured folders.  A program that lies in the configured bindir below some
 * root (a DESTDIR) finds its parts below the same root; one that lies beside
 * drupe-guard is in the build tree.  The same holds for libdrupe and its libdir, in
 * whatever program it is.  No variable of the environment has a say.
 */
void paths_resolve(struct paths *paths);

/* The same for a drupe that is not the running program. */
void paths_resolve_for(const char *program, struct paths *paths);

#endif
