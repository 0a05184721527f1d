/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What lasts longer than one command: policy, user, backends, places, private tmp,
 * and the state in which no further command is taken.
 */
#ifndef DRUPE_SESSION_H
#define DRUPE_SESSION_H

#include "identity.h"
#include "paths.h"
#include "plan.h"
#include "policy.h"
#include "private-tmp.h"
#include "registry.h"
#include "request.h"
#include "view.h"

struct session {
	const struct paths *paths;
	const struct policy *policy;
	const struct profile *profile;
	struct identity identity;
	struct backend *backends[N_SLOTS]; /* NULL: none */
	struct view view;
	struct private_tmp tmp;
	uint64_t timeout_ms;
	bool network;
	struct error poison; /* code set: a child's death could not be confirmed (R10) */
};

/*
 * Grant, resolve the user, load the backends that this run needs, look at the
 * places.  Nothing on the host is changed: `drupe plan` stops here.
 */
int session_open(const struct policy *policy, const struct request *request,
		 const struct paths *paths, struct session *ret_session,
		 struct error *err);

/* Prepare the private tmp, unless the profile has a fresh one for each command. */
int session_choose_tmp(struct session *session, struct error *err);

/* Remove the tmp and give everything back.  An error is one of the removal. */
int session_close(struct session *session, struct error *err);

#endif
