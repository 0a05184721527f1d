/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A folder of ours in the cgroup file system.  Executor and guard share it. */
#ifndef DRUPE_CGROUP_FOLDER_H
#define DRUPE_CGROUP_FOLDER_H

#include <stdint.h>

/* Move the calling process into the folder whose cgroup.procs is PROCS.  0 or -errno;
 * may be called between vfork and exec. */
int cgroup_folder_enter(int procs);

/*
 * Remove PATH and the groups that a command made below it.  The kernel refuses while a
 * process is in it, even a dying one, so this retries for MS milliseconds.  0 (also
 * when it does not exist) or -errno.
 */
int cgroup_folder_remove(const char *path, uint64_t ms);

#endif
