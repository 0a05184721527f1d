/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A folder of ours in the cgroup file system.  Executor and guard share it. */
#ifndef DRUPE_CGROUP_FOLDER_H
#define DRUPE_CGROUP_FOLDER_H

#include <stdint.h>

/* Move the calling process in: PROCS is the folder's cgroup.procs.  0 or -errno; may
 * be called between vfork and exec. */
int cgroup_folder_enter(int procs);

/*
 * Remove PATH, with the groups that a command made below.  The kernel refuses while a
 * process is in it, also one that is still dying: tried again for MS milliseconds.
 * 0 (also when it was not there) or -errno.
 */
int cgroup_folder_remove(const char *path, uint64_t ms);

#endif
