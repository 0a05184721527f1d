/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the launcher gets of the guard's descriptors (R7), the gate among them (R5). */
#ifndef DRUPE_GUARD_DESCRIPTORS_H
#define DRUPE_GUARD_DESCRIPTORS_H

#include <stddef.h>

/* Exactly 0, 1, 2 and KEEP survive an exec: 0, or -EBADF if the gate, of the ends BLOCK
 * and SYNC, is not among them or not as it must be, or another -errno.  For a vfork
 * child. */
int guard_lay_descriptors(int block, int sync, const int *keep, size_t n_keep);

#endif
