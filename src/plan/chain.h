/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command line of a run, in its one order (R1).  This code does not spawn:
 * descriptors, paths and names are words here, real ones for a run and placeholders for
 * a plan.
 */
#ifndef DRUPE_CHAIN_H
#define DRUPE_CHAIN_H

#include "backend/registry.h"
#include "base/argv.h"
#include "plan/plan.h"

enum segment {
	SEGMENT_SCOPE,
	SEGMENT_GUARD, /* the executor's own part, not a layer */
	SEGMENT_LAUNCHER,
	SEGMENT_RLIMITS,
	SEGMENT_COMMAND,
	N_SEGMENTS
};

extern const char *const segment_names[N_SEGMENTS];

/* The words that differ between a run and a plan. */
struct chain_words {
	const char *guard; /* path of drupe-guard */
	const char *control_fd, *info_fd, *status_fd, *block_fd, *sync_fd;
	const char *keep; /* comma-separated descriptors for the launcher */
	bool leave;	  /* the guard exits as soon as nothing is left */
	const char *tmp;  /* what the guard removes if the executor is killed, or NULL */
	const char *make_tmp; /* the descriptor number for it, when the guard makes it */
	const char *cgroup;   /* the scope, if it is a folder of ours, or NULL */
	const char *cgroup_procs; /* the descriptor to enter it by */
};

struct chain_input {
	struct backend *const *backends; /* N_SLOTS, NULL: none */
	const struct plan *plan;
	const struct drupe_scope *scope; /* NULL: none */
	const struct chain_words *words;
	char *const *command;
};

struct chain {
	struct drupe_words segments[N_SEGMENTS];
};

/* Whether this launcher binds by descriptor: only then may a mount name one. */
bool chain_binds_by_fd(const struct backend *launcher);

int chain_build(const struct chain_input *input, struct chain *ret_chain,
		struct error *err);

/* Copy all segments, in order, into WORDS. */
void chain_join(const struct chain *chain, struct drupe_words *words);

void chain_free(struct chain *chain);

#endif
