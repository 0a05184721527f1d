/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The policies below tests/fixtures/policy.  Each of bad/ has its findings beside it,
 * line by line; those of good/, and the ones of conf/, mean the same in both formats.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/fd.h"
#include "policy/keys.h"
#include "policy/open.h"

static const char *tree(const char *path)
{
	static char full[PATH_MAX / 2];
	const char *srcdir = getenv("srcdir");
	int n = snprintf(full, sizeof(full), "%s/%s", srcdir ? srcdir : ".", path);

	assert_true(n > 0 && (size_t)n < sizeof(full));
	return full;
}

/* The whole file, with a NUL after it. */
static char *read_file(const char *dir, const char *name, size_t *ret_length)
{
	char path[PATH_MAX], *text;
	ssize_t length;

	snprintf(path, sizeof(path), "%s/%s", tree(dir), name);
	text = malloc(POLICY_SIZE_MAX);
	assert_non_null(text);
	length = fd_read_file(AT_FDCWD, path, text, POLICY_SIZE_MAX);
	if (length < 0)
		print_error("%s: %s\n", path, strerror((int)-length));
	assert_true(length >= 0);
	*ret_length = (size_t)length;
	return text;
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t n = strlen(name), m = strlen(suffix);

	return n > m && strcmp(name + n - m, suffix) == 0;
}

static enum policy_format format_of(const char *name)
{
	return has_suffix(name, ".ini") ? POLICY_INI : POLICY_YAML;
}

/* The findings as `drupe check` prints them. */
static char *print_findings(const char *name, const struct findings *findings)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	for (size_t i = 0; i < findings->count; i++) {
		fprintf(file, "%s:%u:%u: ", name, findings->items[i].where.line,
			findings->items[i].where.column);
		print_escaped(file, findings->items[i].text);
		fputc('\n', file);
	}
	fclose(file);
	return text;
}

/* What err says of the first line of EXPECTED. */
static void check_error(const char *expected, const struct findings *findings,
			const struct error *err)
{
	size_t line = strcspn(expected, "\n");
	char first[1100] = "", more[64];
	FILE *file = fmemopen(first, sizeof(first), "w");

	print_escaped(file, err->message);
	fclose(file);
	assert_int_equal(err->code, ERROR_POLICY_INVALID);
	assert_true(strncmp(first, expected, line) == 0);
	snprintf(more, sizeof(more), " (and %zu more: ", findings->count - 1);
	assert_int_equal(strstr(first + line, more) == first + line, findings->count > 1);
}

static void check_bad(const char *name)
{
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_policy_ struct policy *policy = NULL;
	struct error err = { 0 };
	char expected_name[NAME_MAX + 16];
	char *text, *expected, *printed;
	size_t length, expected_length;

	snprintf(expected_name, sizeof(expected_name), "%s.expected", name);
	text = read_file("tests/fixtures/policy/bad", name, &length);
	expected = read_file("tests/fixtures/policy/bad", expected_name,
			     &expected_length);
	assert_int_equal(policy_parse(name, text, length, format_of(name), &policy,
				      &findings, &err),
			 -EINVAL);
	assert_null(policy);
	printed = print_findings(name, &findings);
	if (strcmp(printed, expected) != 0)
		print_error("%s:\n%swanted:\n%s", name, printed, expected);
	assert_string_equal(printed, expected);
	check_error(expected, &findings, &err);
	free(text);
	free(expected);
	free(printed);
}

static void test_bad(void **state)
{
	DIR *dir = opendir(tree("tests/fixtures/policy/bad"));
	struct dirent *entry;
	unsigned n = 0;

	(void)state;
	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || has_suffix(entry->d_name, ".expected"))
			continue;
		check_bad(entry->d_name);
		n++;
	}
	closedir(dir);
	print_message("%u bad policies\n", n);
	assert_true(n >= 60);
}

/* The model as text, by the table of keys, so that two can be compared. */

static void dump_strings(FILE *file, const struct strings *strings)
{
	for (size_t i = 0; i < strings->count; i++)
		fprintf(file, " %s", strings->items[i]);
}

static void dump_corpora(FILE *file, const struct profile *profile)
{
	for (size_t i = 0; i < profile->n_corpora; i++)
		fprintf(file, " %s %d", profile->corpora[i].path,
			profile->corpora[i].writable);
}

