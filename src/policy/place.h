/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sections of the policy being read: where each is stored, and those named by the
 * admin. */
#ifndef DRUPE_POLICY_PLACE_H
#define DRUPE_POLICY_PLACE_H

#include "policy/sink.h"

/* The policy or profile that contains PLACE; what the file said about a key in it. */
void *policy_place_base(const struct policy_sink *sink, struct policy_place place);
struct policy_seen *policy_place_seen(struct policy_sink *sink, struct policy_place place,
				      const struct policy_key *key);

/* Find or create the profile, or the options of the backend, called NAME. */
bool policy_place_named(struct policy_sink *sink, enum policy_section section,
			const char *name, struct location where, size_t *ret_index);
/* Open the section at PLACE.  SHOWN is its name as written in the file. */
void policy_place_open(struct policy_sink *sink, struct policy_place place,
		       const char *shown, struct location where);
/* Open the section that is the value of ENTRY. */
bool policy_place_enter(struct policy_sink *sink, const struct policy_entry *entry,
			struct policy_place *ret_place);

#endif
