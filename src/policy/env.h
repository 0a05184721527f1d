/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The variables that a policy may not set. */
#ifndef DRUPE_POLICY_ENV_H
#define DRUPE_POLICY_ENV_H

/* Why NAME cannot be a variable in `env` ("is set by drupe; …"), or NULL. */
const char *policy_env_fault(const char *name);

#endif
