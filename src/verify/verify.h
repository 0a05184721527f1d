/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is read from the kernel about the held child before it may go (R4).
 * Every function only looks; a refusal says which fact was not as it must be.
 */
#ifndef DRUPE_VERIFY_H
#define DRUPE_VERIFY_H

#include "backend/registry.h"
#include "base/identity.h"
#include "drupe-backend.h"
#include "plan/plan.h"

/* The namespace child and its handles. */
struct held {
	pid_t child;   /* init of the PID namespace */
	pid_t monitor; /* the launcher's outer process, its parent */
	int pidfd;     /* of the child */
	bool ours;     /* its ancestry was verified: only then may it be killed */
	int proc;      /* /proc/CHILD, opened once */
	int netns;     /* pinned network namespace */
	int userns;    /* the user namespace that owns it */
};

#define HELD_NONE                           \
	{                                   \
		0, 0, -1, false, -1, -1, -1 \
	}

/*
 * The very first thing once the launcher reported its child: pin the network
 * namespace, compare it with the report, derive its owner, check both types, then
 * open the pidfd.  Whatever is done before it widens a race (see README).
 */
int verify_pin(const struct drupe_child *report, const struct identity *identity,
	       struct held *ret_held, struct error *err);

/* The child is the launcher's, and the launcher is the guard's. */
int verify_ancestry(struct held *held, pid_t guard, struct error *err);

/* Whether the child has come to the block point: 1 yes, 0 not yet, or -errno.  GATE: the
 * number of the descriptor that it must read from.  THOROUGH: see also whether it has
 * passed it, which costs more. */
int verify_at_block_point(const struct held *held, int gate, bool thorough,
			  struct error *err);

/* The gate's pipe, and the numbers of its ends in the launcher. */
struct verify_gate {
	struct stat st;
	int read, write;
};

/* All that can be read at the block point. */
struct verify_input {
	const struct drupe_child *report;
	const struct identity *identity;
	const struct plan *plan;
	const struct backend *rlimits;
	struct verify_gate gate;
};
int verify_all(const struct held *held, const struct verify_input *input,
	       struct error *err);

void held_close(struct held *held);

#endif
