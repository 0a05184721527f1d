/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rules that involve more than one key. */
#ifndef DRUPE_POLICY_RULES_H
#define DRUPE_POLICY_RULES_H

#include "policy/sink.h"

/* Report what a completely read policy lacks, and where it contradicts itself. */
void policy_rules_check(struct policy_sink *sink);

#endif
