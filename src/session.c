/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session.h"

#include <errno.h>
#include <string.h>

/* `none` is a name that a policy may write for scope and network: an empty slot. */
static int load(struct session *session, enum slot slot, struct error *err)
{
	const char *name = session->policy->backends[slot];

	if (strcmp(name, "none") != 0)
		return registry_load(session->paths->backends, slot, name,
				     session->policy, session->identity.uid,
				     &session->backends[slot], err);
	if (slot != SLOT_NETWORK)
		return 0;
	error_set(err, ERROR_NETWORK_UNAVAILABLE, ENOTSUP,
		  "the run gets the network, and the policy says `network: none`");
	error_hint(err, "name a network backend in the policy, or leave --network out");
	return -ENOTSUP;
}

int session_open(const struct policy *policy, const struct request *request,
		 const struct paths *paths, struct session *ret_session,
		 struct error *err)
{
	struct session session = {
		.paths = paths,
		.policy = policy,
		.tmp = PRIVATE_TMP_NONE,
		.view.workspace.place.fd = -1,
		.view.ca.place.fd = -1,
	};
	int r;

	r = plan_grant(policy, request, &session.profile, &session.timeout_ms,
		       &session.network, err);
	if (r == 0)
		r = identity_resolve(request->user, policy->user, &session.identity, err);
	for (size_t i = 0; r == 0 && i < N_SLOTS; i++)
		if (i != SLOT_NETWORK || session.network)
			r = load(&session, (enum slot)i, err);
	if (r == 0 && session.network)
		r = network_probe(session.backends[SLOT_NETWORK], &session.identity, err);
	if (r == 0)
		r = view_gather(policy, session.profile, request, &session.identity,
				session.backends[SLOT_NETWORK], &session.view, err);
	if (r < 0) {
		session_close(&session, NULL);
		return r;
	}
	*ret_session = session;
	return 0;
}

int session_choose_tmp(struct session *session, struct error *err)
{
	if (session->profile->ephemeral_tmp)
		return 0;
	return private_tmp_choose(session->policy->tmp_root, &session->identity,
				  &session->tmp, err);
}

int session_close(struct session *session, struct error *err)
{
	int r = private_tmp_remove(&session->tmp, err);

	view_free(&session->view);
	for (size_t i = 0; i < N_SLOTS; i++)
		registry_unref(session->backends[i]);
	identity_free(&session->identity);
	return r;
}
