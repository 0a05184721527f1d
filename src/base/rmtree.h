/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Remove a tree with hostile content. */
#ifndef DRUPE_RMTREE_H
#define DRUPE_RMTREE_H

/*
 * Remove the directory NAME below PARENT and its contents.  No path strings are built
 * and no symbolic link is followed; modes that forbid reading are changed; depth and
 * length of paths do not matter.  The caller ensures that nothing writes to the tree
 * any more.  0 (also when it does not exist), or -errno of the first entry that could
 * not be removed; the rest is removed anyway.
 */
int rmtree_at(int parent, const char *name);

#endif
