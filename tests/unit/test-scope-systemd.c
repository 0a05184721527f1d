/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The words of systemd-run, and what is made of those that it says. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backend/host.h"
#include "base/argv.h"

extern const struct drupe_backend drupe_backend_v1;

#define TEXT(text) ((char *)(uintptr_t)(text))

static const struct drupe_cgroup_limit every_limit[] = {
	{ DRUPE_CGROUP_MEMORY_MAX, UINT64_C(2) << 30 },
	{ DRUPE_CGROUP_MEMORY_HIGH, 1 << 20 },
	{ DRUPE_CGROUP_MEMORY_SWAP_MAX, 0 },
	{ DRUPE_CGROUP_TASKS_MAX, 512 },
	{ DRUPE_CGROUP_CPU_QUOTA, 250 },
	{ DRUPE_CGROUP_CPU_WEIGHT, 50 },
	{ DRUPE_CGROUP_IO_WEIGHT, 10000 },
};

static struct drupe_scope request(void)
{
	return (struct drupe_scope){
		.size = sizeof(struct drupe_scope),
		.unit = "drupe-1000-7-0123456789abcdef.scope",
		.description = "drupe sandbox",
		.uid = 1000,
		.gid = 100,
		.limit_size = sizeof(every_limit[0]),
	};
}

static void assert_words(const struct drupe_scope *scope, const char *slice,
			 uint64_t features, const char *expected)
{
	struct policy_option option = { .backend = TEXT("systemd"),
					.key = TEXT("slice"),
					.value = TEXT(slice) };
	struct policy policy = { .source = TEXT("p.yaml"),
				 .options = &option,
				 .n_options = slice ? 1 : 0 };
	struct drupe_call call = { .size = sizeof(call),
				   .host = &host_callbacks,
				   .features = features };
	_cleanup_argv_ struct drupe_words words = { 0 };
	struct drupe_options *options = NULL;
	struct error err = { 0 };
	char line[2048] = "";

	assert_int_equal(host_options(&drupe_backend_v1, &policy, &options, &err), 0);
	call.options = options;
	drupe_backend_v1.scope->words(&call, scope, &words);
	assert_int_equal(words.errnum, 0);
	for (size_t i = 0; i < words.count; i++) {
		strcat(line, i > 0 ? "|" : "");
		strcat(line, words.words[i]);
	}
	assert_string_equal(line, expected);
	host_options_free(options);
}

#define FIRST "--scope|--quiet|--collect|--unit=drupe-1000-7-0123456789abcdef.scope|"
#define SAID FIRST "--description=drupe sandbox|"

static void test_user(void **state)
{
	struct drupe_scope scope = request();

	(void)state;
	assert_words(&scope, NULL, 0,
		     SYSTEMD_RUN_PATH "|--user|" SAID "--property=OOMPolicy=continue|--");
}

/* Root's tool takes on the user itself. */
static void test_system(void **state)
{
	struct drupe_scope scope = request();

	(void)state;
	scope.system = true;
	assert_words(&scope, NULL, 0,
		     SYSTEMD_RUN_PATH
		     "|" SAID "--uid=1000|--gid=100|--property=OOMPolicy=continue|--");
}

static void test_options(void **state)
{
	struct drupe_scope scope = request();

	(void)state;
	scope.runtime_max_ms = 105000;
	assert_words(
		&scope, "builds-ci.slice", 1,
		SYSTEMD_RUN_PATH
		"|--user|" SAID "--slice=builds-ci.slice|--expand-environment=no|"
		"--property=OOMPolicy=continue|--property=RuntimeMaxSec=105000ms|--");
}

static void test_limits(void **state)
{
	struct drupe_scope scope = request();

	(void)state;
	scope.limits = every_limit;
	scope.n_limits = sizeof(every_limit) / sizeof(every_limit[0]);
	assert_words(&scope, NULL, 0,
		     SYSTEMD_RUN_PATH
		     "|--user|" SAID "--property=OOMPolicy=continue|"
		     "--property=MemoryMax=2147483648|--property=MemoryHigh=1048576|"
		     "--property=MemorySwapMax=0|--property=TasksMax=512|"
		     "--property=CPUQuota=250%|--property=CPUWeight=50|"
		     "--property=IOWeight=10000|--");
}

