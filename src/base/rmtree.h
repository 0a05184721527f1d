/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Remove a tree with hostile content. */
#ifndef DRUPE_RMTREE_H
#define DRUPE_RMTREE_H

#include <stdint.h>

/*
 * Remove the directory NAME below PARENT and its contents.  No path strings are built
 * and no symbolic link is followed; modes that forbid reading are changed; depth and
 * length of paths do not matter.  The caller ensures that nothing writes to the tree
 * any more.  0 (also when it does not exist), or -errno of the first entry that could
 * not be removed; the rest is removed anyway.
 */
int rmtree_at(int parent, const char *name);

/* The same, but -ETIMEDOUT if it is not done by DEADLINE (clock.h).  Each call gets at
 * least one step further, so that a later one can finish it. */
int rmtree_until(int parent, const char *name, int64_t deadline);

#endif
