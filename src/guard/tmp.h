/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The guard's part of the private tmp (private-tmp.h is the executor's). */
#ifndef DRUPE_GUARD_TMP_H
#define DRUPE_GUARD_TMP_H

/*
 * Make PATH, mode 0700, and open it as descriptor PLACE (-1: none).  *ret_lock
 * keeps it from sweepers of leftovers.  0 or -errno.
 */
int guard_tmp_make(const char *path, int place, int *ret_lock);

#endif