/* Whatever a policy can name. */
static void test_enforces(void **state)
{
	(void)state;
	assert_int_equal(N_CGROUP - 1, sizeof(every_limit) / sizeof(every_limit[0]));
	for (size_t i = 1; i < N_CGROUP; i++)
		assert_true(drupe_backend_v1.scope->enforces & UINT64_C(1) << i);
	assert_int_equal(drupe_backend_v1.scope->enforces >> N_CGROUP, 0);
}

static void test_unknown_limit(void **state)
{
	static const struct drupe_cgroup_limit limit[] = {
		{ (enum drupe_cgroup_limit_id)8, 1 }
	};
	struct drupe_call call = { .size = sizeof(call), .host = &host_callbacks };
	_cleanup_argv_ struct drupe_words words = { 0 };
	struct drupe_scope scope = request();
	struct error err = { 0 };

	(void)state;
	scope.limits = limit;
	scope.n_limits = 1;
	drupe_backend_v1.scope->words(&call, &scope, &words);
	assert_true(argv_check(&words, ERROR_BACKEND_FAILED, &err) < 0);
}

static void test_stop(void **state)
{
	struct drupe_call call = { .size = sizeof(call), .host = &host_callbacks };
	_cleanup_argv_ struct drupe_words words = { 0 };
	struct drupe_scope scope = request();

	(void)state;
	drupe_backend_v1.scope->stop_words(&call, &scope, &words);
	assert_int_equal(words.count, 5);
	assert_string_equal(words.words[0], SYSTEMCTL_PATH);
	assert_string_equal(words.words[1], "--user");
	assert_string_equal(words.words[2], "kill");
	assert_string_equal(words.words[3], "--signal=KILL");
	assert_string_equal(words.words[4], scope.unit);
}

/* Whatever was said or not said, there is something to do about it. */
static void test_diagnose(void **state)
{
	static const struct {
		const char *text, *cause, *remedy;
	} cases[] = {
		{ "", "did not move drupe into a scope", "over the system bus" },
		{ "Failed to connect to bus: No medium found", "no user manager",
		  "enable-linger" },
		{ "Failed to connect to user scope bus via local transport: "
		  "$DBUS_SESSION_BUS_ADDRESS and $XDG_RUNTIME_DIR not defined",
		  "no user manager", "XDG_RUNTIME_DIR" },
		{ "Failed to connect to bus: Connection refused", "cannot be reached",
		  "systemctl" },
		{ "Failed to start transient scope unit: Access denied", "refuses",
		  "polkit" },
		{ "Failed to start transient scope unit: Transport endpoint is not "
		  "connected",
		  "did not answer", "stopped" },
		{ "Failed to start transient scope unit: Unit x.scope was already "
		  "loaded or has a fragment file.",
		  "left over", "reset-failed" },
		{ "Job failed. See \"journalctl -xe\" for details.", "could not start",
		  "scope: cgroup2" },
		{ "Failed to execute: Permission denied", "cannot be executed",
		  "drupe-guard" },
	};
	struct drupe_call call = { .size = sizeof(call), .host = &host_callbacks };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct drupe_diagnosis diagnosis = { .size = sizeof(diagnosis) };

		drupe_backend_v1.scope->diagnose(&call, cases[i].text, &diagnosis);
		assert_string_equal(diagnosis.code, "scope-failed");
		assert_non_null(strstr(diagnosis.cause, cases[i].cause));
		assert_non_null(strstr(diagnosis.remedy, cases[i].remedy));
		assert_true(strlen(diagnosis.remedy) < sizeof(((struct error *)0)->hint));
	}
}

static void test_cgroup(void **state)
{
	struct drupe_call call = { .size = sizeof(call), .host = &host_callbacks };
	struct drupe_scope scope = request();
	char text[64];

	(void)state;
	assert_int_equal(
		drupe_backend_v1.scope->cgroup(&call, &scope, text, sizeof(text)), 0);
	assert_string_equal(text, "/drupe-1000-7-0123456789abcdef.scope");
	assert_int_equal(drupe_backend_v1.scope->cgroup(&call, &scope, text, 8),
			 -ENAMETOOLONG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_user),	 cmocka_unit_test(test_system),
		cmocka_unit_test(test_options),	 cmocka_unit_test(test_limits),
		cmocka_unit_test(test_enforces), cmocka_unit_test(test_unknown_limit),
		cmocka_unit_test(test_stop),	 cmocka_unit_test(test_diagnose),
		cmocka_unit_test(test_cgroup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
