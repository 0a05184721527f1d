/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/procfile.h"

static void test_parent(void **state)
{
	(void)state;
	assert_int_equal(procfile_parent("12 (sh) S 7 12 12 0"), 7);
	/* A name may hold anything. */
	assert_int_equal(procfile_parent("12 (a) R 1 (b) R 7 12"), 7);
	assert_int_equal(procfile_parent("12 (a\nb)) S 8 12"), 8);
	assert_int_equal(procfile_parent("12 (sh) S"), -1);
	assert_int_equal(procfile_parent("12"), -1);
	assert_int_equal(procfile_parent(""), -1);
}

static const char text[] = "Name:\tUid:\nUid:\t1000\t1000\nCapPrm:\t00000000000001ff\n"
			   "CapPrmX:\t0\nflags:\t02000002\nEmpty:\t\nlow 3\n"
			   "oom_kill 2\noom_kill_x 9";

static void test_field(void **state)
{
	unsigned a = 0, b = 0;

	(void)state;
	assert_non_null(procfile_field(text, "Uid"));
	assert_int_equal(sscanf(procfile_field(text, "Uid"), "%u %u", &a, &b), 2);
	assert_int_equal(a, 1000);
	assert_null(procfile_field(text, "ui"));
	assert_null(procfile_field(text, "Cap"));
	assert_null(procfile_field("", "Uid"));
}

static void test_number(void **state)
{
	(void)state;
	assert_int_equal(procfile_number(text, "CapPrm", 16), 0x1ff);
	assert_int_equal(procfile_number(text, "CapPrmX", 16), 0);
	assert_int_equal(procfile_number(text, "flags", 8), 02000002);
	assert_int_equal(procfile_number(text, "low", 10), 3);
	assert_int_equal(procfile_number(text, "oom_kill", 10), 2);
	assert_int_equal(procfile_number(text, "oom_kill_x", 10), 9);
	assert_true(procfile_number(text, "oom", 10) == UINT64_MAX);
	assert_true(procfile_number("Empty:\tx", "Empty", 10) == UINT64_MAX);
	assert_true(procfile_number("Empty:", "Empty", 10) == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parent),
		cmocka_unit_test(test_field),
		cmocka_unit_test(test_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
