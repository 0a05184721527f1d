/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the executor and drupe-guard say to each other.
 *
 * The guard stands between the executor and the launcher.  It is a subreaper:
 * any process of the run that loses its parent becomes the guard's child, so nothing
 * can hide from it.  Its lifeline is a SOCK_SEQPACKET socket whose other end only
 * the executor holds; when that end closes, for whatever reason, the guard kills
 * all its children until none is left, and removes the private tmp and the cgroup
 * (where that is a folder of ours, and not a manager's).
 *
 * die-with-parent alone is not enough: bwrap arms it in the held child only after
 * the release, it is tied to the spawning thread, and a command can disarm it.
 */
#ifndef DRUPE_GUARD_H
#define DRUPE_GUARD_H

#include <stdint.h>

/* Guard to executor. */
enum guard_event {
	GUARD_STARTED = 1, /* value: pid of the launcher */
	GUARD_FAILED = 2,  /* value: errno; what: enum guard_step */
	GUARD_EXITED = 3,  /* value: wait status of the launcher */
	GUARD_EMPTY = 4,   /* no process of the run is left */
};

/* What the guard could not do. */
enum guard_step {
	GUARD_STEP_SETUP = 1,	   /* signals, subreaper */
	GUARD_STEP_KEYRING = 2,	   /* a session keyring of its own */
	GUARD_STEP_DESCRIPTOR = 3, /* a descriptor for the launcher is wrong */
	GUARD_STEP_EXEC = 4,	   /* the launcher's program could not be executed */
	GUARD_STEP_TMP = 5,	   /* the private tmp could not be made */
	GUARD_STEP_CGROUP = 6,	   /* the launcher could not enter its cgroup */
};

struct guard_message {
	uint32_t event;
	uint32_t what;
	int32_t value;
};

/* Executor to guard, one byte a message. */
#define GUARD_KILL 'K' /* kill everything, report GUARD_EMPTY, stay */
#define GUARD_BYE 'B'  /* all is done: exit, the tmp stays */
#define GUARD_END 'E'  /* the session ends with this run: remove the tmp, exit */

#endif
