/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options that a backend declares against those that a policy sets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backend/host.h"
#include "base/argv.h"

/* The policy owns its texts, here it is handed constant ones. */
#define T(text) ((char *)(uintptr_t)(text))

static const char *const colours[] = { "green", "purple", NULL };

static const struct drupe_option declared[] = {
	{ "loud", DRUPE_OPTION_BOOL, 0, 0, NULL, "say more" },
	{ "mtu", DRUPE_OPTION_COUNT, 68, 65521, NULL, "bytes of a packet" },
	{ "any", DRUPE_OPTION_COUNT, 0, 0, NULL, "any number" },
	{ "buffer", DRUPE_OPTION_SIZE, 1024, 1 << 20, NULL, "bytes kept" },
	{ "wait", DRUPE_OPTION_DURATION, 10, 60000, NULL, "time to wait" },
	{ "label", DRUPE_OPTION_TEXT, 2, 8, NULL, "a text" },
	{ "colour", DRUPE_OPTION_WORD, 0, 0, colours, "of the wall" },
	{ "file", DRUPE_OPTION_PATH, 0, 0, NULL, "a file" },
	{ "cidr", DRUPE_OPTION_CIDR4, 8, 25, NULL, "the network" },
};

static const struct drupe_backend object = {
	.size = sizeof(object),
	.name = "test",
	.options = declared,
	.n_options = sizeof(declared) / sizeof(declared[0]),
	.option_size = sizeof(declared[0]),
};

static int set(const char *key, const char *value, bool quoted,
	       struct drupe_options **ret_options, struct error *err)
{
	struct policy_option option = { .backend = (char *)(uintptr_t) "test",
					.key = T(key),
					.value = T(value),
					.quoted = quoted,
					.where = { 12, 9 },
					.key_where = { 12, 4 } };
	struct policy policy = { .source = (char *)(uintptr_t) "p.yaml",
				 .options = &option,
				 .n_options = 1 };

	return host_options(&object, &policy, ret_options, err);
}

static const struct {
	const char *key, *value;
	uint64_t number;
} good_numbers[] = {
	{ "mtu", "68", 68 },	  { "mtu", "65521", 65521 },
	{ "any", "0", 0 },	  { "any", "9223372036854775807", INT64_MAX },
	{ "buffer", "1K", 1024 }, { "buffer", "1M", 1 << 20 },
	{ "wait", "1.5s", 1500 }, { "wait", "10ms", 10 },
	{ "wait", "1m", 60000 },
};

static void test_numbers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(good_numbers) / sizeof(good_numbers[0]); i++) {
		struct drupe_options *options = NULL;
		struct error err = { 0 };

		assert_return_code(set(good_numbers[i].key, good_numbers[i].value, false,
				       &options, &err),
				   0);
		assert_true(host_callbacks.option_number(options, good_numbers[i].key,
							 7) == good_numbers[i].number);
		assert_null(
			host_callbacks.option_text(options, good_numbers[i].key, NULL));
		assert_true(
			host_callbacks.option_bool(options, good_numbers[i].key, true));
		host_options_free(options);
	}
}

static const struct {
	const char *key, *value;
	bool quoted;
} good_texts[] = {
	{ "label", "ab", false },	{ "label", "\xc3\xa9tat", true },
	{ "label", "12345678", true },	{ "colour", "green", false },
	{ "colour", "purple", true },	{ "file", "/", false },
	{ "file", "/etc/hosts", true }, { "cidr", "10.0.2.0/24", false },
	{ "cidr", "10.0.0.0/8", true },
};

static void test_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(good_texts) / sizeof(good_texts[0]); i++) {
		struct drupe_options *options = NULL;
		struct error err = { 0 };

		assert_return_code(set(good_texts[i].key, good_texts[i].value,
				       good_texts[i].quoted, &options, &err),
				   0);
		assert_string_equal(
			host_callbacks.option_text(options, good_texts[i].key, "-"),
			good_texts[i].value);
		assert_int_equal(
			host_callbacks.option_number(options, good_texts[i].key, 7), 7);
		host_options_free(options);
	}
}

