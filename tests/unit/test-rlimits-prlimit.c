/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "backend/host.h"
#include "base/argv.h"

static const struct drupe_call call = { .size = sizeof(call), .host = &host_callbacks };

extern const struct drupe_backend drupe_backend_v1;

static void test_words(void **state)
{
	static const struct drupe_rlimit limit[] = { { "nofile", RLIMIT_NOFILE, 4096 },
						     { "core", RLIMIT_CORE, 0 },
						     { "as", RLIMIT_AS,
						       UINT64_C(1) << 40 } };
	static const char *const expected[] = { PRLIMIT_PATH, "--nofile=4096:4096",
						"--core=0:0",
						"--as=1099511627776:1099511627776",
						"--" };
	struct drupe_rlimits limits = { sizeof(limits), limit, 3, sizeof(limit[0]) };
	_cleanup_argv_ struct drupe_words words = { 0 };

	(void)state;
	drupe_backend_v1.rlimits->words(&call, &limits, &words);
	assert_int_equal(words.errnum, 0);
	assert_int_equal(words.count, sizeof(expected) / sizeof(expected[0]));
	for (size_t i = 0; i < words.count; i++)
		assert_string_equal(words.words[i], expected[i]);
}

static void test_no_limits(void **state)
{
	struct drupe_rlimits limits = { .size = sizeof(limits),
					.limit_size = sizeof(struct drupe_rlimit) };
	_cleanup_argv_ struct drupe_words words = { 0 };

	(void)state;
	drupe_backend_v1.rlimits->words(&call, &limits, &words);
	assert_int_equal(words.count, 2);
	assert_string_equal(words.words[1], "--");
}

/* Each limit that a policy can name, and a host of a later version that knows more. */
static void test_names(void **state)
{
	static const char *const names[] = { "nofile", "core",	"cpu",	 "fsize",
					     "as",     "nproc", "stack", "memlock" };
	struct {
		struct drupe_rlimit limit;
		uint64_t later;
	} later[2] = { { .limit = { "core", RLIMIT_CORE, 1 } } };
	struct drupe_rlimits limits = { sizeof(limits), &later[0].limit, 2,
					sizeof(later[0]) };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		_cleanup_argv_ struct drupe_words words = { 0 };

		later[1].limit.name = names[i];
		drupe_backend_v1.rlimits->words(&call, &limits, &words);
		assert_int_equal(words.errnum, 0);
		assert_int_equal(words.count, 4);
	}
}

static void test_unknown_name(void **state)
{
	static const struct drupe_rlimit limit[] = { { "rtprio", 14, 1 } };
	struct drupe_rlimits limits = { sizeof(limits), limit, 1, sizeof(limit[0]) };
	_cleanup_argv_ struct drupe_words words = { 0 };
	struct error err = { 0 };

	(void)state;
	drupe_backend_v1.rlimits->words(&call, &limits, &words);
	assert_true(argv_check(&words, ERROR_BACKEND_FAILED, &err) < 0);
	assert_string_equal(err.message, "prlimit has no limit called \"rtprio\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_no_limits),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_unknown_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
