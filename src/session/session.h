/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What outlives a command: policy, user, backends, places, private tmp, and the state
 * that says whether another command is accepted.
 */
#ifndef DRUPE_SESSION_H
#define DRUPE_SESSION_H

#include <pthread.h>

#include "run/sandbox.h"
#include "session/keeper.h"
#include "view/grant.h"
#include "view/request.h"

struct run_io;
struct result;

/* A session only moves down this list. */
enum session_state {
	SESSION_NEW,
	SESSION_READY,
	SESSION_REFUSED,  /* the preflight failed: for good */
	SESSION_CLOSED,	  /* closing, or one-shot and used */
	SESSION_POISONED, /* a death could not be confirmed: for good */
};

struct session {
	struct sandbox sandbox;
	struct keeper keeper; /* removes the tmp of a killed executor */
	int closing;	      /* an eventfd: readable ends all runs */

	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t idle;
	enum session_state state;
	struct error reason; /* of REFUSED, POISONED, CLOSED: the first one */
	unsigned running;

	pthread_mutex_t preflight; /* held during a preflight; other runs wait for it */
	bool network_ready;
	struct error network_reason; /* its preflight failed: for good */
};

enum session_kind {
	SESSION_LOOK,	  /* for plan: changes nothing on the host, runs nothing */
	SESSION_ONE_SHOT, /* one command, whose own start is the preflight */
	SESSION_LASTING,
};

/*
 * Resolve the profile and the user, load the backends, open the places and, unless KIND
 * is SESSION_LOOK, prepare the private tmp.  SESSION must not be moved (it holds locks);
 * on success the caller closes it.
 */
int session_open(const struct policy *policy, const struct request *request,
		 const struct paths *paths, enum session_kind kind,
		 struct session *session, struct error *err);

/* The grant for one run; free it.  Loads the network backend if the run gets it. */
int session_grant(struct session *session, const struct request *request,
		  struct grant *ret_grant, struct error *err);

/* NEW becomes READY or REFUSED; in any other state the outcome is reported again.  -errno
 * unless READY.  CANCEL (RUN_CANCELS descriptors, or NULL): a readable one ends the
 * preflight with -ECANCELED, and the session stays NEW. */
int session_preflight(struct session *session, const int *cancel, struct error *err);

enum session_state session_state(struct session *session);

/* run_execute in any state of the session, for a preflight.  Poisons the session if a
 * death could not be confirmed. */
void session_execute(struct session *session, const struct grant *grant,
		     const struct request *request, const struct run_io *io,
		     struct result *result);

/*
 * One run: always fills RESULT.  Any number of threads may call it at once.  SIGPIPE must
 * be ignored or blocked.
 */
void session_run(struct session *session, const struct request *request,
		 const struct run_io *io, struct result *result);

/* Between the two, session_close waits: for a session_run by another thread. */
void session_enter(struct session *session);
void session_leave(struct session *session);

/* End all runs and wait for them, remove the tmp, free the rest.  Only the removal can
 * fail. */
int session_close(struct session *session, struct error *err);

#endif
