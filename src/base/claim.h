/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A folder that is in use as long as a lock of it is held: a lock, not the age, tells
 * dead from live.  Needs no library: drupe-guard has it too.
 */
#ifndef DRUPE_CLAIM_H
#define DRUPE_CLAIM_H

#include <sys/types.h>

/* Make the folder PATH with that mode, and hold it: others sweep it from when it is
 * there to when it is locked.  0 and *RET_LOCK, or -errno. */
int claim_make(const char *path, mode_t mode, int *ret_lock);

/*
 * Lock NAME in the folder PARENT, LOCK_SH to use it or LOCK_EX to remove what nobody
 * uses.  Returns the descriptor, or -errno: -EAGAIN when it is locked otherwise, or is
 * no longer what NAME leads to.
 */
int claim_take(int parent, const char *name, int operation);

#endif
