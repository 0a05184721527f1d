/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the guard kills. */
#ifndef DRUPE_GUARD_KILL_H
#define DRUPE_GUARD_KILL_H

/* SIGKILL to every child that this process has now; their own children become ours. */
void guard_kill_children(void);

#endif
