/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The least program that holds a command, attaches slirp4netns and lets it go: what
 * drupe is measured against, and the form by PID that it cannot be made to use.
 */
#ifndef BENCH_BARE_H
#define BENCH_BARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BARE_MAX_DATA 8

struct bare {
	char **launcher;	 /* its words, without the options of the gate and "--" */
	char **command;		 /* "--" and what follows */
	int data[BARE_MAX_DATA]; /* descriptors among its words */
	size_t n_data;
	char *guard, *joiner; /* drupe-guard and drupe-netns between, or NULL */
	char *helper;	      /* slirp4netns */
	bool by_pid;	   /* the helper gets the child's PID, not the pinned handles */
	bool wait;	   /* for the block point, before the helper is started */
	unsigned delay_ms; /* between the report and the helper's spawn */
};

/* True when the command ran with the network.  *ret_ns: from the launcher's spawn to the
 * release. */
bool bare_run(const struct bare *bare, int64_t *ret_ns);

#endif
