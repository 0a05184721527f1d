/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls into backends: they take turns, a function that is NULL has its answer, and no
 * message has a tool of NULL in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "backend/call.h"
#include "base/argv.h"

#define CALLS 20000

static int inside, met; /* changed without a lock: the turns are the lock */

static void be_inside(void)
{
	if (++inside != 1)
		met++;
	sched_yield();
	inside--;
}

static void busy_words(const struct drupe_call *call, const struct drupe_rlimits *limits,
		       struct drupe_words *words)
{
	(void)call;
	(void)limits;
	(void)words;
	be_inside();
}

static int busy_status(const struct drupe_call *call, const char *text, size_t length,
		       struct drupe_exit *ret_exit)
{
	(void)call;
	(void)text;
	(void)length;
	(void)ret_exit;
	be_inside();
	return 0;
}

static struct backend rlimits = {
	.slot = SLOT_RLIMITS,
	.file = (char[]){ "/b/rlimits-r.so" },
	.object = { .name = "r", .tool = "/usr/bin/r" },
	.rlimits = { .words = busy_words },
};
static struct backend launcher = {
	.slot = SLOT_LAUNCHER,
	.file = (char[]){ "/b/launcher-l.so" },
	.object = { .name = "l", .tool = "/usr/bin/l" },
	.launcher = { .parse_status = busy_status },
};
static struct backend scope = {
	.slot = SLOT_SCOPE,
	.file = (char[]){ "/b/scope-s.so" },
	.object = { .name = "s" },
};

static void *call_launcher(void *data)
{
	struct drupe_exit ended;

	for (int i = 0; i < CALLS; i++)
		call_parse_status(&launcher, "", 0, &ended);
	return data;
}

static void one_thread_at_a_time(void **state)
{
	const struct drupe_rlimits limits = { .size = sizeof(limits) };
	struct drupe_words words = { 0 };
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, call_launcher, NULL), 0);
	for (int i = 0; i < CALLS; i++)
		call_rlimits_words(&rlimits, &limits, &words);
	pthread_join(thread, NULL);
	assert_int_equal(met, 0);
	assert_int_equal(inside, 0);
}

static void without_the_function(void **state)
{
	const struct backend *backends[] = { &scope, &launcher };
	struct drupe_cgroup_setup setup = { .folder = "left over", .n_writes = 3 };
	struct drupe_diagnosis diagnosis;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		memset(&diagnosis, 0xff, sizeof(diagnosis));
		call_diagnose(backends[i], "text", &diagnosis);
		assert_null(diagnosis.code);
		assert_null(diagnosis.cause);
		assert_null(diagnosis.remedy);
	}
	assert_int_equal(call_scope_setup(&scope, NULL, &setup), 0);
	assert_string_equal(setup.folder, "");
	assert_int_equal(setup.n_writes, 0);
}

static void without_a_tool(void **state)
{
	struct drupe_words words = { 0 };

	(void)state;
	assert_string_equal(backend_tool(&launcher), "/usr/bin/l");
	assert_string_equal(backend_tool(&scope), "/b/scope-s.so");
	assert_false(backend_runs_tool(&launcher, &words));
	argv_push(&words, "/usr/bin/l");
	assert_true(backend_runs_tool(&launcher, &words));
	assert_false(backend_runs_tool(&rlimits, &words));
	argv_free(&words);
	argv_push(&words, scope.file);
	assert_false(backend_runs_tool(&scope, &words));
	argv_free(&words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_thread_at_a_time),
		cmocka_unit_test(without_the_function),
		cmocka_unit_test(without_a_tool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
