/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of keys as a reference. */
#include <stdio.h>

#include "policy-value.h"
#include "value.h"
#include "words.h"

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

/* roff takes - for a hyphen and \ for an escape. */
static void print_roff(FILE *file, const char *text)
{
	for (; *text; text++) {
		if (*text == '-' || *text == '\\')
			fputc('\\', file);
		fputc(*text == '\\' ? 'e' : *text, file);
	}
}

static void print_key_roff(FILE *file, const struct policy_key *key, const char *range)
{
	fprintf(file, ".TP\n.B %s\n.I ", key->name);
	print_roff(file, policy_type_name(key->type));
	fputs("\n", file);
	if (range[0]) {
		fputs("(", file);
		print_roff(file, range);
		fputs(")\n", file);
	}
	fputs(".br\n", file);
	print_roff(file, key->help);
	fputc('\n', file);
	if (key->fallback && key->fallback[0]) {
		fputs("Default: ", file);
		print_roff(file, key->fallback);
		fputs(".\n", file);
	}
}

void policy_keys_print(FILE *file, enum policy_keys_format format)
{
	enum policy_section last = N_SECTIONS;

	for (size_t i = 0; i < policy_keys_count; i++) {
		const struct policy_key *key = &policy_keys[i];
		char range[256];

		print_range(key, range, sizeof(range));
		if (format == POLICY_KEYS_TEXT) {
			fprintf(file, "%s\t%s\t%s\t%s\t%s\t%s\n",
				policy_section_name(key->section, POLICY_INI), key->name,
				policy_type_name(key->type), range,
				key->fallback ? key->fallback : "", key->help);
			continue;
		}
		if (key->section != last) {
			fputs(".SS ", file);
			print_roff(file, policy_section_name(key->section, POLICY_INI));
			fputc('\n', file);
			last = key->section;
		}
		print_key_roff(file, key, range);
	}
}
