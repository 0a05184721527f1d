/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sections of the policy at hand: where each is kept, and those that an admin
 * names. */
#ifndef DRUPE_POLICY_PLACE_H
#define DRUPE_POLICY_PLACE_H

#include "policy/sink.h"

/* The policy or profile that PLACE is of; what the file said of a key in it. */
void *policy_place_base(const struct policy_sink *sink, struct policy_place place);
struct policy_seen *policy_place_seen(struct policy_sink *sink, struct policy_place place,
				      const struct policy_key *key);

/* Find or make the profile, or the options of the backend, of that name. */
bool policy_place_named(struct policy_sink *sink, enum policy_section section,
			const char *name, struct location where, size_t *ret_index);
/* The section at PLACE begins here.  SHOWN is how the file writes it. */
void policy_place_open(struct policy_sink *sink, struct policy_place place,
		       const char *shown, struct location where);
/* The section that ENTRY, whose value is a mapping, stands for; opens it. */
bool policy_place_enter(struct policy_sink *sink, const struct policy_entry *entry,
			struct policy_place *ret_place);

#endif
