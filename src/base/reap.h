/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The end of a child of ours: waited for, made, and taken, never for ever (R9). */
#ifndef DRUPE_REAP_H
#define DRUPE_REAP_H

#include <stdint.h>

/*
 * Give the child of *PIDFD GRACE_MS to end, else SIGKILL it; take its status and close
 * *PIDFD.  *RET_STATUS (may be NULL) is as wait(2) has it, 0 when nobody knows it.
 * One that cannot be taken yet, in uninterruptible sleep or dead in the hands of a
 * tracer, is kept in mind and taken by a later call.  A *PIDFD of -1 is left alone.
 */
void reap(int *pidfd, uint64_t grace_ms, int *ret_status);

#endif
