/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What lasts longer than one command: policy, user, backends, places, private tmp,
 * and the state that says whether a further command is taken.
 */
#ifndef DRUPE_SESSION_H
#define DRUPE_SESSION_H

#include <pthread.h>

#include "view/grant.h"
#include "session/keeper.h"
#include "view/request.h"
#include "run/sandbox.h"

struct run_io;
struct result;

/* A session only ever goes down this list. */
enum session_state {
	SESSION_NEW,
	SESSION_READY,
	SESSION_REFUSED,  /* the preflight failed: for good */
	SESSION_CLOSED,	  /* being closed, or one-shot and used */
	SESSION_POISONED, /* a death could not be confirmed (R10): for good */
};

struct session {
	struct sandbox sandbox;
	struct keeper keeper; /* removes the tmp of a killed executor */
	int closing;	      /* an eventfd: readable when all runs are to end */

	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t idle;
	enum session_state state;
	struct error reason; /* of REFUSED, POISONED, CLOSED: the first one */
	unsigned running;

	pthread_mutex_t preflight; /* held while one is made; others wait for it */
	bool network_ready;
	struct error network_reason; /* its preflight failed: for good */
};

enum session_kind {
	SESSION_LOOK,	  /* to look at: nothing on the host is changed, nothing runs */
	SESSION_ONE_SHOT, /* one command, and no preflight: its own start is one */
	SESSION_LASTING,
};

/*
 * Resolve the profile and the user, load the backends, look at the places, and, unless
 * it is only to look, prepare the private tmp.  SESSION is filled in place (its lock must
 * not move), and closed by the caller on success.
 */
int session_open(const struct policy *policy, const struct request *request,
		 const struct paths *paths, enum session_kind kind,
		 struct session *session, struct error *err);

/* The grant for one run (free it).  Loads the network's backend where it is needed. */
int session_grant(struct session *session, const struct request *request,
		  struct grant *ret_grant, struct error *err);

/* NEW becomes READY or REFUSED; otherwise tells again what is.  -errno unless READY.
 * CANCEL (RUN_CANCELS descriptors, or NULL): one readable ends a preflight that is made
 * here with -ECANCELED, and the session stays NEW. */
int session_preflight(struct session *session, const int *cancel, struct error *err);

enum session_state session_state(struct session *session);

/* One run whatever the state of the session is, as run_execute: of a preflight.  The
 * session is poisoned where a death could not be confirmed. */
void session_execute(struct session *session, const struct grant *grant,
		     const struct request *request, const struct run_io *io,
		     struct result *result);

/*
 * One run, from the state of the session to the result, whatever happens; any number of
 * threads at once.  SIGPIPE must be ignored or blocked.
 */
void session_run(struct session *session, const struct request *request,
		 const struct run_io *io, struct result *result);

/* From session_enter on a close waits for session_leave: for a caller whose session_run
 * happens in another thread. */
void session_enter(struct session *session);
void session_leave(struct session *session);

/* End what runs, wait for it, remove the tmp, give everything back.  An error is one of
 * the removal. */
int session_close(struct session *session, struct error *err);

#endif