static void dump_value(FILE *file, const struct policy_key *key, void *field)
{
	const char *text;

	switch (value_type_store(key->value.type)) {
	case STORE_BOOL:
		fprintf(file, " %d", *(bool *)field);
		break;
	case STORE_NUMBER:
		fprintf(file, " %llu", (unsigned long long)*(uint64_t *)field);
		break;
	case STORE_WORD:
		fprintf(file, " %s", key->value.words[*(unsigned *)field]);
		break;
	case STORE_TEXT:
		text = *(char **)field;
		fprintf(file, " %s", text ? text : "-");
	}
}

static void dump_section(FILE *file, enum policy_section section, void *base)
{
	for (size_t i = 0; i < policy_keys_count; i++) {
		const struct policy_key *key = &policy_keys[i];

		if (key->section != section || key->form == KEY_SECTION)
			continue;
		fprintf(file, "%s:", key->name);
		if (key->form == KEY_VALUE)
			dump_value(file, key, policy_key_field(key, base));
		else if (key->child == SECTION_CORPUS)
			dump_corpora(file, base);
		else
			dump_strings(file, policy_key_field(key, base));
		fputc('\n', file);
	}
}

static void dump_profile(FILE *file, struct profile *profile)
{
	fprintf(file, "profile %s\n", profile->name);
	dump_section(file, SECTION_PROFILE, profile);
	dump_section(file, SECTION_LIMITS, profile);
	dump_section(file, SECTION_CGROUP, profile);
	for (size_t i = 0; i < profile->n_env; i++)
		fprintf(file, "env %s=%s\n", profile->env[i].name, profile->env[i].value);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct profile *)a)->name,
		      ((const struct profile *)b)->name);
}

static char *dump(struct policy *policy)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	qsort(policy->profiles, policy->n_profiles, sizeof(*policy->profiles), by_name);
	dump_section(file, SECTION_TOP, policy);
	dump_section(file, SECTION_BACKENDS, policy);
	for (size_t i = 0; i < policy->n_options; i++)
		fprintf(file, " option %s %s=%s\n", policy->options[i].backend,
			policy->options[i].key, policy->options[i].value);
	for (size_t i = 0; i < policy->n_profiles; i++)
		dump_profile(file, &policy->profiles[i]);
	fclose(file);
	return text;
}

static char *load(const char *dir, const char *name)
{
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_policy_ struct policy *policy = NULL;
	struct error err = { 0 };
	size_t length;
	char *text = read_file(dir, name, &length);
	int r = policy_parse(name, text, length, format_of(name), &policy, &findings,
			     &err);

	free(text);
	if (r < 0)
		print_error("%s\n", err.message);
	assert_int_equal(r, 0);
	return dump(policy);
}

static void check_pair(const char *dir, const char *stem)
{
	char yaml[NAME_MAX + 16], ini[NAME_MAX + 16];
	char *a, *b;

	snprintf(yaml, sizeof(yaml), "%s.yaml", stem);
	snprintf(ini, sizeof(ini), "%s.ini", stem);
	a = load(dir, yaml);
	b = load(dir, ini);
	assert_string_equal(a, b);
	free(a);
	free(b);
}

static void test_good(void **state)
{
	DIR *dir = opendir(tree("tests/fixtures/policy/good"));
	struct dirent *entry;
	unsigned n = 0;

	(void)state;
	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		if (!has_suffix(entry->d_name, ".yaml"))
			continue;
		entry->d_name[strlen(entry->d_name) - strlen(".yaml")] = '\0';
		check_pair("tests/fixtures/policy/good", entry->d_name);
		n++;
	}
	closedir(dir);
	assert_true(n >= 6);
}

static void test_conf(void **state)
{
	(void)state;
	check_pair("conf", "default");
	check_pair("conf", "agent");
}

/* conf/default.yaml spells out what the table of keys has for defaults. */
static void test_defaults(void **state)
{
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_policy_ struct policy *policy = NULL;
	char *spelt = load("conf", "default.yaml");
	char *unspelt = load("tests/fixtures/policy/good", "smallest.yaml");
	char *builtin;

	(void)state;
	assert_int_equal(policy_parse("built-in", policy_builtin_text,
				      strlen(policy_builtin_text), POLICY_YAML, &policy,
				      &findings, NULL),
			 0);
	builtin = dump(policy);
	assert_string_equal(spelt, unspelt);
	assert_string_equal(spelt, builtin);
	free(spelt);
	free(unspelt);
	free(builtin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_conf),
		cmocka_unit_test(test_defaults),
	};

	return cmocka_run_group_tests_name("policy fixtures", tests, NULL, NULL);
}
