/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "policy/suggest.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/words.h"
#include "policy/keys.h"

/* The names of SECTION's keys, NULL-terminated; returns their number. */
static size_t section_keys(enum policy_section section,
			   const char *ret[static POLICY_KEYS_MAX + 1])
{
	size_t n = 0;

	for (size_t i = 0; i < policy_keys_count; i++)
		if (policy_keys[i].section == section)
			ret[n++] = policy_keys[i].name;
	ret[n] = NULL;
	return n;
}

/* The key of another section called NAME, or nearly so. */
static const struct policy_key *key_elsewhere(const char *name)
{
	const char *names[POLICY_KEYS_MAX + 1];
	const char *nearest;

	for (size_t i = 0; i < policy_keys_count; i++)
		names[i] = policy_keys[i].name;
	names[policy_keys_count] = NULL;
	nearest = nearest_name(name, names);
	for (size_t i = 0; i < policy_keys_count && nearest; i++)
		if (policy_keys[i].name == nearest)
			return &policy_keys[i];
	return NULL;
}

void suggest_key(enum policy_section section, enum policy_format format, const char *name,
		 char *ret, size_t size)
{
	const char *names[POLICY_KEYS_MAX + 1];
	size_t n = section_keys(section, names);
	const char *nearest;
	const struct policy_key *elsewhere;
	char folded[64], list[256];

	nearest_fold(name, folded);
	nearest = folded[0] ? nearest_name(folded, names) : NULL;
	elsewhere = folded[0] ? key_elsewhere(folded) : NULL;
	words_join(names, list, sizeof(list));
	ret[0] = '\0';
	if (elsewhere && strcmp(elsewhere->name, folded) == 0 &&
	    !(nearest && strcmp(nearest, folded) == 0))
		snprintf(ret, size, "; %s belongs in %s", elsewhere->name,
			 policy_section_name(elsewhere->section, format));
	else if (nearest)
		snprintf(ret, size, "; did you mean %s?", nearest);
	else if (elsewhere)
		snprintf(ret, size, "; did you mean %s of %s?", elsewhere->name,
			 policy_section_name(elsewhere->section, format));
	else if (n > 0 && n <= 10)
		snprintf(ret, size, "; the keys here are %s", list);
}

const char suggest_order_rule[] =
	"the order scope, launcher, rlimits, command is fixed (R1); leave this out";

bool suggest_is_order(const char *name)
{
	static const char *const names[] = { "order",	 "wrapper_order", "wrap_order",
					     "stages",	 "layers",	  "chain",
					     "sequence", "wrappers" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}
