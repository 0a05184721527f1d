/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One run.  run.c is its story from top to bottom; the parts are
 *   stdio.c      pipes for the three streams
 *   launch.c     descriptors, command line, spawn of the guard
 *   hold.c       report, pin, block point, verification
 *   failure.c    why a launcher failed before the command ran
 *   attach.c     the network of a held command
 *   supervise.c  everything that happens at once: messages, streams, deadlines
 *   teardown.c   the end, always and in order
 */
#ifndef DRUPE_RUN_H
#define DRUPE_RUN_H

#include "net/network.h"
#include "plan/chain.h"
#include "run/gate.h"
#include "run/result.h"
#include "run/sandbox.h"
#include "run/stream.h"
#include "scope/scope.h"
#include "verify/verify.h"
#include "view/request.h"

#define RUN_CANCELS 3 /* the caller's, the job's, the session's */

/* Where the streams of the command come from and go to. */
struct run_io {
	bool capture;		 /* keep the bounded text of both streams */
	int in;			 /* read from here; -1: /dev/null */
	int out[2];		 /* pass the streams on to these; -1: only captured */
	int cancel[RUN_CANCELS]; /* readable: end the run; -1: none */
	bool last;	/* the session ends with this run: its guard removes the tmp */
	stream_tap tap; /* sees every byte, or NULL */
	void *tap_data;
};

/* How far a run has come, as the guard reports it.  It only goes forward. */
enum run_phase {
	PHASE_SILENT,  /* not heard of: it may still be the scope's tool */
	PHASE_STARTED, /* the guard started the launcher */
	PHASE_EXITED,  /* the launcher ended, with wait_status */
	PHASE_EMPTY,   /* no process of the run is left, or none was started */
};

/* Why a run is over.  The first cause stays (run_end). */
enum run_ending {
	ENDING_NONE,
	ENDING_REFUSED, /* something failed before the release */
	ENDING_ITSELF,	/* whatever ran has ended: see the evidence in run.c */
	ENDING_NETWORK, /* the network helper ended: the granted network is gone */
	ENDING_TIMEOUT,
	ENDING_CANCEL,
	ENDING_SINK, /* our own output cannot be written */
	N_ENDINGS
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
	enum run_phase phase;
	enum run_ending ending;
	bool guard_lost; /* nothing more is heard from it */
	bool cancelled;	 /* the caller cancelled, perhaps too late */
	int start_errno; /* why the guard could not start the launcher, and where: */
	uint32_t start_step;
	int wait_status;		       /* of the launcher */
	int guard_status;		       /* of the guard, once it was reaped */
	char launcher_text[RUN_LAUNCHER_TEXT]; /* what stderr held before the release */
	pid_t survivor;	       /* 0, or a process whose death could not be confirmed */
	bool scope_left;       /* its cgroup is empty but was not removed */
	int64_t released_at;   /* when the byte was written; 0: it was not */
	int64_t ended_at;      /* of the launcher */
	int64_t deadline;      /* of the command */
	int64_t child_gone_at; /* when the namespace child was gone; 0: it was not */
};

/*
 * Run request->command in SANDBOX and fill RESULT, whatever happens.  Returns when
 * nothing of the run is left, or with result->survivor set.  SIGPIPE must be ignored or
 * blocked.
 */
void run_execute(struct sandbox *sandbox, const struct grant *grant,
		 const struct request *request, const struct run_io *io,
		 struct result *result);

/* stdio.c: open a pipe; the command gets its end *RET. */
int run_open_input(struct run *run, int *ret_read, struct error *err);
int run_open_output(struct run *run, size_t i, int *ret_write, struct error *err);

/* launch.c */
int run_launch(struct run *run, struct error *err);

/* hold.c: 0 when the command waits at the gate and all is verified. */
int run_hold(struct run *run, struct error *err);

/* failure.c: why the launcher ended before the command did, told from evidence. */
int run_launcher_failure(struct run *run, struct error *err);
/* Give a launcher that failed MS milliseconds to end by itself. */
void run_await_launcher(struct run *run, uint64_t ms);

/* attach.c: drupe-netns right after the pin; the rest at the block point. */
int run_join_network(struct run *run, struct error *err);
int run_attach_network(struct run *run, struct error *err);

/* Note why the run is over, unless that is known already. */
static inline void run_end(struct run *run, enum run_ending ending)
{
	if (run->ending == ENDING_NONE)
		run->ending = ending;
}

static inline bool run_launcher_is_gone(const struct run *run)
{
	return run->phase >= PHASE_EXITED || run->guard_lost;
}

/* The signal that cancelled, if the caller's FD is a signalfd; 0: unknown. */
int run_cancel_signal(int fd);

/* supervise.c */

/* Wait for an event, until DEADLINE at most: messages of the guard are taken in, MORE (N
 * of them) are polled too.  0, -ETIMEDOUT, or -ECANCELED once the caller cancelled. */
int run_wait(struct run *run, struct pollfd *more, size_t n, int64_t deadline);
/* Serve the run until the launcher ended, the deadline passed, the caller cancelled, or
 * the reader of the output is gone. */
void run_supervise(struct run *run);
/* Move what the streams still hold, until both have ended or DEADLINE. */
void run_drain(struct run *run, int64_t deadline);

/* gate-holders.c: if the guard was killed before the launcher had reported. */
void run_kill_gate_holders(struct run *run);

/* teardown.c */
void run_reap_guard(struct run *run);
void run_teardown(struct run *run);

#endif
