/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a run ended: the structured result and the exit status, see drupe(1). */
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
#define EXIT_PIPE 141	/* 128 + SIGPIPE: the reader of our output is gone */

struct result {
	enum run_status status;
	int exit_code;	/* -1: none */
	int signal;	/* ended the command, or made us cancel; 0: none proved */
	int sink_errno; /* our own output failed, which cancelled the run */
	struct error refusal;
	bool has_text;		    /* the streams were captured */
	struct captured streams[2]; /* stdout, stderr; counted even if passed through */
	double wall_seconds;
	struct usage usage;
	const char *network; /* the backend, a string of the policy's; NULL: none */
	pid_t survivor;	     /* 0, or a process whose death could not be confirmed */
	bool scope_left;     /* its cgroup is empty but was not removed */
	bool network_failed; /* its helper ended while the command ran */
	char scope[256];     /* unit, or "" */
};

void result_init(struct result *result);
void result_free(struct result *result);

/* What drupe exits with. */
int result_exit_status(const struct result *result);

/* The result object; NULL: out of memory.  POLICY, PROFILE and COMMAND may be NULL if the
 * run was refused before they were known. */
json_t *result_json(const struct result *result, const struct policy *policy,
		    const char *profile, char *const *command);

#endif
