/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The one table of keys.  Both formats, the messages, the defaults and the reference
 * in drupe-policy(5) come from it.
 */
#ifndef DRUPE_POLICY_KEYS_H
#define DRUPE_POLICY_KEYS_H

#include <stdio.h>

#include "policy/sections.h"
#include "policy/value-type.h"

enum policy_key_form {
	KEY_VALUE,
	KEY_LIST,    /* of values, or of the mappings of `child` */
	KEY_SECTION, /* keys of its own, those of `child` */
};

struct policy_key {
	enum policy_section section;
	enum policy_key_form form;
	enum policy_section child; /* or SECTION_TOP */
	const char *name;
	struct value_spec value;
	bool or_false;	      /* of a list: `false` is the empty one */
	size_t offset;	      /* into struct policy or struct profile */
	const char *fallback; /* the default in the policy's syntax, NULL: unset;
			       * a list's elements separated by blanks */
	const char *help;     /* one line */
};

#define POLICY_KEYS_MAX 64
extern const struct policy_key policy_keys[];
extern const size_t policy_keys_count; /* at most POLICY_KEYS_MAX */

const struct policy_key *policy_key_find(enum policy_section section, const char *name);

/* The address of KEY's value in BASE, a policy or profile. */
static inline void *policy_key_field(const struct policy_key *key, void *base)
{
	return (char *)base + key->offset;
}

/* Store TEXT, the value of KEY, in BASE.  0, -EINVAL with the reason in WHY, or
 * -ENOMEM. */
int policy_key_set(const struct policy_key *key, void *base, const char *text,
		   bool quoted, struct value_why *why);

/* Fill a zeroed policy or profile with the defaults of SECTION's keys. */
int policy_keys_default(enum policy_section section, void *base);

/* One line per key, tab-separated: section heading in INI, name, type, range, default,
 * help.  drupe-policy(5) is compared with it. */
void policy_keys_print(FILE *file);

#endif
