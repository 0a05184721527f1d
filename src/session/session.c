/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/session.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>

#include "backend/option-check.h"
#include "base/fd.h"
#include "net/network.h"
#include "run/run.h"
#include "session/preflight.h"

/* ---- open ---- */

/* A policy may say `none` for scope and network: the slot stays empty. */
static int load(struct session *session, enum slot slot, struct error *err)
{
	const char *name = session->sandbox.policy->backends[slot];

	if (strcmp(name, "none") != 0)
		return registry_load(session->sandbox.paths->backends, slot, name,
				     session->sandbox.policy,
				     session->sandbox.identity.uid,
				     &session->sandbox.backends[slot], err);
	if (slot != SLOT_NETWORK)
		return 0;
	error_set(err, ERROR_NETWORK_UNAVAILABLE, ENOTSUP,
		  "the run gets the network, but the policy says `network: none`");
	error_hint(err, "name a network backend in the policy, or leave --network out");
	return -ENOTSUP;
}

static int choose_profile(struct session *session, const char *name, struct error *err)
{
	const struct policy *policy = session->sandbox.policy;
	char names[256] = "";
	size_t used = 0;

	name = name ? name : policy->default_profile;
	session->sandbox.profile = policy_profile(policy, name);
	if (session->sandbox.profile)
		return 0;
	error_set(err, ERROR_PROFILE_UNKNOWN, ENOENT, "policy %s has no profile \"%s\"",
		  policy->source, name);
	for (size_t i = 0; i < policy->n_profiles && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%.40s",
					 i ? ", " : "", policy->profiles[i].name);
	error_hint(err, "use one of its profiles: %s", names);
	return -ENOENT;
}

/* A tmp shared by commands is kept by a process that lasts as long as the session. */
static int prepare_tmp(struct session *session, struct error *err)
{
	int r;

	if (session->sandbox.profile->ephemeral_tmp)
		return 0;
	r = private_tmp_choose(session->sandbox.policy->tmp_root,
			       &session->sandbox.identity, &session->sandbox.tmp, err);
	if (r < 0 || session->sandbox.one_shot)
		return r;
	r = keeper_start(&session->keeper, session->sandbox.paths->guard,
			 session->sandbox.tmp.place.path, &session->sandbox.identity,
			 err);
	if (r < 0)
		return r;
	return private_tmp_adopt(&session->sandbox.tmp, &session->sandbox.identity, err);
}

static int prepare(struct session *session, const struct request *request,
		   enum session_kind kind, struct error *err)
{
	int r = choose_profile(session, request->profile, err);

	if (r == 0)
		r = identity_resolve(request->user, session->sandbox.policy->user,
				     &session->sandbox.identity, err);
	for (size_t i = 0; r == 0 && i < N_SLOTS; i++)
		if (i != SLOT_NETWORK)
			r = load(session, (enum slot)i, err);
	/* The network backend is loaded by the first run that needs it, but wrong options
	 * are refused now. */
	if (r == 0)
		r = option_check_slot(session->sandbox.paths->backends, SLOT_NETWORK,
				      session->sandbox.policy, err);
	if (r == 0)
		r = view_gather(session->sandbox.policy, session->sandbox.profile,
				request, &session->sandbox.identity,
				&session->sandbox.view, err);
	if (r < 0 || kind == SESSION_LOOK)
		return r;
	session->closing = fd_above_stdio(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	if (session->closing < 0)
		return error_set(err, ERROR_SYSTEM, -session->closing,
				 "cannot make an eventfd: %s",
				 strerror(-session->closing));
	return prepare_tmp(session, err);
}

int session_open(const struct policy *policy, const struct request *request,
		 const struct paths *paths, enum session_kind kind,
		 struct session *session, struct error *err)
{
	int r;

