/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls into backends: they take turns, a function that is NULL has its answer, and no
 * message has a tool of NULL in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "backend/call.h"
#include "base/argv.h"
#include "base/fd.h"

static atomic_int other; /* the second thread's id, once it is about to call */
static atomic_bool second_is_in;

static int second_status(const struct drupe_call *call, const char *text, size_t length,
			 struct drupe_exit *ret_exit)
{
	(void)call;
	(void)text;
	(void)length;
	(void)ret_exit;
	second_is_in = true;
	return 0;
}

/* It sleeps: nothing but the turn can be what it waits for. */
static bool second_waits(void)
{
	char path[64], text[512];
	const char *end;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", other);
	if (other == 0 || fd_read_file(AT_FDCWD, path, text, sizeof(text)) <= 0)
		return false;
	end = strrchr(text, ')');
	return end && end[2] == 'S';
}

static void *call_second(void *data)
{
	struct drupe_exit ended;

	other = gettid();
	call_parse_status(data, "", 0, &ended);
	return NULL;
}

static struct backend launcher;
static pthread_t second;

/* The second thread calls another backend while this one is in. */
static void first_words(const struct drupe_call *call, const struct drupe_rlimits *limits,
			struct drupe_words *words)
{
	(void)call;
	(void)limits;
	(void)words;
	assert_int_equal(pthread_create(&second, NULL, call_second, &launcher), 0);
	while (!second_is_in && !second_waits())
		sched_yield();
	assert_false(second_is_in);
}

static struct backend rlimits = {
	.slot = SLOT_RLIMITS,
	.file = (char[]){ "/b/rlimits-r.so" },
	.object = { .name = "r", .tool = "/usr/bin/r" },
	.rlimits = { .words = first_words },
};
static struct backend launcher = {
	.slot = SLOT_LAUNCHER,
	.file = (char[]){ "/b/launcher-l.so" },
	.object = { .name = "l", .tool = "/usr/bin/l" },
	.launcher = { .parse_status = second_status },
};
static struct backend scope = {
	.slot = SLOT_SCOPE,
	.file = (char[]){ "/b/scope-s.so" },
	.object = { .name = "s" },
};

static void one_thread_at_a_time(void **state)
{
	const struct drupe_rlimits limits = { .size = sizeof(limits) };
	struct drupe_words words = { 0 };

	(void)state;
	call_rlimits_words(&rlimits, &limits, &words);
	pthread_join(second, NULL);
	assert_true(second_is_in);
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
