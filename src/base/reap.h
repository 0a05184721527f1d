/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ending a child process: awaited, forced and reaped, always within a bound (R9). */
#ifndef DRUPE_REAP_H
#define DRUPE_REAP_H

#include <stdint.h>

/*
 * Give the child of *PIDFD GRACE_MS to end, else SIGKILL it; take its status and close
 * *PIDFD.  *RET_STATUS (may be NULL) is as from wait(2), 0 when it is unknown.  A child
 * that cannot be reaped yet (in uninterruptible sleep, or dead but still traced) is
 * remembered for a later call.  A *PIDFD of -1 is left alone.
 */
void reap(int *pidfd, uint64_t grace_ms, int *ret_status);

#endif
