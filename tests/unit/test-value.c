/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The grammars of values: each takes the whole text or nothing. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/path.h"
#include "base/value.h"

#define N(table) (sizeof(table) / sizeof((table)[0]))
#define UNTOUCHED UINT64_C(0xdeadbeef)

struct number_case {
	const char *text;
	int r;
	uint64_t value;
};

static const struct number_case counts[] = {
	{ "0", 0, 0 },
	{ "7", 0, 7 },
	{ "4096", 0, 4096 },
	{ "9223372036854775807", 0, INT64_MAX },
	{ "9223372036854775808", -ERANGE, 0 },
	{ "18446744073709551615", -ERANGE, 0 },
	{ "18446744073709551616", -ERANGE, 0 },
	{ "99999999999999999999999999999999999999", -ERANGE, 0 },
	{ "99999999999999999999999999999999999999x", -EINVAL, 0 },
	{ "", -EINVAL, 0 },
	{ "00", -EINVAL, 0 },
	{ "0755", -EINVAL, 0 },
	{ "0o755", -EINVAL, 0 },
	{ "0x10", -EINVAL, 0 },
	{ "4_096", -EINVAL, 0 },
	{ "1e3", -EINVAL, 0 },
	{ "4096 ", -EINVAL, 0 },
	{ " 4096", -EINVAL, 0 },
	{ "+5", -EINVAL, 0 },
	{ "-1", -EINVAL, 0 },
	{ "4096.0", -EINVAL, 0 },
	{ "\xef\xbc\x91\xef\xbc\x92", -EINVAL, 0 },
	{ "4K", -EINVAL, 0 },
	{ "1:30", -EINVAL, 0 },
	{ ".inf", -EINVAL, 0 },
	{ "1\n", -EINVAL, 0 },
};

static const struct number_case sizes[] = {
	{ "0", 0, 0 },
	{ "512", 0, 512 },
	{ "64K", 0, 65536 },
	{ "10M", 0, 10485760 },
	{ "2G", 0, UINT64_C(2147483648) },
	{ "1T", 0, UINT64_C(1099511627776) },
	{ "8388607T", 0, UINT64_C(8388607) << 40 },
	{ "8388608T", -ERANGE, 0 },
	{ "9223372036854775808", -ERANGE, 0 },
	{ "18446744073709551616K", -ERANGE, 0 },
	{ "2GB", -EINVAL, 0 },
	{ "2GiB", -EINVAL, 0 },
	{ "4k", -EINVAL, 0 },
	{ "2 G", -EINVAL, 0 },
	{ "1.5G", -EINVAL, 0 },
	{ "01K", -EINVAL, 0 },
	{ "K", -EINVAL, 0 },
	{ "1P", -EINVAL, 0 },
	{ "-1", -EINVAL, 0 },
};

static const struct number_case durations[] = {
	{ "0s", 0, 0 },
	{ "250ms", 0, 250 },
	{ "1.5s", 0, 1500 },
	{ "1.50s", 0, 1500 },
	{ "0.001s", 0, 1 },
	{ "45s", 0, 45000 },
	{ "10m", 0, 600000 },
	{ "2h", 0, 7200000 },
	{ "0.5h", 0, 1800000 },
	{ "0.1m", 0, 6000 },
	{ "1.000000000000s", 0, 1000 },
	{ "9223372036854775807ms", 0, INT64_MAX },
	{ "9223372036854775808ms", -ERANGE, 0 },
	{ "9223372036854775807s", -ERANGE, 0 },
	{ "99999999999999999999h", -ERANGE, 0 },
	{ "45", -EINVAL, 0 },
	{ "1.5ms", -EINVAL, 0 },
	{ "0.0001s", -EINVAL, 0 },
	{ "0.0000000001h", -EINVAL, 0 },
	{ ".5s", -EINVAL, 0 },
	{ "1.s", -EINVAL, 0 },
	{ "1..5s", -EINVAL, 0 },
	{ "1.5.5s", -EINVAL, 0 },
	{ "00.5s", -EINVAL, 0 },
	{ "1d", -EINVAL, 0 },
	{ "1m30s", -EINVAL, 0 },
	{ "45 s", -EINVAL, 0 },
	{ "45S", -EINVAL, 0 },
	{ "s", -EINVAL, 0 },
	{ "", -EINVAL, 0 },
};

static const struct number_case percents[] = {
	{ "0%", 0, 0 },		 { "200%", 0, 200 },	{ "200", -EINVAL, 0 },
	{ "200 %", -EINVAL, 0 }, { "%", -EINVAL, 0 },	{ "1.5%", -EINVAL, 0 },
	{ "-5%", -EINVAL, 0 },	 { "5%%", -EINVAL, 0 },
};

static void check_numbers(int (*parse)(const char *, uint64_t *),
			  const struct number_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t value = UNTOUCHED;
		int r = parse(cases[i].text, &value);

		if (r != cases[i].r)
			print_error("\"%s\": %d\n", cases[i].text, r);
		assert_int_equal(r, cases[i].r);
		assert_true(value == (r == 0 ? cases[i].value : UNTOUCHED));
	}
}

