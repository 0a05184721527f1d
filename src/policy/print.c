/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of keys as a reference. */
#include <stdio.h>

#include "policy/value.h"
#include "base/value.h"
#include "base/words.h"

static void print_range(const struct policy_key *key, char *ret, size_t size)
{
	char min[32], max[32];

	ret[0] = '\0';
	if (key->words)
		words_join(key->words, ret, size);
	if (!policy_type_is_number(key->type))
		return;
	policy_number_format(key->type, key->min, min, sizeof(min));
	policy_number_format(key->type, key->max, max, sizeof(max));
	if (key->min == key->max)
		snprintf(ret, size, "%s", min);
	else if (key->max == VALUE_MAX)
		snprintf(ret, size, "%s or more", min);
	else
		snprintf(ret, size, "%s to %s", min, max);
}

void policy_keys_print(FILE *file)
{
	for (size_t i = 0; i < policy_keys_count; i++) {
		const struct policy_key *key = &policy_keys[i];
		char range[256];

		print_range(key, range, sizeof(range));
		fprintf(file, "%s\t%s\t%s\t%s\t%s\t%s\n",
			policy_section_name(key->section, POLICY_INI), key->name,
			policy_type_name(key->type), range,
			key->fallback ? key->fallback : "", key->help);
	}
}
