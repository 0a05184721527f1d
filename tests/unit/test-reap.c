/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The end of a child: in time, by force, taken by others, held by a tracer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/reap.h"

#define LONG_MS 60000

static pid_t start(void (*body)(int), int argument, int *ret_pidfd)
{
	pid_t pid = fork();

	if (pid == 0) {
		body(argument);
		_exit(99);
	}
	assert_true(pid > 0);
	*ret_pidfd = pidfd_open(pid, 0);
	assert_true(*ret_pidfd >= 0);
	return pid;
}

static void body_exit(int code)
{
	_exit(code);
}

static void body_wait(int unused)
{
	(void)unused;
	signal(SIGTERM, SIG_IGN);
	for (;;)
		pause();
}

static void assert_no_child(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void test_exit(void **state)
{
	int pidfd, status = -1;

	(void)state;
	(void)start(body_exit, 7, &pidfd);
	reap(&pidfd, LONG_MS, &status);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	assert_int_equal(pidfd, -1);
	assert_no_child();
	reap(&pidfd, LONG_MS, &status); /* nothing, and at once */
}

static void test_by_force(void **state)
{
	int pidfd, status = 0;

	(void)state;
	for (int grace_ms = 0; grace_ms < 60; grace_ms += 30) {
		(void)start(body_wait, 0, &pidfd);
		reap(&pidfd, (uint64_t)grace_ms, &status);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), SIGKILL);
		assert_int_equal(pidfd, -1);
		assert_no_child();
	}
}

/* A caller of the library may wait for any child. */
static void test_taken_by_another(void **state)
{
	int pidfd, status = -1;
	pid_t pid;

	(void)state;
	pid = start(body_exit, 7, &pidfd);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	reap(&pidfd, LONG_MS, &status);
	assert_int_equal(status, 0);
	assert_int_equal(pidfd, -1);
}

static bool is_our_child(pid_t pid)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/* Two siblings; the second holds the first, dead or alive, until it is killed. */
static int told[2];

static void tell(int errnum)
{
	(void)!write(told[1], &errnum, sizeof(errnum));
}

static int be_told(void)
{
	int errnum = -1;

	assert_int_equal(read(told[0], &errnum, sizeof(errnum)), sizeof(errnum));
	return errnum;
}

static void body_traced(int unused)
{
	/* Where Yama lets only an ancestor trace. */
	(void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	tell(0);
	body_wait(unused);
}

static void body_tracer(int pid)
{
	tell(ptrace(PTRACE_SEIZE, pid, NULL, NULL) < 0 ? errno : 0);
	body_wait(0);
}

static void test_traced(void **state)
{
	int traced, tracer, other, status = -1;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(told), 0);
	pid = start(body_traced, 0, &traced);
	assert_int_equal(be_told(), 0);
	(void)start(body_tracer, pid, &tracer);
	assert_int_equal(be_told(), 0);
	reap(&traced, 0, &status);
	/* Dead, and not to be had: nobody waits for it for ever, and nobody forgets it.
	 */
	assert_int_equal(traced, -1);
	assert_int_equal(status, 0);
	assert_true(is_our_child(pid));
	reap(&tracer, 0, NULL);
	(void)start(body_exit, 0, &other);
	reap(&other, LONG_MS, NULL);
	assert_no_child();
	close(told[0]);
	close(told[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exit),
		cmocka_unit_test(test_by_force),
		cmocka_unit_test(test_taken_by_another),
		cmocka_unit_test(test_traced),
	};

	alarm(120); /* what waits for ever fails */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
