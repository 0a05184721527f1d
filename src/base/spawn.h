/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The executor's only fork and exec (the guard has one of its own). */
#ifndef DRUPE_SPAWN_H
#define DRUPE_SPAWN_H

#include <sys/resource.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/identity.h"

struct spawn {
	char *const *argv; /* argv[0] is the absolute path to execute */
	char *const *envp;
	int stdio[3];	    /* what becomes 0, 1, 2; each above 2 */
	const int *inherit; /* further descriptors to pass on, under the same numbers */
	size_t n_inherit;
	const struct rlimit *nofile; /* its RLIMIT_NOFILE; NULL: ours */
	bool lives_on; /* not killed when we die: it learns that from a descriptor */
	const struct identity *identity; /* to switch to if `drop`; NULL: ours */
	bool keeps_ids; /* set only the groups: the program sets the rest itself */
};

/*
 * Start a process: signals at their defaults and unblocked, umask 022, working
 * directory /, killed when the calling thread dies (until it opts out), and with
 * exactly the descriptors listed.  When 0 is returned the program was executed; execve
 * errors are reported here.  *ret_pidfd is close-on-exec; pass it to reap().  RET_PID
 * may be NULL.
 */
int spawn_process(const struct spawn *spawn, pid_t *ret_pid, int *ret_pidfd,
		  struct error *err);

#endif
