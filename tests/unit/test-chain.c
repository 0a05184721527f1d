/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* R1: the order, and what a backend may not get away with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/host.h"
#include "plan/chain.h"

/* ---- backends made of a list of words ---- */

static const char *const *launcher_words, *const *rlimits_words, *const *scope_words;

static void push_list(struct drupe_words *words, const char *const *list)
{
	for (; *list; list++)
		argv_push(words, *list);
}

static void make_launcher(const struct drupe_call *call,
			  const struct drupe_launch *launch, struct drupe_words *words)
{
	(void)call;
	(void)launch;
	push_list(words, launcher_words);
}

static void make_rlimits(const struct drupe_call *call,
			 const struct drupe_rlimits *limits, struct drupe_words *words)
{
	(void)call;
	(void)limits;
	push_list(words, rlimits_words);
}

static void make_scope(const struct drupe_call *call, const struct drupe_scope *scope,
		       struct drupe_words *words)
{
	(void)call;
	(void)scope;
	push_list(words, scope_words);
}

static const struct drupe_guarantee_word guarantees[] = {
	{ DRUPE_UNSHARE_NET, "--unshare-net" },
	{ DRUPE_NEW_SESSION, "--new-session" },
};

static struct backend launcher = {
	.slot = SLOT_LAUNCHER,
	.file = (char[]){ "/b/launcher-l.so" },
	.object = { .name = "l", .tool = "/usr/bin/l" },
	.launcher = { .guarantees = guarantees,
		      .n_guarantees = 2,
		      .guarantee_size = sizeof(guarantees[0]),
		      .words = make_launcher },
};
static struct backend rlimits = {
	.slot = SLOT_RLIMITS,
	.file = (char[]){ "/b/rlimits-r.so" },
	.object = { .name = "r", .tool = "/usr/bin/r" },
	.rlimits = { .words = make_rlimits },
};
static struct backend scope = {
	.slot = SLOT_SCOPE,
	.file = (char[]){ "/b/scope-s.so" },
	.object = { .name = "s", .tool = "/usr/bin/s" },
	.scope = { .words = make_scope },
};

static const char *const good_launcher[] = { "/usr/bin/l", "--unshare-net",
					     "--new-session", "--", NULL };
static const char *const good_rlimits[] = { "/usr/bin/r", "--nofile=1:1", "--", NULL };
static const char *const good_scope[] = { "/usr/bin/s", "--scope", "--", NULL };

static int setup(void **state)
{
	(void)state;
	launcher_words = good_launcher;
	rlimits_words = good_rlimits;
	scope_words = good_scope;
	return 0;
}

/* The folder of a scope that has no words. */
static const char *cgroup;

static int build(bool scoped, struct chain *chain, struct error *err)
{
	char *const command[] = { (char[]){ "--version" }, (char[]){ "--" }, NULL };
	const struct chain_words words = { .guard = "/g",
					   .control_fd = "{c}",
					   .info_fd = "{i}",
					   .status_fd = "{s}",
					   .block_fd = "{b}",
					   .sync_fd = "{y}",
					   .keep = "{k}",
					   .tmp = "{t}",
					   .cgroup = cgroup,
					   .cgroup_procs = "{p}" };
	static const struct drupe_scope request = { .size = sizeof(request) };
	static const struct plan plan;
	struct backend *backends[N_SLOTS] = { scoped ? &scope : NULL, &launcher, &rlimits,
					      NULL };
	const struct chain_input input = {
		.backends = backends,
		.plan = &plan,
		.scope = scoped ? &request : NULL,
		.words = &words,
		.command = command,
	};

	return chain_build(&input, chain, err);
}

static void expect_refused(const char *message)
{
	struct chain chain;
	struct error err = { 0 };

	assert_int_equal(build(true, &chain, &err), -EINVAL);
	assert_int_equal(err.code, ERROR_BACKEND_FAILED);
	assert_non_null(strstr(err.message, message));
}

