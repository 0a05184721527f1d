/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The objects behind the handles of drupe.h. */
#ifndef DRUPE_PRIVATE_H
#define DRUPE_PRIVATE_H

#include <signal.h>
#include <stdatomic.h>

#include "base/error.h"
#include "base/paths.h"
#include "drupe.h"
#include "policy/policy.h"
#include "run/result.h"
#include "session/session.h"

struct drupe_error {
	struct error error;
};

struct drupe_policy {
	atomic_uint references;
	struct policy *policy;
	struct paths paths;
};

struct drupe_session {
	struct session session;
	struct paths paths; /* the policy's, or with another folder of backends */
	drupe_policy *policy;
};

struct drupe_result {
	struct result result;
	drupe_policy *policy; /* the result points into it */
	const char *profile;  /* the policy's */
	char **command;
};

/* A reference for a session or a result; drop it with drupe_policy_free. */
drupe_policy *policy_keep(const drupe_policy *policy);

/* Writing to a pipe without a reader must not kill the caller: block SIGPIPE in this
 * thread, then discard one that our writes raised. */
bool sigpipe_block(sigset_t *ret_before);
void sigpipe_restore(const sigset_t *before, bool was_pending);

/* Fill TO (SIZE bytes) from a structure of options that begins with its own size, which
 * may be shorter or longer; FROM NULL: all zero.  0, -EINVAL, or -E2BIG. */
int options_take(void *to, size_t size, const void *from);

#endif
