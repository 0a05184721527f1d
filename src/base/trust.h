/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who can have written a file (a policy, a backend, a tool).  Every check is made
 * on the descriptor that is used afterwards, never on a path.
 */
#ifndef DRUPE_TRUST_H
#define DRUPE_TRUST_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/error.h"

/*
 * Open the regular file PATH for reading and check it and every parent directory: owned
 * by root or by the caller (effective uid), not writable by group or others; a sticky
 * directory that is writable by others passes.  Symbolic links are followed by hand,
 * and the directories that hold them are checked as well.  A FIFO, device or socket is
 * refused without blocking.  CODE is the refusal to report; a file that does not exist
 * gives -ENOENT with the code MISSING.
 */
int trust_open(const char *path, enum error_code missing, enum error_code code,
	       int *ret_fd, struct stat *ret_stat, struct error *err);

/*
 * The same for a directory (opened O_DIRECTORY), and for a file NAME (no slash)
 * in it, which must be a regular file and not a symbolic link.
 */
int trust_open_dir(const char *path, enum error_code missing, enum error_code code,
		   int *ret_fd, struct error *err);
int trust_open_at(int dirfd, const char *dir, const char *name, enum error_code missing,
		  enum error_code code, int *ret_fd, struct stat *ret_stat,
		  struct error *err);

/* Whether UID is the placeholder for users that this user namespace does not map. */
bool trust_is_unmapped(uid_t uid);

#endif
