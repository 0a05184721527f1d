/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The helper of a network, which is this program again: what is started, and what it must
 * say before it counts as ready. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "net/network.h"

#define SOON_MS 20000

static char own_path[PATH_MAX];

/* ---- the helper: SAYS READY-FD EXIT-FD NETNS USERNS
 * -------------------------------------- */

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static int be_helper(char **argv)
{
	extern char **environ;
	const char *says = argv[1];
	int ready = atoi(argv[2]), end = atoi(argv[3]);
	struct stat st;
	char byte;

	if (environ[0] || stat(argv[4], &st) < 0 || stat(argv[5], &st) < 0)
		says = "";
	for (int fd = 3; fd < 256; fd++)
		if (is_open(fd) && fd != ready && fd != end && fd != atoi(argv[4] + 14) &&
		    fd != atoi(argv[5] + 14))
			says = "";
	if (write(ready, says, strlen(says)) < 0 || close(ready) < 0)
		return 1;
	if (strcmp(argv[6], "ends") == 0)
		return 0;
	return read(end, &byte, 1) != 0; /* until nobody holds the other end */
}

/* ---- starting it
 * ------------------------------------------------------------------------- */

static const char *program, *says, *then;

static void some_words(const struct drupe_call *call, const struct drupe_attach *attach,
		       struct drupe_words *words)
{
	(void)call;
	if (!program)
		return;
	argv_push(words, program);
	argv_push(words, says);
	argv_push(words, attach->ready);
	argv_push(words, attach->exit);
	argv_push(words, attach->netns);
	argv_push(words, attach->userns);
	argv_push(words, then);
}

static struct backend backend = {
	.file = (char[]){ "network-fake.so" },
	.slot = SLOT_NETWORK,
	.object = { .name = (char[]){ "fake" }, .tool = own_path },
	.network = { .size = sizeof(backend.network),
		     .ready = DRUPE_READY_FD,
		     .stop = DRUPE_STOP_EXIT_FD,
		     .words = some_words },
};
static const struct identity identity;

static int start(struct network *network, const char *path, struct error *err)
{
	*network = (struct network)NETWORK_NONE;
	network->backend = &backend;
	network->identity = &identity;
	network->netns = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	network->userns = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
	program = path;
	return network_start(network, err);
}

static void stop(struct network *network)
{
	network_stop(network);
	close(network->netns);
	close(network->userns);
}

/* What counts, once it has said WHAT and then waits, or ENDS. */
static int said(const char *what, const char *afterwards, struct error *err)
{
	struct network network;
	struct pollfd ready = { .events = POLLIN }, process = { .events = POLLIN };
	int r = 0;

	says = what;
	then = afterwards;
	assert_int_equal(start(&network, own_path, err), 0);
	process.fd = network.helper_pidfd;
	if (strcmp(afterwards, "ends") == 0)
		assert_int_equal(poll(&process, 1, SOON_MS), 1);
	ready.fd = network.ready;
	while (r == 0) {
		assert_int_equal(poll(&ready, 1, SOON_MS), 1);
		r = network_helper_said(&network, err);
	}
	stop(&network);
	return r;
}

/* ---- tests
 * --------------------------------------------------------------------------------- */

/* The program that runs is the one that was checked. */
static void test_other_program(void **state)
{
	static const char *const programs[] = { NULL, "/usr/bin/env", "env", "" };

	(void)state;
	says = then = "";
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		struct network network;
		struct error err = { 0 };

		assert_int_equal(start(&network, programs[i], &err), -EINVAL);
		assert_string_equal(error_code_word(err.code), "backend-failed");
		assert_int_equal(network.helper_pidfd, -1);
		stop(&network);
	}
}

static void test_ready(void **state)
{
	struct error err = { 0 };

	(void)state;
	if (said("1", "waits", &err) < 0)
		fail_msg("%s", err.message);
}

/* Anything else than "1", and nothing else, from a process that lives. */
static void test_not_ready(void **state)
{
	static const struct {
		const char *says, *then;
	} rows[] = { { "", "waits" },	 { "0", "waits" },	   { "11", "waits" },
		     { "1\n", "waits" }, { "123456789", "waits" }, { "1", "ends" } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct error err = { 0 };

		if (said(rows[i].says, rows[i].then, &err) >= 0)
			fail_msg("\"%s\" is taken for ready", rows[i].says);
		assert_string_equal(error_code_word(err.code), "network-failed");
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_other_program),
		cmocka_unit_test(test_ready),
		cmocka_unit_test(test_not_ready),
	};

	if (argc == 7)
		return be_helper(argv);
	if (!realpath("/proc/self/exe", own_path))
		return 99;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
