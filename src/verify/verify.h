/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is read from the kernel about the held child before its release (R4).
 * Functions only look; a refusal names the wrong fact.
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
 * Called as soon as the launcher has reported its child: pin the network
 * namespace, compare it with the report, derive its owner, check both types, then
 * open the pidfd.  Anything done earlier widens a race (see README).
 */
int verify_pin(const struct drupe_child *report, const struct identity *identity,
	       struct held *ret_held, struct error *err);

/* The child is a child of the launcher, and the launcher one of the guard. */
int verify_ancestry(struct held *held, pid_t guard, struct error *err);

/* Whether the child has reached the block point: 1 yes, 0 not yet, or -errno.  GATE: the
 * number of the descriptor it must read from.  THOROUGH: also check whether it has passed
 * that point, which costs more. */
int verify_at_block_point(const struct held *held, int gate, bool thorough,
			  struct error *err);

/* The gate's pipe, and the numbers of its ends in the launcher. */
struct verify_gate {
	struct stat st;
	int read, write;
};

/* What the child is compared with at the block point. */
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
