/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The escape from die-with-parent that a command has where ptrace is open. */
#ifndef DRUPE_TESTS_DISARM_H
#define DRUPE_TESTS_DISARM_H

/* Let the sandbox's init call prctl(PR_SET_PDEATHSIG, 0).  NULL, or what failed. */
const char *disarm_init(void);

/* Stop it, once the caller has ended. */
const char *freeze_init(void);

#endif
