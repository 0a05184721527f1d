/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lists of a profile: appending to them, and emptying them. */
#ifndef DRUPE_POLICY_LISTS_H
#define DRUPE_POLICY_LISTS_H

#include "policy/keys.h"

/* Append TEXT to the list of KEY in BASE.  0, -EINVAL with the reason in WHY, or
 * -ENOMEM. */
int policy_list_add(const struct policy_key *key, void *base, const char *text,
		    struct location where, struct value_why *why);

/* An element of corpora: parse its access, then add the tree. */
int policy_list_corpus_access(const char *text, bool *ret_writable,
			      struct value_why *why);
int policy_list_add_corpus(const struct policy_key *key, struct profile *profile,
			   bool writable, const char *path, struct location where,
			   struct value_why *why);

/* Empty one list; empty all lists of a profile. */
void policy_list_clear(const struct policy_key *key, void *base);
void policy_lists_clear(struct profile *profile);

#endif