static void test_bool(void **state)
{
	struct drupe_options *options = NULL;
	struct error err = { 0 };

	(void)state;
	assert_return_code(set("loud", "true", false, &options, &err), 0);
	assert_true(host_callbacks.option_bool(options, "loud", false));
	assert_int_equal(host_callbacks.option_number(options, "loud", 7), 7);
	assert_true(host_callbacks.option_bool(options, "quiet", true));
	host_options_free(options);
	assert_return_code(set("loud", "false", false, &options, &err), 0);
	assert_false(host_callbacks.option_bool(options, "loud", true));
	host_options_free(options);
}

static const struct {
	const char *key, *value;
	bool quoted;
	const char *message;
} bad[] = {
	{ "mut", "1500", false,
	  "p.yaml:12:4: options test: unknown key \"mut\"; did you mean mtu?" },
	{ "something", "1", false,
	  "p.yaml:12:4: options test: unknown key \"something\"; drupe backends --dump "
	  "test lists the keys" },
	{ "loud", "yes", false,
	  "p.yaml:12:9: options test: loud: \"yes\" is not a boolean; write true or "
	  "false" },
	{ "loud", "true", true,
	  "p.yaml:12:9: options test: loud: \"true\" is quoted, which makes it text; "
	  "write it without quotes" },
	{ "mtu", "67", false,
	  "p.yaml:12:9: options test: mtu: \"67\" is out of range; write 68 to 65521" },
	{ "mtu", "65522", false, "out of range" },
	{ "mtu", "99999999999999999999999", false, "out of range" },
	{ "any", "99999999999999999999999", false,
	  "is too large; write 9223372036854775807 at most" },
	{ "mtu", "0x100", false, "is not a whole number" },
	{ "mtu", "-1", false, "is not a whole number" },
	{ "mtu", "", false, "is not a whole number" },
	{ "mtu", "1500", true, "is quoted, which makes it text" },
	{ "buffer", "1k", false, "\"1k\" is not a size; write 512M or 4G" },
	{ "buffer", "1", false, "is out of range; write 1K to 1M" },
	{ "buffer", "2M", false, "is out of range; write 1K to 1M" },
	{ "wait", "1", false, "\"1\" has no unit; write 1s" },
	{ "wait", "1d", false, "is not a duration; write 45s, 10m or 1.5s" },
	{ "wait", "2m", false, "is out of range; write 10ms to 1m" },
	{ "label", "a", false, "is out of range; write 2 to 8 bytes" },
	{ "label", "123456789", true, "is out of range; write 2 to 8 bytes" },
	{ "label", "\xff\xfe\xfd", true, "is not UTF-8" },
	{ "colour", "gren", false,
	  "colour: \"gren\" is not one of green, purple; did you mean green?" },
	{ "colour", "Green", true, "did you mean green?" },
	{ "colour", "mauvemauve", false, "\"mauvemauve\" is not one of green, purple" },
	{ "file", "etc/hosts", false, "is relative; write the whole path from / on" },
	{ "file", "/etc/../hosts", false, "has a . or .. component" },
	{ "file", "/etc/hosts, /etc/passwd", false, "looks like a list" },
	{ "cidr", "10.0.2.0", false,
	  "is not an IPv4 network; write it like 10.0.2.0/24" },
	{ "cidr", "10.0.2.5/24", false, "has bits beyond its prefix; write 10.0.2.0/24" },
	{ "cidr", "10.0.2.0/26", false, "is out of range; write /8 to /25" },
	{ "cidr", "10.0.0.0/33", false, "is not an IPv4 network" },
	{ "cidr", "fd00::/8", false, "is not an IPv4 network" },
	{ "cidr", "010.0.2.0/24", false, "is not an IPv4 network" },
};

static void test_bad_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct drupe_options *options = NULL;
		struct error err = { 0 };

		if (set(bad[i].key, bad[i].value, bad[i].quoted, &options, &err) >= 0)
			fail_msg("%s: %s was accepted", bad[i].key, bad[i].value);
		assert_null(options);
		assert_int_equal(err.code, ERROR_OPTION_INVALID);
		if (!strstr(err.message, bad[i].message))
			fail_msg("\"%s\" is not \"%s\"", err.message, bad[i].message);
	}
}

