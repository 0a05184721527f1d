/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The options of a policy against the tables of backends that no run has loaded yet.  A
 * backend that is missing or unfit is no fault of the options: the run that needs it is
 * refused for that.
 */
#ifndef DRUPE_OPTION_CHECK_H
#define DRUPE_OPTION_CHECK_H

#include "base/error.h"
#include "policy/policy.h"

/* Add to FINDINGS all that is wrong with the options of the backends that DRAFT names,
 * in the folder DIR, a const char *: a policy_look of policy_check.  0 or -errno. */
int option_check_all(const struct policy *draft, struct findings *findings,
		     const void *dir);

/* Refuse bad options of the backend of SLOT (option-invalid), also for a run that does
 * without it.  Nothing is loaded where the policy sets none. */
int option_check_slot(const char *dir, enum slot slot, const struct policy *policy,
		      struct error *err);

#endif
