/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The commands of drupe: each takes its options and returns the exit status. */
#ifndef DRUPE_COMMANDS_H
#define DRUPE_COMMANDS_H

#include <jansson.h>

#include "options.h"
#include "policy.h"
#include "session.h"

#define EXIT_GOOD 0
#define EXIT_FINDINGS 1
#define EXIT_MISUSE 2

int cmd_run(const struct options *options);
int cmd_plan(const struct options *options);
int cmd_preflight(const struct options *options);

/* Who confirms the network where the policy says `mode: ask`. */
struct confirmation {
	bool given; /* nothing that a person would have to be asked for is run */
	int cancel; /* else a terminal is asked, until this is readable (-1: never) */
};

/* What these three begin with: policy, then session (closed by the caller on
 * success).  *ret_policy is set as soon as the policy is there, also on failure. */
int command_open(const struct options *options, const struct confirmation *confirmation,
		 struct policy **ret_policy, struct session *ret_session,
		 struct error *err);

/* Print a JSON object as one line on stdout, and release it; 0 or -errno. */
int print_json(json_t *json);

#endif
