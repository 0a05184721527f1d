/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the parts of drupe are. */
#ifndef DRUPE_PATHS_H
#define DRUPE_PATHS_H

/* Small, since sessions hold copies; longer paths are refused or cut. */
#define PATHS_MAX 1024

struct paths {
	char guard[PATHS_MAX];	  /* drupe-guard */
	char netns[PATHS_MAX];	  /* drupe-netns */
	char backends[PATHS_MAX]; /* folder of the backends */
	char policies[PATHS_MAX]; /* folder of the policies */
};

/*
 * The configured folders.  A program in the configured bindir below some root (a
 * DESTDIR) finds its parts below the same root; one next to drupe-guard is in the build
 * tree.  The same holds for libdrupe and its libdir, whatever program loads it.  The
 * environment has no say.
 */
void paths_resolve(struct paths *paths);

/* The same for PROGRAM, a drupe other than the running program. */
void paths_resolve_for(const char *program, struct paths *paths);

#endif
