/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Check the options of a policy against the tables of backends that no run has loaded
 * yet.  A missing or unusable backend is not an error here: the run that needs it is
 * refused.
 */
#ifndef DRUPE_OPTION_CHECK_H
#define DRUPE_OPTION_CHECK_H

#include "base/error.h"
#include "policy/policy.h"

/*
 * Add to FINDINGS all errors in the options of the backends that DRAFT names.  A
 * policy_look for policy_check; DIR is the folder of the backends (const char *).  0 or
 * -errno.
 */
int option_check_all(const struct policy *draft, struct findings *findings,
		     const void *dir);

/* Refuse bad options of the backend of SLOT (option-invalid), even for a run that does
 * not use it.  Nothing is loaded if the policy sets none. */
int option_check_slot(const char *dir, enum slot slot, const struct policy *policy,
		      struct error *err);

#endif
