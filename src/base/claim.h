/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A folder that is in use while it is locked: the lock, not its age, tells live from
 * dead.  Links no library, for drupe-guard.
 */
#ifndef DRUPE_CLAIM_H
#define DRUPE_CLAIM_H

#include <sys/types.h>

/* Make the folder PATH with MODE and lock it, even if a sweeper removes it in between.
 * 0 and *RET_LOCK, or -errno. */
int claim_make(const char *path, mode_t mode, int *ret_lock);

/*
 * Lock NAME in the folder PARENT: LOCK_SH to use it, LOCK_EX to remove what is not in
 * use.  Returns the descriptor, or -errno: -EAGAIN when the lock is taken or NAME now
 * refers to something else.
 */
int claim_take(int parent, const char *name, int operation);

#endif