	*session = (struct session){
		.sandbox = {
			.paths = paths,
			.policy = policy,
			.tmp = PRIVATE_TMP_NONE,
			.view.workspace.place.fd = -1,
			.one_shot = kind == SESSION_ONE_SHOT,
		},
		.keeper = KEEPER_NONE,
		.closing = -1,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.idle = PTHREAD_COND_INITIALIZER,
		/* Recursive: a preflight is a run, and may load the network backend. */
		.preflight = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
		.state = kind == SESSION_ONE_SHOT ? SESSION_READY : SESSION_NEW,
	};
	r = prepare(session, request, kind, err);
	if (r < 0)
		session_close(session, NULL);
	return r;
}

/* ---- grant ---- */

/* The backend is loaded by the first run that gets the network. */
static int need_network(struct session *session, struct error *err)
{
	int r = 0;

	pthread_mutex_lock(&session->preflight);
	if (!session->sandbox.backends[SLOT_NETWORK]) {
		r = load(session, SLOT_NETWORK, err);
		if (r == 0)
			r = network_probe(session->sandbox.backends[SLOT_NETWORK],
					  &session->sandbox.identity, err);
		if (r < 0) {
			registry_unref(session->sandbox.backends[SLOT_NETWORK]);
			session->sandbox.backends[SLOT_NETWORK] = NULL;
		}
	}
	pthread_mutex_unlock(&session->preflight);
	return r;
}

static int grant_network(struct session *session, struct grant *grant, struct error *err)
{
	int r = need_network(session, err);

	if (r < 0)
		return r;
	grant->network = session->sandbox.backends[SLOT_NETWORK];
	return network_files(grant->network, &grant->files, &grant->n_files, err);
}

int session_grant(struct session *session, const struct request *request,
		  struct grant *ret_grant, struct error *err)
{
	struct grant grant = GRANT_NONE;
	bool network;
	int r = grant_check(session->sandbox.policy, session->sandbox.profile, request,
			    &grant.timeout_ms, &network, err);

	if (r == 0 && network)
		r = grant_network(session, &grant, err);
	if (r == 0)
		r = grant_gather(session->sandbox.policy, session->sandbox.profile,
				 request, &grant, err);
	if (r < 0)
		grant_free(&grant);
	else
		*ret_grant = grant;
	return r;
}

/* ---- state ---- */

enum session_state session_state(struct session *session)
{
	enum session_state state;

	pthread_mutex_lock(&session->lock);
	state = session->state;
	pthread_mutex_unlock(&session->lock);
	return state;
}

static void set_state(struct session *session, enum session_state state,
		      const struct error *reason)
{
	pthread_mutex_lock(&session->lock);
	if (session->state < state) {
		session->state = state;
		if (reason)
			session->reason = *reason;
	}
	pthread_mutex_unlock(&session->lock);
}

/* Only the first reason counts. */
static void poison(struct session *session, pid_t survivor)
{
	struct error reason = { 0 };

	error_set(&reason, ERROR_POISONED, ETIME,
		  "the death of process %d of an earlier command could not be confirmed",
		  survivor);
	error_hint(&reason,
		   "look for processes in uninterruptible sleep; this session takes no "
		   "further command");
	set_state(session, SESSION_POISONED, &reason);
}

void session_execute(struct session *session, const struct grant *grant,
		     const struct request *request, const struct run_io *io,
		     struct result *result)
{
	run_execute(&session->sandbox, grant, request, io, result);
	if (result->survivor)
		poison(session, result->survivor);
}

/* 0 when READY, -EAGAIN when NEW, else -EPERM and the reason. */
static int judge_state(struct session *session, struct error *err)
{
	int r = 0;

	pthread_mutex_lock(&session->lock);
	if (session->state == SESSION_NEW)
		r = -EAGAIN;
	else if (session->state != SESSION_READY)
		r = -EPERM;
	if (r == -EPERM && err)
		*err = session->reason;
	pthread_mutex_unlock(&session->lock);
	return r;
}

int session_preflight(struct session *session, const int *cancel, struct error *err)
{
	struct error reason = { 0 };
	int r = judge_state(session, err);

	if (r != -EAGAIN)
		return r;
	pthread_mutex_lock(&session->preflight);
	r = judge_state(session, err);
	if (r == -EAGAIN) {
		r = preflight_session(session, ASK_NO, cancel, &reason);
		if (r == -ECANCELED) {
			*err = reason;
		} else {
			set_state(session, r < 0 ? SESSION_REFUSED : SESSION_READY,
				  &reason);
			r = judge_state(session, err);
		}
	}
	pthread_mutex_unlock(&session->preflight);
	return r;
}

/* Let a trivial command fail first, not the user's. */
static int preflight_network(struct session *session, const int *cancel,
			     struct error *err)
{
	struct error reason = { 0 };
	int r = 0;

