/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a run ended: the structured result and the exit status (design: drupe(1)). */
#ifndef DRUPE_RESULT_H
#define DRUPE_RESULT_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/json.h"
#include "policy/policy.h"
#include "run/capture.h"
#include "scope/usage.h"

enum run_status {
	RUN_REFUSED, /* the command never ran */
	RUN_EXITED,
	RUN_SIGNALED,
	RUN_TIMED_OUT,
	RUN_CANCELLED,
	RUN_OUT_OF_MEMORY,
};

/* Exit statuses of `drupe run` that are not the command's own. */
#define EXIT_TIMEOUT 124
#define EXIT_REFUSED 125
#define EXIT_SIGNAL 128 /* + N */
#define EXIT_PIPE 141	/* 128 + SIGPIPE: whoever reads our output went away */

struct result {
	enum run_status status;
	int exit_code;	/* -1: none */
	int signal;	/* 0: none proved; the command was ended by it, or the caller that
			   cancelled */
	int sink_errno; /* our own output could not be written: why the run was cancelled
			 */
	struct error refusal;
	bool has_text;		    /* the streams were captured */
	struct captured streams[2]; /* stdout, stderr; counts even when passed through */
	double wall_seconds;
	struct usage usage;
	const char *network; /* the backend; NULL: none. The policy's string */
	pid_t survivor;	     /* 0, or a process whose death could not be confirmed */
	bool scope_left;     /* its cgroup is still there, though nobody is in it */
	bool network_failed; /* its helper ended while the command ran */
	char scope[256];     /* unit, or "" */
};

void result_init(struct result *result);
void result_free(struct result *result);

/* What drupe exits with. */
int result_exit_status(const struct result *result);

/* The result object.  POLICY, PROFILE and COMMAND may be NULL where a run was
 * refused before they were known.  NULL: no memory. */
json_t *result_json(const struct result *result, const struct policy *policy,
		    const char *profile, char *const *command);

#endif
