/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The gate opens by one byte, once, and by nothing else (R5). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/gate.h"

#define STILL_MS 300 /* what has not happened by then is taken for never */
#define SOON_MS 10000

static int count_descriptors(void)
{
	int count = 0;

	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void each_end(const struct gate *gate, int (*ret_ends)[6])
{
	const int ends[] = { gate->info_read,	 gate->info_write, gate->status_read,
			     gate->status_write, gate->block_read, gate->block_write };

	memcpy(*ret_ends, ends, sizeof(ends));
}

static void test_open(void **state)
{
	struct gate gate = GATE_NONE;
	int ends[6], before = count_descriptors();

	(void)state;
	assert_int_equal(gate_open(&gate, NULL), 0);
	each_end(&gate, &ends);
	for (size_t i = 0; i < 6; i++) {
		int flags = fcntl(ends[i], F_GETFL);
		struct stat st, other;

		assert_true(ends[i] > 2);
		assert_int_equal(fcntl(ends[i], F_GETFD), FD_CLOEXEC);
		assert_int_equal(flags & O_NONBLOCK, 0);
		assert_int_equal(flags & O_ACCMODE, i % 2 ? O_WRONLY : O_RDONLY);
		assert_int_equal(fstat(ends[i], &st), 0);
		assert_true(S_ISFIFO(st.st_mode));
		assert_int_equal(fstat(ends[i ^ 1], &other), 0);
		assert_true(st.st_ino == other.st_ino);
	}
	gate_close(&gate);
	each_end(&gate, &ends);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(ends[i], -1);
	assert_int_equal(count_descriptors(), before);
}

/* A limit below which exactly ROOM numbers are free. */
static rlim_t limit_for(rlim_t room)
{
	int fd = 0;

	for (;; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		if (room-- == 0)
			return (rlim_t)fd;
	}
}

static void test_descriptors_run_out(void **state)
{
	struct rlimit before, limit;
	int count = count_descriptors();

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	for (rlim_t room = 0; room <= 6; room++) {
		struct gate gate = GATE_NONE;
		struct error err = { 0 };
		int r;

		limit = before;
		limit.rlim_cur = limit_for(room);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
		r = gate_open(&gate, &err);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
		if (room == 6) {
			assert_int_equal(r, 0);
			gate_close(&gate);
		} else {
			assert_int_equal(r, -EMFILE);
			assert_int_equal(err.code, ERROR_SYSTEM);
			assert_int_equal(gate.block_read, -1);
		}
		assert_int_equal(count_descriptors(), count);
	}
}

/* A process at the gate as the launcher's child is: it holds both ends, and tells on
 * TOLD what its read returned. */
static pid_t wait_at(struct gate *gate, int *ret_told)
{
	int told[2];
	pid_t pid;

	assert_int_equal(pipe(told), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		char byte = 0, answer[2];
		ssize_t n = read(gate->block_read, &byte, 1);
		int left = 0;

		ioctl(gate->block_read, FIONREAD, &left);
		answer[0] = (char)n;
		answer[1] = (char)left;
		(void)!write(told[1], answer, sizeof(answer));
		_exit(0);
	}
	close(told[1]);
	*ret_told = told[0];
	gate_close_child_ends(gate);
	return pid;
}

static bool has_told(int told, int ms)
{
	struct pollfd answer = { .fd = told, .events = POLLIN };

	return poll(&answer, 1, ms) > 0;
}

static void test_release(void **state)
{
	struct gate gate = GATE_NONE;
	char answer[2];
	int told;
	pid_t pid;

	(void)state;
	assert_int_equal(gate_open(&gate, NULL), 0);
	pid = wait_at(&gate, &told);
	assert_false(has_told(told, STILL_MS));
	assert_int_equal(gate_release(&gate), 0);
	assert_true(has_told(told, SOON_MS));
	assert_int_equal(read(told, answer, sizeof(answer)), sizeof(answer));
	assert_int_equal(answer[0], 1); /* it read one byte, */
	assert_int_equal(answer[1], 0); /* and no more is there */
	assert_int_equal(gate.block_write, -1);
	/* The second time there is nothing to write to. */
	assert_int_equal(gate_release(&gate), -EBADF);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(told);
	gate_close(&gate);
}

static void test_closing_is_no_release(void **state)
{
	struct gate gate = GATE_NONE;
	int told;
	pid_t pid;

	(void)state;
	assert_int_equal(gate_open(&gate, NULL), 0);
	pid = wait_at(&gate, &told);
	gate_close(&gate);
	assert_false(has_told(told, STILL_MS));
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(told);
}

static void test_nobody_waits(void **state)
{
	struct gate gate = GATE_NONE;

	(void)state;
	assert_int_equal(gate_open(&gate, NULL), 0);
	gate_close_child_ends(&gate);
	assert_int_equal(gate.info_write, -1);
	assert_int_equal(gate.status_write, -1);
	assert_int_equal(gate.block_read, -1);
	assert_int_equal(gate_release(&gate), -EPIPE);
	gate_close(&gate);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_descriptors_run_out),
		cmocka_unit_test(test_release),
		cmocka_unit_test(test_closing_is_no_release),
		cmocka_unit_test(test_nobody_waits),
	};

	signal(SIGPIPE, SIG_IGN); /* as whoever runs runs does */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
