/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Connectivity for a held command: a helper attached to the pinned handles (R6).
 *
 *   session   network_probe       whether the helper has the options; once
 *             network_files       the files it needs below /etc
 *   run       network_join        right after the pin: a process in the namespaces
 *             network_start       at the block point: the helper
 *             network_deny        once the helper is ready: the denied routes
 *             network_stop        in the teardown
 *
 * Only network_stop waits for the two processes; otherwise run/attach.c does, and
 * watches the rest of the run meanwhile.
 */
#ifndef DRUPE_NETWORK_H
#define DRUPE_NETWORK_H

#include <stdint.h>

#include "backend/registry.h"
#include "base/argv.h"
#include "base/identity.h"
#include "policy/policy.h"
#include "view/grant.h"

#define NETWORK_TEXT 768 /* fits in an error message */

/* The two processes of one run. */
struct network {
	const struct backend *backend; /* NULL: no network was granted */
	const struct identity *identity;
	int netns, userns; /* the pinned handles, owned by the run */
	pid_t joiner;
	int joiner_pidfd;
	int joiner_control;
	int helper_pidfd;
	int ready;		 /* where the helper says that it is ready */
	int exit;		 /* closing it tells the helper to end */
	int output;		 /* what it prints */
	char text[NETWORK_TEXT]; /* the tail of it */
	char answer[8];		 /* what it said on `ready` */
	size_t n_answer;
	bool failed; /* the helper ended while the command ran */
};

#define NETWORK_NONE                                                                 \
	{                                                                            \
		.netns = -1, .userns = -1, .joiner_pidfd = -1, .joiner_control = -1, \
		.helper_pidfd = -1, .ready = -1, .exit = -1, .output = -1            \
	}

/* Run the tool's probe and look in its output for what the backend needs. */
int network_probe(const struct backend *backend, const struct identity *identity,
		  struct error *err);

/* Free them with resolver_files_free. */
int network_files(const struct backend *backend, struct resolver_file **ret_files,
		  size_t *ret_count, struct error *err);

/* Start drupe-netns from PROGRAM; it will deny what DENY lists. */
int network_join(struct network *network, const char *program, const struct strings *deny,
		 struct error *err);

/* Read what drupe-netns said on joiner_control: 1 EVENT (enum netns_event), 0 something
 * else, or -errno: it failed. */
int network_joiner_said(struct network *network, uint32_t event, struct error *err);

int network_start(struct network *network, struct error *err);

/* Read what the helper said on `ready`: 1 ready, 0 not yet, or -errno: it never will
 * be. */
int network_helper_said(struct network *network, struct error *err);

/* Have drupe-netns install the denied routes; it answers NETNS_DENIED. */
int network_deny(struct network *network, struct error *err);

/* End drupe-netns: a helper that is ready needs nothing it holds. */
void network_end_joiner(struct network *network);

/* Whether the helper has ended. */
bool network_helper_is_gone(const struct network *network);

/* Fill ERR with why a process of the network failed: WHAT, and for the helper also what
 * it printed. */
int network_failed(const struct network *network, int errnum, const char *what,
		   struct error *err);
int network_helper_failed(struct network *network, const char *what, struct error *err);

/* Read what the helper printed, so that it never blocks on us. */
void network_read_output(struct network *network);

void network_stop(struct network *network);

/* Append the entries of network_deny to WORDS as ADDRESS/LENGTH, each after PREFIX;
 * `host` is every address of this network namespace but the loopback. */
void network_deny_words(const struct strings *deny, const char *prefix,
			struct drupe_words *words);

#endif
