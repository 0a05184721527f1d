/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an unknown key may have meant. */
#ifndef DRUPE_POLICY_SUGGEST_H
#define DRUPE_POLICY_SUGGEST_H

#include "policy/sections.h"

/* Suggestions for the unknown key NAME, as "; did you mean …", or "". */
void suggest_key(enum policy_section section, enum policy_format format, const char *name,
		 char *ret, size_t size);

/* Whether NAME asks for another order of the layers (R1), and the message about that. */
bool suggest_is_order(const char *name);
extern const char suggest_order_rule[];

#endif
