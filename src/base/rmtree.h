/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Remove a tree with hostile content. */
#ifndef DRUPE_RMTREE_H
#define DRUPE_RMTREE_H

/*
 * Remove the directory NAME below PARENT with all it holds.  No path strings are
 * built and no symbolic link is followed; modes that forbid reading are changed;
 * depth and length of paths do not matter.  The caller has made sure that nothing
 * writes to the tree any more.  0 (also when it was not there), or -errno of the
 * first thing that could not be removed; the rest is removed all the same.
 */
int rmtree_at(int parent, const char *name);

#endif