static void the_order_is_fixed(void **state)
{
	static const char *const expected[] = {
		"/usr/bin/s",
		"--scope",
		"--",
		"/g",
		"--control={c}",
		"--block={b}",
		"--sync={y}",
		"--keep={k}",
		"--tmp={t}",
		"--",
		"/usr/bin/l",
		"--unshare-net",
		"--new-session",
		"--",
		"/usr/bin/r",
		"--nofile=1:1",
		"--",
		"--version",
		"--",
	};
	struct drupe_words words = { 0 };
	struct chain chain;
	struct error err = { 0 };

	(void)state;
	assert_int_equal(build(true, &chain, &err), 0);
	chain_join(&chain, &words);
	assert_int_equal(words.count, sizeof(expected) / sizeof(expected[0]));
	for (size_t i = 0; i < words.count; i++)
		assert_string_equal(words.words[i], expected[i]);
	argv_free(&words);
	chain_free(&chain);
}

static void the_guard_enters_a_folder(void **state)
{
	static const char *const expected[] = {
		"/g",	      "--control={c}", "--block={b}",	  "--sync={y}",
		"--keep={k}", "--tmp={t}",     "--cgroup=/sys/x", "--cgroup-procs={p}",
		"--",
	};
	struct chain chain;
	struct error err = { 0 };

	(void)state;
	cgroup = "/sys/x";
	assert_int_equal(build(true, &chain, &err), 0);
	cgroup = NULL;
	assert_int_equal(chain.segments[SEGMENT_GUARD].count,
			 sizeof(expected) / sizeof(expected[0]));
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_string_equal(chain.segments[SEGMENT_GUARD].words[i], expected[i]);
	chain_free(&chain);
}

static void no_scope_is_an_empty_segment(void **state)
{
	struct chain chain;
	struct error err = { 0 };

	(void)state;
	assert_int_equal(build(false, &chain, &err), 0);
	assert_int_equal(chain.segments[SEGMENT_SCOPE].count, 0);
	assert_string_equal(chain.segments[SEGMENT_GUARD].words[0], "/g");
	chain_free(&chain);
}

static void the_checked_tool_comes_first(void **state)
{
	static const char *const other[] = { "/usr/bin/x", "--unshare-net",
					     "--new-session", "--", NULL };
	static const char *const none[] = { NULL };

	(void)state;
	launcher_words = other;
	expect_refused("do not start with its tool");
	launcher_words = none;
	expect_refused("do not start with its tool");
	setup(NULL);
	rlimits_words = other;
	expect_refused("do not start with its tool");
	setup(NULL);
	scope_words = other;
	expect_refused("do not start with its tool");
}

static void options_end_before_the_next_layer(void **state)
{
	static const char *const open_launcher[] = { "/usr/bin/l", "--unshare-net",
						     "--new-session", NULL };
	static const char *const open_rlimits[] = { "/usr/bin/r", NULL };
	static const char *const open_scope[] = { "/usr/bin/s", "--scope", NULL };

	(void)state;
	launcher_words = open_launcher;
	expect_refused("do not end with");
	setup(NULL);
	rlimits_words = open_rlimits;
	expect_refused("do not end with");
	setup(NULL);
	scope_words = open_scope;
	expect_refused("do not end with");
}

static void every_guarantee_stands_in_the_words(void **state)
{
	static const char *const no_net[] = { "/usr/bin/l", "--new-session", "--", NULL };
	static const char *const no_session[] = { "/usr/bin/l", "--unshare-net", "--",
						  NULL };

	(void)state;
	launcher_words = no_net;
	expect_refused("lack the mandatory \"--unshare-net\"");
	launcher_words = no_session;
	expect_refused("lack the mandatory \"--new-session\"");
}

static void a_failed_push_sticks(void **state)
{
	struct drupe_words words = { 0 };
	struct error err = { 0 };

	(void)state;
	argv_push(&words, "a");
	argv_push(&words, NULL);
	argv_fail(&words, E2BIG, "later");
	argv_push(&words, "b");
	assert_int_equal(argv_check(&words, ERROR_BACKEND_FAILED, &err), -EINVAL);
	assert_string_equal(err.message, "a word is missing (NULL)");
	assert_int_equal(words.count, 1);
	argv_free(&words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_order_is_fixed, setup),
		cmocka_unit_test_setup(the_guard_enters_a_folder, setup),
		cmocka_unit_test_setup(no_scope_is_an_empty_segment, setup),
		cmocka_unit_test_setup(the_checked_tool_comes_first, setup),
		cmocka_unit_test_setup(options_end_before_the_next_layer, setup),
		cmocka_unit_test_setup(every_guarantee_stands_in_the_words, setup),
		cmocka_unit_test(a_failed_push_sticks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