static void test_numbers(void **state)
{
	(void)state;
	check_numbers(value_count, counts, N(counts));
	check_numbers(value_size, sizes, N(sizes));
	check_numbers(value_duration, durations, N(durations));
	check_numbers(value_percent, percents, N(percents));
}

static void test_bool(void **state)
{
	static const char *const bad[] = { "yes",  "no",    "on",    "off",
					   "1",	   "0",	    "y",     "",
					   "True", "FALSE", "true ", "false\n" };
	bool value = false;

	(void)state;
	assert_int_equal(value_bool("true", &value), 0);
	assert_true(value);
	for (size_t i = 0; i < N(bad); i++)
		assert_int_equal(value_bool(bad[i], &value), -EINVAL);
	assert_true(value);
	assert_int_equal(value_bool("false", &value), 0);
	assert_false(value);
}

static void test_name(void **state)
{
	static const char *const good[] = { "a", "bwrap", "slirp4netns", "a-b-1",
					    "abcdefghijklmnopqrstuvwxyz012345" };
	static const char *const bad[] = { "",
					   "A",
					   "1a",
					   "-a",
					   "a_b",
					   "a.so",
					   "../a",
					   "a b",
					   "a\n",
					   "\xc3\xa9",
					   "abcdefghijklmnopqrstuvwxyz0123456" };

	(void)state;
	for (size_t i = 0; i < N(good); i++)
		assert_true(value_name(good[i]));
	for (size_t i = 0; i < N(bad); i++)
		assert_false(value_name(bad[i]));
}

static void test_path(void **state)
{
	static const char *const good[] = { "/",      "/a",   "/a/b", "/a/..b", "/a/b..",
					    "/a/...", "/a b", "/.a",  "/a:b",	"/a,b" };
	static const char *const bad[] = { "",	    "a",     "./a",	"../a", "/a/",
					   "//",    "//a",   "/a//b",	"/a/.", "/.",
					   "/..",   "/a/..", "/a/../b", "~",	"~/a",
					   "$HOME", "/a/./b" };

	(void)state;
	for (size_t i = 0; i < N(good); i++)
		assert_true(value_path(good[i]));
	for (size_t i = 0; i < N(bad); i++) {
		assert_false(value_path(bad[i]));
		assert_non_null(value_path_fault(bad[i]));
	}
}

static void test_path_within(void **state)
{
	(void)state;
	assert_true(path_is_within("/a", "/"));
	assert_true(path_is_within("/", "/"));
	assert_true(path_is_within("/a", "/a"));
	assert_true(path_is_within("/a/b", "/a"));
	assert_false(path_is_within("/ab", "/a"));
	assert_false(path_is_within("/", "/a"));
	assert_false(path_is_within("/a", "/a/b"));
}

static const struct {
	const char *text;
	int r;
	const char *network;
} cidrs[] = {
	{ "10.0.0.0/8", 0, NULL },
	{ "0.0.0.0/0", 0, NULL },
	{ "192.0.2.1/32", 0, NULL },
	{ "fe80::/10", 0, NULL },
	{ "::/0", 0, NULL },
	{ "::1/128", 0, NULL },
	{ "::ffff:10.0.0.0/104", 0, NULL },
	{ "10.0.0.1/8", -ERANGE, "10.0.0.0/8" },
	{ "10.1.255.255/17", -ERANGE, "10.1.128.0/17" },
	{ "1.2.3.4/0", -ERANGE, "0.0.0.0/0" },
	{ "fe80::1/10", -ERANGE, "fe80::/10" },
	{ "2001:db8:ffff::/33", -ERANGE, "2001:db8:8000::/33" },
	{ "10.0.0.0", -EINVAL, NULL },
	{ "10.0.0.0/", -EINVAL, NULL },
	{ "10.0.0.0/33", -EINVAL, NULL },
	{ "10.0.0.0/08", -EINVAL, NULL },
	{ "10.0.0/8", -EINVAL, NULL },
	{ "010.0.0.0/8", -EINVAL, NULL },
	{ "10.0.0.0/8/8", -EINVAL, NULL },
	{ "10.0.0.0 /8", -EINVAL, NULL },
	{ "fe80::/129", -EINVAL, NULL },
	{ "fe80::%lo/10", -EINVAL, NULL },
	{ "/8", -EINVAL, NULL },
	{ "", -EINVAL, NULL },
	{ "1111111111111111111111111111111111111111111111111111111111111/8", -EINVAL,
	  NULL },
};

static void test_cidr(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(cidrs); i++) {
		char network[VALUE_CIDR_LENGTH] = "";
		int r = value_cidr(cidrs[i].text, network);

		if (r != cidrs[i].r)
			print_error("\"%s\": %d\n", cidrs[i].text, r);
		assert_int_equal(r, cidrs[i].r);
		assert_string_equal(network, cidrs[i].network ? cidrs[i].network : "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),	    cmocka_unit_test(test_bool),
		cmocka_unit_test(test_name),	    cmocka_unit_test(test_path),
		cmocka_unit_test(test_path_within), cmocka_unit_test(test_cidr),
	};

	return cmocka_run_group_tests_name("value", tests, NULL, NULL);
}
