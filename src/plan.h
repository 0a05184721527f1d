/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * policy + profile + request + view of the host -> what the command will see:
 * one ordered list of mounts, one of variables, one of limits.  Pure.
 */
#ifndef DRUPE_PLAN_H
#define DRUPE_PLAN_H

#include "drupe-backend.h"
#include "policy.h"
#include "request.h"
#include "view.h"

#define PLAN_MAX_ENV 256

/* What stands beside a mount and is not the launcher's business. */
struct mount_source {
	const struct place *place; /* NULL: none; else what must be seen at dest */
	const char *data;	   /* content of a DRUPE_MOUNT_DATA */
	bool writable;		   /* the command may write there */
};

struct plan {
	struct drupe_mount *mounts;
	struct mount_source *sources; /* beside mounts */
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
	bool network;
	uint64_t timeout_ms;
};

/*
 * What the profile grants against what the request asks (R12): profile, timeout,
 * network.  ERR: not-granted, network-denied, profile-unknown.  -EAGAIN with
 * network-denied: it would be granted if it was confirmed (mode: ask).
 */
int plan_grant(const struct policy *policy, const struct request *request,
	       const struct profile **ret_profile, uint64_t *ret_timeout_ms,
	       bool *ret_network, struct error *err);

/*
 * TMP: the private tmp, or a placeholder; NULL where the profile has a fresh one
 * per command.  The plan points into the other arguments: they must outlive it.
 */
int plan_make(const struct policy *policy, const struct profile *profile,
	      const struct view *view, const struct place *tmp, struct plan *ret_plan,
	      struct error *err);
void plan_free(struct plan *plan);

#endif
