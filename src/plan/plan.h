/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * policy + profile + view of the host + grant of the run -> what the command will see:
 * one ordered list of mounts, one of variables, one of limits.  Pure.
 */
#ifndef DRUPE_PLAN_H
#define DRUPE_PLAN_H

#include "drupe-backend.h"
#include "policy/policy.h"
#include "view/grant.h"
#include "view/view.h"

#define PLAN_MAX_ENV 256

/* What belongs to a mount but does not concern the launcher. */
struct mount_source {
	const struct place *place; /* NULL: none; else what must be seen at dest */
	const char *data;	   /* content of a DRUPE_MOUNT_DATA */
	bool writable;		   /* the command may write there */
};

struct plan {
	struct drupe_mount *mounts;
	struct mount_source *sources; /* parallel to mounts */
	size_t n_mounts;
	const char *env_names[PLAN_MAX_ENV + 1]; /* NULL-terminated */
	const char *env_values[PLAN_MAX_ENV + 1];
	size_t n_env;
	struct drupe_rlimit limits[N_RLIMITS];
	size_t n_limits;
	struct drupe_cgroup_limit cgroup[N_CGROUP];
	size_t n_cgroup;
	const char *chdir;
	bool nested_userns;
	uint64_t timeout_ms;
};

/*
 * TMP: the private tmp, or a placeholder; NULL if the profile has a fresh one per
 * command.  The plan points into the other arguments: they must outlive it.
 */
int plan_make(const struct policy *policy, const struct profile *profile,
	      const struct view *view, const struct grant *grant, const struct place *tmp,
	      struct plan *ret_plan, struct error *err);
void plan_free(struct plan *plan);

#endif
