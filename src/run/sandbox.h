/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What all runs of a session share.  A run only reads it, but the first of a one-shot
 * session adopts the tmp that its guard made. */
#ifndef DRUPE_SANDBOX_H
#define DRUPE_SANDBOX_H

#include <stdatomic.h>
#include <sys/resource.h>

#include "backend/registry.h"
#include "base/identity.h"
#include "base/paths.h"
#include "policy/policy.h"
#include "view/private-tmp.h"
#include "view/view.h"

struct sandbox {
	const struct paths *paths;
	const struct policy *policy;
	const struct profile *profile;
	struct identity identity;
	/* NULL: none.  The network's is loaded by the first run that gets it. */
	struct backend *backends[N_SLOTS];
	struct view view;
	struct private_tmp tmp;
	bool one_shot; /* for one command, whose guard makes and keeps the tmp */
	const struct rlimit *nofile; /* what commands start with; NULL: our own */
	atomic_llong block_ns; /* roughly, from a launcher's report to its block point */
};

#endif
