/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a policy must fulfil as a whole: rules of more than one key. */
#ifndef DRUPE_POLICY_RULES_H
#define DRUPE_POLICY_RULES_H

#include "policy/sink.h"

/* Report what the policy, all of it read, lacks or contradicts itself in. */
void policy_rules_check(struct policy_sink *sink);

#endif
