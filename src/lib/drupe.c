/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The public interface: opaque handles around policy, session and run. */
#include "drupe.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/fd.h"
#include "lib/private.h"
#include "policy/open.h"

const char *drupe_version(void)
{
	return PACKAGE_VERSION;
}

/* ---- errors ---- */

/* Without memory for the error the caller still has the return value. */
static int refused(int r, const struct error *err, drupe_error **ret_error)
{
	drupe_error *error = ret_error ? malloc(sizeof(*error)) : NULL;

	if (error) {
		error->error = *err;
		*ret_error = error;
	}
	return r;
}

const char *drupe_error_stage(const drupe_error *error)
{
	return stage_name(error_stage(error->error.code));
}

const char *drupe_error_backend(const drupe_error *error)
{
	return error->error.backend[0] ? error->error.backend : NULL;
}

const char *drupe_error_code(const drupe_error *error)
{
	return error_code_word(error->error.code);
}

const char *drupe_error_message(const drupe_error *error)
{
	return error->error.message;
}

const char *drupe_error_hint(const drupe_error *error)
{
	return error->error.hint[0] ? error->error.hint : NULL;
}

int drupe_error_errno(const drupe_error *error)
{
	return error->error.errnum;
}

void drupe_error_free(drupe_error *error)
{
	free(error);
}

/* ---- policies ---- */

int drupe_policy_open(const char *name_or_file, drupe_policy **ret_policy,
		      drupe_error **ret_error)
{
	_cleanup_findings_ struct findings findings = { 0 };
	drupe_policy *policy = calloc(1, sizeof(*policy));
	struct error err = { 0 };
	int r;

	if (!policy)
		return -ENOMEM;
	atomic_init(&policy->references, 1);
	paths_resolve(&policy->paths);
	r = policy_open(name_or_file, policy->paths.policies, &policy->policy, &findings,
			&err);
	if (r < 0) {
		free(policy);
		return refused(r, &err, ret_error);
	}
	*ret_policy = policy;
	return 0;
}

const char *drupe_policy_source(const drupe_policy *policy)
{
	return policy->policy->source;
}

drupe_policy *policy_keep(const drupe_policy *policy)
{
	drupe_policy *kept = (drupe_policy *)(uintptr_t)policy;

	atomic_fetch_add(&kept->references, 1);
	return kept;
}

void drupe_policy_free(drupe_policy *policy)
{
	if (!policy || atomic_fetch_sub(&policy->references, 1) > 1)
		return;
	policy_free(policy->policy);
	free(policy);
}

/* ---- SIGPIPE ---- */

bool sigpipe_block(sigset_t *ret_before)
{
	sigset_t pipe, pending;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &pipe, ret_before);
	return sigismember(&pending, SIGPIPE) == 1;
}

void sigpipe_restore(const sigset_t *before, bool was_pending)
{
	const struct timespec now = { 0 };
	sigset_t pipe;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	while (!was_pending && sigtimedwait(&pipe, NULL, &now) > 0)
		;
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* ---- sessions ---- */

int options_take(void *to, size_t size, const void *from)
{
	size_t given = from ? *(const size_t *)from : 0;

	memset(to, 0, size);
	if (!from)
		return 0;
	if (given < sizeof(size_t))
		return -EINVAL;
	/* An option of a later version must not be ignored: it may restrict. */
	for (size_t i = size; i < given; i++)
		if (((const char *)from)[i])
			return -E2BIG;
	memcpy(to, from, given < size ? given : size);
	return 0;
}

static int use_backend_dir(drupe_session *session, const char *dir, struct error *err)
{
	_cleanup_free_ char *whole = realpath(dir, NULL);
	size_t length = whole ? strlen(whole) : 0;

	if (whole && length < sizeof(session->paths.backends)) {
		memcpy(session->paths.backends, whole, length + 1);
		return 0;
	}
	if (whole)
		errno = ENAMETOOLONG;
	error_set(err, ERROR_BACKEND_MISSING, errno, "the folder of backends \"%s\": %s",
		  dir, strerror(errno));
	error_hint(err, "name an existing folder");
	return -ENOENT;
}

static int open_session(drupe_session *session,
			const struct drupe_session_options *options, struct error *err)
{
	const struct request request = {
		.profile = options->profile,
		.workspace = options->workspace,
		.user = options->user,
		.read_only = options->read_only,
		.single_root = options->single_root,
	};

	if (options->backend_dir) {
		int r = use_backend_dir(session, options->backend_dir, err);

		if (r < 0)
			return r;
	}
	return session_open(session->policy->policy, &request, &session->paths,
			    options->one_shot ? SESSION_ONE_SHOT : SESSION_LASTING,
			    &session->session, err);
}

int drupe_session_open(const drupe_policy *policy,
		       const struct drupe_session_options *options,
		       drupe_session **ret_session, drupe_error **ret_error)
{
	struct drupe_session_options taken;
	drupe_session *session;
	struct error err = { 0 };
	int r = options_take(&taken, sizeof(taken), options);

	if (r < 0)
		return r;
	session = calloc(1, sizeof(*session));
	if (!session)
		return -ENOMEM;
	session->policy = policy_keep(policy);
	session->paths = policy->paths;
	r = open_session(session, &taken, &err);
	if (r < 0) {
		drupe_policy_free(session->policy);
		free(session);
		return refused(r, &err, ret_error);
	}
	*ret_session = session;
	return 0;
}

int drupe_session_preflight(drupe_session *session, drupe_error **ret_error)
{
	struct error err = { 0 };
	sigset_t before;
	bool pending = sigpipe_block(&before);
	int r = session_preflight(&session->session, NULL, &err);

	sigpipe_restore(&before, pending);
	return r < 0 ? refused(r, &err, ret_error) : 0;
}

enum drupe_state drupe_session_state(drupe_session *session)
{
	switch (session_state(&session->session)) {
	case SESSION_NEW:
		return DRUPE_STATE_NEW;
	case SESSION_READY:
		return DRUPE_STATE_READY;
	case SESSION_REFUSED:
		return DRUPE_STATE_REFUSED;
	case SESSION_POISONED:
		return DRUPE_STATE_POISONED;
	case SESSION_CLOSED:
		break;
	}
	return DRUPE_STATE_CLOSED;
}

int drupe_session_close(drupe_session *session, drupe_error **ret_error)
{
	struct error err = { 0 };
	int r;

	if (!session)
		return 0;
	r = session_close(&session->session, &err);
	drupe_policy_free(session->policy);
	free(session);
	return r < 0 ? refused(r, &err, ret_error) : 0;
}
