/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One run.  run.c is its story from top to bottom; the parts are
 *   launch.c     descriptors, command line, spawn of the guard
 *   hold.c       report, pin, block point, verification
 *   attach.c     the network of a held command
 *   supervise.c  everything that happens at once: messages, streams, deadlines
 *   teardown.c   the end, always and in order
 */
#ifndef DRUPE_RUN_H
#define DRUPE_RUN_H

#include "plan/chain.h"
#include "run/gate.h"
#include "net/network.h"
#include "view/request.h"
#include "run/result.h"
#include "scope/scope.h"
#include "run/sandbox.h"
#include "run/stream.h"
#include "verify/verify.h"

#define RUN_CANCELS 3 /* the caller's, the job's, the session's */

/* Where the streams of the command come from and go to. */
struct run_io {
	bool capture;		 /* keep the bounded text of both streams */
	int in;			 /* read from here; -1: /dev/null */
	int out[2];		 /* pass the streams on to these; -1: only captured */
	int cancel[RUN_CANCELS]; /* one readable: end the run; -1: never */
	bool last;	/* the session ends with this run: its guard removes the tmp */
	stream_tap tap; /* sees every byte, or NULL */
	void *tap_data;
};

/* What launcher and guard told so far. */
struct run_events {
	bool started; /* the guard started the launcher */
	bool failed;  /* the guard could not start the launcher: */
	uint32_t failed_step;
	int failed_errno;
	bool exited; /* the launcher ended: */
	int wait_status;
	bool empty; /* the guard has no process left */
	bool lost;  /* the guard itself is gone */
};

#define RUN_LAUNCHER_TEXT 4096
#define RUN_MAX_HANDED 256 /* descriptors; also the guard's MAX_KEEP */

struct run {
	struct sandbox *sandbox;
	const struct grant *grant;
	const struct request *request;
	const struct run_io *io;
	struct plan plan;
	struct gate gate;
	struct held held;
	struct scope scope; /* SCOPE_NONE where the policy says none */
	struct usage usage;
	struct network network; /* its backend is NULL where none was granted */
	struct drupe_child report;
	int control; /* lifeline to the guard */
	pid_t guard;
	int guard_pidfd;
	struct verify_gate gate_seen; /* its ends, as the launcher has them */
	struct stream streams[3];     /* stdin, stdout, stderr */
	struct capture captures[2];
	struct run_events events;
	char launcher_text[RUN_LAUNCHER_TEXT]; /* what stderr held before the release */
	bool released;
	pid_t survivor;	 /* 0, or a process whose death could not be confirmed */
	bool scope_left; /* its cgroup did not go, though empty */
	bool cancelled;	 /* the caller asked for the end */
	bool cut;	 /* and it came because of that, not by the command itself */
	bool timed_out;
	int guard_status; /* wait status of the guard, once it was reaped */
	int64_t released_at, ended_at;
	int64_t deadline;      /* of the command */
	int64_t child_gone_at; /* when the namespace child was seen to be gone, 0: not */
};

/*
 * Run request->command in SANDBOX and fill RESULT, whatever happens.  Returns when
 * nothing of the run is left, or with result->survivor set.  SIGPIPE must be ignored or
 * blocked.
 */
void run_execute(struct sandbox *sandbox, const struct grant *grant,
		 const struct request *request, const struct run_io *io,
		 struct result *result);

/* launch.c */
int run_launch(struct run *run, struct error *err);

/* hold.c: 0 when the command waits at the gate and all is verified. */
int run_hold(struct run *run, struct error *err);
/* Why the launcher ended before the command did, told from evidence. */
int run_launcher_failure(struct run *run, struct error *err);

/* attach.c: drupe-netns at once after the pin; the rest at the block point. */
int run_join_network(struct run *run, struct error *err);
int run_attach_network(struct run *run, struct error *err);

/* The signal that cancelled, where the caller's FD is a signalfd; 0: nobody knows. */
int run_cancel_signal(int fd);

/* supervise.c */

/* Wait until something happens, at most until DEADLINE: messages of the guard are
 * taken in, MORE (N of them) are polled beside them.  0, -ETIMEDOUT, or -ECANCELED
 * once the caller cancelled. */
int run_wait(struct run *run, struct pollfd *more, size_t n, int64_t deadline);
/* Until the launcher ended, the deadline passed, the caller cancelled or the reader
 * of the output went away. */
void run_supervise(struct run *run);
/* Move what is there on the streams until both ended, or DEADLINE. */
void run_drain(struct run *run, int64_t deadline);

/* teardown.c */
void run_reap_guard(struct run *run);
void run_teardown(struct run *run);

#endif
