/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The defaults of the table, in a policy and in a profile. */
#include <stdio.h>

#include "policy/value.h"

static int default_list(const struct policy_key *key, void *base)
{
	struct policy_why why;
	char word[64];
	int n;

	for (const char *p = key->fallback; sscanf(p, " %63s%n", word, &n) == 1; p += n) {
		int r = policy_key_add(key, base, word, (struct location){ 0 }, &why);

		if (r < 0)
			return r;
	}
	return 0;
}

int policy_keys_default(enum policy_section section, void *base)
{
	struct policy_why why;
	int r = 0;

	for (size_t i = 0; i < policy_keys_count && r == 0; i++) {
		const struct policy_key *key = &policy_keys[i];

		if (key->section != section)
			continue;
		if (!key->fallback) {
			if (policy_type_is_number(key->type))
				*(uint64_t *)policy_key_field(key, base) = UNSET;
		} else if (policy_key_is_list(key)) {
			r = default_list(key, base);
		} else {
			r = policy_key_set(key, base, key->fallback, &why);
		}
	}
	return r;
}