	if (session->sandbox.one_shot)
		return 0;
	pthread_mutex_lock(&session->preflight);
	if (!session->network_ready && !session->network_reason.code) {
		r = preflight_session(session, ASK_YES, cancel, &reason);
		session->network_ready = r == 0;
		if (r < 0 && r != -ECANCELED)
			session->network_reason = reason;
	}
	if (r == -ECANCELED) {
		*err = reason;
	} else if (!session->network_ready) {
		*err = session->network_reason;
		r = -EPERM;
	}
	pthread_mutex_unlock(&session->preflight);
	return r;
}

/* ---- runs ---- */

void session_enter(struct session *session)
{
	pthread_mutex_lock(&session->lock);
	session->running++;
	pthread_mutex_unlock(&session->lock);
}

void session_leave(struct session *session)
{
	pthread_mutex_lock(&session->lock);
	session->running--;
	pthread_cond_broadcast(&session->idle);
	pthread_mutex_unlock(&session->lock);
}

/* Count this run first: from then on a close waits for it. */
static int enter(struct session *session, const int *cancel, struct error *err)
{
	int r;

	session_enter(session);
	r = session_preflight(session, cancel, err);
	if (r < 0)
		session_leave(session);
	return r;
}

/* A refused run may be repeated, say with the user's consent; one that starts is the only
 * one. */
static int use_up(struct session *session, struct error *err)
{
	int r = 0;

	if (!session->sandbox.one_shot)
		return 0;
	pthread_mutex_lock(&session->lock);
	if (session->state == SESSION_READY) {
		session->state = SESSION_CLOSED;
		error_set(&session->reason, ERROR_CLOSED, 0,
			  "a one-shot session takes one command");
	} else {
		*err = session->reason;
		r = -EPERM;
	}
	pthread_mutex_unlock(&session->lock);
	return r;
}

void session_run(struct session *session, const struct request *request,
		 const struct run_io *io, struct result *result)
{
	struct error *refusal = &result->refusal;
	struct grant grant = GRANT_NONE;
	int r;

	result_init(result);
	result->has_text = io->capture;
	result->streams[0].utf8 = result->streams[1].utf8 = true;
	r = enter(session, io->cancel, refusal);
	if (r == -ECANCELED)
		result->status = RUN_CANCELLED;
	if (r < 0)
		return;
	r = session_grant(session, request, &grant, refusal);
	if (r == 0 && grant.network)
		r = preflight_network(session, io->cancel, refusal);
	if (r == 0)
		r = use_up(session, refusal);
	if (r == -ECANCELED)
		result->status = RUN_CANCELLED;
	if (r == 0)
		session_execute(session, &grant, request, io, result);
	grant_free(&grant);
	session_leave(session);
}

/* ---- close ---- */

static void end_runs(struct session *session)
{
	struct error reason = { 0 };

	error_set(&reason, ERROR_CLOSED, 0, "the session is being closed");
	set_state(session, SESSION_CLOSED, &reason);
	if (session->closing >= 0)
		(void)!eventfd_write(session->closing, 1);
	pthread_mutex_lock(&session->lock);
	while (session->running > 0)
		pthread_cond_wait(&session->idle, &session->lock);
	pthread_mutex_unlock(&session->lock);
}

int session_close(struct session *session, struct error *err)
{
	int r;

	end_runs(session);
	keeper_stop(&session->keeper);
	r = private_tmp_remove(&session->sandbox.tmp, err);
	view_free(&session->sandbox.view);
	for (size_t i = 0; i < N_SLOTS; i++)
		registry_unref(session->sandbox.backends[i]);
	identity_free(&session->sandbox.identity);
	close_fd(&session->closing);
	pthread_mutex_destroy(&session->preflight);
	pthread_mutex_destroy(&session->lock);
	pthread_cond_destroy(&session->idle);
	return r;
}
