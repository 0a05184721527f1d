/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What one run of a session gets beyond the session's own view: time, network, reads. */
#ifndef DRUPE_GRANT_H
#define DRUPE_GRANT_H

#include "policy/policy.h"
#include "view/request.h"
#include "view/view.h"

struct backend;

/* A file for the command's /etc, requested by the network backend. */
struct resolver_file {
	char *dest;
	char *text; /* NULL: the host's CA bundle */
};

struct grant {
	uint64_t timeout_ms;
	const struct backend *network; /* NULL: none */
	struct resolver_file *files;   /* for /etc, of the network backend */
	size_t n_files;
	struct shown ca; /* the host's CA bundle, if one of `files` wants it */
	struct shown *reads;
	size_t n_reads;
};

#define GRANT_NONE                                      \
	{                                               \
		.timeout_ms = 0, .ca.place = PLACE_NONE \
	}

/*
 * Check what the request asks for against what the profile grants (R12): timeout and
 * network.  ERR: not-granted, network-denied.  -EAGAIN with network-denied: it would be
 * granted if confirmed (mode: ask).
 */
int grant_check(const struct policy *policy, const struct profile *profile,
		const struct request *request, uint64_t *ret_timeout_ms,
		bool *ret_network, struct error *err);

/* Open the reads of the request, and the CA bundle if one of GRANT's files wants it.
 * Changes nothing on the host. */
int grant_gather(const struct policy *policy, const struct profile *profile,
		 const struct request *request, struct grant *grant, struct error *err);
void grant_free(struct grant *grant);
void resolver_files_free(struct resolver_file *files, size_t count);

#endif