static void test_other_backends_and_none(void **state)
{
	struct policy_option option = { .backend = (char *)(uintptr_t) "another",
					.key = (char *)(uintptr_t) "x",
					.value = (char *)(uintptr_t) "y" };
	struct policy policy = { .source = (char *)(uintptr_t) "p",
				 .options = &option,
				 .n_options = 1 };
	struct drupe_options *options = NULL;
	struct error err = { 0 };

	(void)state;
	assert_return_code(host_options(&object, &policy, &options, &err), 0);
	assert_int_equal(options->count, 0);
	host_options_free(options);
	assert_return_code(host_options(&object, NULL, &options, &err), 0);
	assert_int_equal(host_callbacks.option_number(options, "mtu", 1500), 1500);
	host_options_free(options);
	assert_int_equal(host_callbacks.option_number(NULL, "mtu", 1500), 1500);
}

/* All that is wrong is told, in the order of the file, and nothing of another backend. */
static void test_all_errors(void **state)
{
	struct policy_option options[] = {
		{ T("test"), T("mtu"), T("1"), false, { 3, 9 }, { 3, 4 } },
		{ T("test"), T("any"), T("5"), false, { 2, 9 }, { 2, 4 } },
		{ T("other"), T("x"), T("1"), false, { 1, 9 }, { 1, 4 } },
		{ T("test"), T("louder"), T("true"), false, { 2, 30 }, { 2, 20 } },
	};
	struct policy policy = { .source = T("p.yaml"),
				 .options = options,
				 .n_options = sizeof(options) / sizeof(options[0]) };
	_cleanup_findings_ struct findings findings = { 0 };
	struct drupe_options *values = NULL;
	struct error err = { 0 };

	(void)state;
	assert_int_equal(host_check_options(&object, &policy, &findings), 0);
	assert_int_equal(findings.count, 2);
	assert_int_equal(findings.items[0].where.line, 3);
	assert_string_equal(
		findings.items[0].text,
		"options test: mtu: \"1\" is out of range; write 68 to 65521");
	assert_int_equal(findings.items[1].where.column, 20);
	assert_true(host_options(&object, &policy, &values, &err) < 0);
	assert_null(values);
	assert_string_equal(err.message,
			    "p.yaml:2:20: options test: unknown key \"louder\"; did you "
			    "mean loud? (and 1 more: drupe check p.yaml shows them)");
}

/* A backend of a later version, whose options are longer. */
static void test_stride(void **state)
{
	static const struct {
		struct drupe_option option;
		uint64_t later[3];
	} longer[] = {
		{ { "one", DRUPE_OPTION_COUNT, 0, 0, NULL, "1" }, { 1, 2, 3 } },
		{ { "two", DRUPE_OPTION_COUNT, 0, 0, NULL, "2" }, { 4, 5, 6 } },
	};
	struct drupe_backend later = object;
	struct policy_option option = { .backend = (char *)(uintptr_t) "test",
					.key = (char *)(uintptr_t) "two",
					.value = (char *)(uintptr_t) "22" };
	struct policy policy = { .source = (char *)(uintptr_t) "p",
				 .options = &option,
				 .n_options = 1 };
	struct drupe_options *options = NULL;
	struct error err = { 0 };

	(void)state;
	later.options = &longer[0].option;
	later.n_options = 2;
	later.option_size = sizeof(longer[0]);
	assert_return_code(host_options(&later, &policy, &options, &err), 0);
	assert_int_equal(host_callbacks.option_number(options, "two", 0), 22);
	host_options_free(options);
}

static void test_words(void **state)
{
	_cleanup_argv_ struct drupe_words words = { 0 };
	struct error err = { 0 };

	(void)state;
	host_callbacks.push(&words, "one");
	host_callbacks.pushf(&words, "%s-%d", "two", 2);
	assert_string_equal(words.words[1], "two-2");
	host_callbacks.push(&words, NULL);
	(host_callbacks.fail)(&words, 22, "later: %d", 1);
	host_callbacks.push(&words, "three");
	assert_int_equal(words.count, 2);
	assert_true(argv_check(&words, ERROR_BACKEND_FAILED, &err) < 0);
	assert_string_equal(err.message, "a word is missing (NULL)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_bool),
		cmocka_unit_test(test_bad_values),
		cmocka_unit_test(test_other_backends_and_none),
		cmocka_unit_test(test_all_errors),
		cmocka_unit_test(test_stride),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
