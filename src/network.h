/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Connectivity for a held command: a helper attached to the pinned handles (R6).
 *
 *   session   network_probe       does the helper know the options; once
 *             network_files       what it wants below /etc
 *   run       network_join        at once after the pin: a process in the namespaces
 *             network_attach      at the block point: helper, ready, denied routes
 *             network_stop        in the teardown
 */
#ifndef DRUPE_NETWORK_H
#define DRUPE_NETWORK_H

#include "argv.h"
#include "identity.h"
#include "paths.h"
#include "policy.h"
#include "registry.h"

struct run;

#define NETWORK_TEXT 768 /* with it a message is not cut */

/* The two processes of one run. */
struct network {
	pid_t joiner;
	int joiner_pidfd;
	int joiner_control;
	int helper_pidfd;
	int ready;		 /* the helper tells here that it is ready */
	int exit;		 /* its closing asks the helper to end */
	int output;		 /* what it prints */
	char text[NETWORK_TEXT]; /* the last of that */
	bool failed;		 /* the helper ended while the command ran */
};

#define NETWORK_NONE                                 \
	{                                            \
		0, -1, -1, -1, -1, -1, -1, "", false \
	}

/* A file for the command's /etc, as the backend wants it. */
struct resolver_file {
	char *dest;
	char *text; /* NULL: the host's CA bundle */
};

/* Run the tool's probe and look for what the backend needs in it. */
int network_probe(const struct backend *backend, const struct identity *identity,
		  struct error *err);

int network_files(const struct backend *backend, struct resolver_file **ret_files,
		  size_t *ret_count, struct error *err);
void network_files_free(struct resolver_file *files, size_t count);

int network_join(struct run *run, struct error *err);
int network_attach(struct run *run, struct error *err);

/* Take what the helper printed, so that it never waits for us to. */
void network_read_output(struct network *network);

void network_stop(struct run *run);

/* The words of network_deny as ADDRESS/LENGTH; `host` is every address of this
 * network namespace but the loopback.  Appends to WORDS, each after PREFIX. */
void network_deny_words(const struct strings *deny, const char *prefix,
			struct drupe_words *words);

#endif
