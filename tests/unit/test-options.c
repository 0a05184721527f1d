/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "cli/options.h"

static struct options options;
static struct error err;

/* Parse a line of words, separated by blanks, as `drupe run` would. */
static int parse(const char *line, enum command_bit command)
{
	static char text[512];
	static char *argv[64];
	char *rest = text, *word;
	int argc = 0;

	snprintf(text, sizeof(text), "%s", line);
	while ((word = strsep(&rest, " ")))
		argv[argc++] = word;
	argv[argc] = NULL;
	memset(&options, 0, sizeof(options));
	memset(&err, 0, sizeof(err));
	return options_parse(argc, argv, command, &options, &err);
}

static void options_end_where_the_command_begins(void **state)
{
	(void)state;
	assert_int_equal(parse("run -q make -j2 --json", FOR_RUN), 0);
	assert_int_equal(options.n_rest, 3);
	assert_string_equal(options.rest[0], "make");
	assert_false(options.json);
	assert_true(options.quiet);
	assert_int_equal(parse("run -- --version", FOR_RUN), 0);
	assert_string_equal(options.rest[0], "--version");
	assert_false(options.version);
}

static void values_are_taken(void **state)
{
	(void)state;
	assert_int_equal(
		parse("run -p p -P q -w /w -t 1.5s -r /a --read /b -u me --report f "
		      "--read-only --single-root -i x",
		      FOR_RUN),
		0);
	assert_string_equal(options.policy, "p");
	assert_string_equal(options.request.profile, "q");
	assert_string_equal(options.request.workspace, "/w");
	assert_int_equal(options.request.timeout_ms, 1500);
	assert_int_equal(options.request.n_reads, 2);
	assert_string_equal(options.request.reads[1], "/b");
	assert_string_equal(options.request.user, "me");
	assert_string_equal(options.report, "f");
	assert_true(options.request.read_only && options.request.single_root &&
		    options.request.pass_stdin);
}

static void misuse_is_told(void **state)
{
	static const char *const lines[] = {
		"run -t 5 x",
		"run -t 0s x",
		"run -t -1s x",
		"run -t",
		"run --nosuch x",
		"run -Z x",
		"run --network --no-network x",
		"run --dump x y",
		"run --workspace",
		"run --backend-dir /no/such/dir x",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_true(parse(lines[i], FOR_RUN) < 0);
		assert_int_equal(err.code, ERROR_USAGE);
		assert_true(err.message[0] && err.hint[0]);
	}
}

static void json_is_seen_beside_an_error(void **state)
{
	(void)state;
	assert_true(parse("run --nosuch --json x", FOR_RUN) < 0);
	assert_true(options.json);
	assert_true(parse("run --json -t 5 x", FOR_RUN) < 0);
	assert_true(options.json);
}

/* A later option would make a beginning that is unique today mean nothing, or another. */
static void a_beginning_is_no_option(void **state)
{
	static const char *const lines[] = {
		"run --no x",	 "run --networ x",    "run --jso x",
		"run --report=", "run --timeou 5s x", "run --timeou=5s x",
		"run --re x",	 "run -q --single x",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		bool whole = strstr(lines[i], "--report=");

		assert_int_equal(parse(lines[i], FOR_RUN) == 0, whole);
		assert_false(options.json || options.request.single_root);
		assert_true(options.request.network == ASK_DEFAULT &&
			    options.request.timeout_ms == 0);
		if (!whole)
			assert_non_null(strstr(err.message, "there is no option --"));
	}
	assert_true(parse("run -qz --json x", FOR_RUN) < 0);
	assert_string_equal(err.message, "there is no option -qz here");
	assert_int_equal(parse("run --timeout=5s -t 6s --timeout 7s x", FOR_RUN), 0);
	assert_int_equal(options.request.timeout_ms, 7000);
}

static void each_command_has_its_own(void **state)
{
	(void)state;
	assert_int_equal(parse("backends --dump x --json", FOR_BACKENDS), 0);
	assert_string_equal(options.dump, "x");
	assert_true(parse("check -w /x", FOR_CHECK) < 0);
	assert_true(parse("plan --report f x", FOR_PLAN) < 0);
	assert_int_equal(parse("preflight -w /x --network", FOR_PREFLIGHT), 0);
	assert_int_equal(options.request.network, ASK_YES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_end_where_the_command_begins),
		cmocka_unit_test(values_are_taken),
		cmocka_unit_test(misuse_is_told),
		cmocka_unit_test(json_is_seen_beside_an_error),
		cmocka_unit_test(a_beginning_is_no_option),
		cmocka_unit_test(each_command_has_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
