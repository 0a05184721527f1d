/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/reap.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/fd.h"

/* How long a killed process may take to die on a loaded machine. */
#define KILL_MS 1000
#define STEP_NS NS_PER_MS

/* Children that could not be reaped in time. */
static struct {
	pthread_mutex_t lock;
	int *pidfds;
	size_t count;
} left = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int status_of(const siginfo_t *info)
{
	switch (info->si_code) {
	case CLD_EXITED:
		return W_EXITCODE(info->si_status, 0);
	case CLD_DUMPED:
		return W_EXITCODE(0, info->si_status) | WCOREFLAG;
	default:
		return W_EXITCODE(0, info->si_status);
	}
}

/* By pidfd, not by pid: a caller that waits for any child may have reaped it, and the
 * pid may have been reused. */
static bool take(int pidfd, int *ret_status)
{
	siginfo_t info = { 0 };

	if (waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED | WNOHANG) < 0)
		return true;
	if (info.si_pid == 0)
		return false;
	*ret_status = status_of(&info);
	return true;
}

/* The tracer of a dead process may reap it before we can. */
static bool take_until(int pidfd, int64_t deadline, int *ret_status)
{
	const struct timespec step = { .tv_nsec = STEP_NS };
	struct pollfd process = { .fd = pidfd, .events = POLLIN };

	if (poll_until(&process, 1, deadline) <= 0)
		return false;
	deadline = deadline_in_ms(KILL_MS);
	while (!take(pidfd, ret_status)) {
		if (clock_now() >= deadline)
			return false;
		nanosleep(&step, NULL);
	}
	return true;
}

static void take_left(void)
{
	size_t kept = 0;
	int status;

	pthread_mutex_lock(&left.lock);
	for (size_t i = 0; i < left.count; i++)
		if (take(left.pidfds[i], &status))
			close_fd(&left.pidfds[i]);
		else
			left.pidfds[kept++] = left.pidfds[i];
	left.count = kept;
	if (kept == 0) {
		free(left.pidfds);
		left.pidfds = NULL;
	}
	pthread_mutex_unlock(&left.lock);
}

/* Out of memory: it stays a zombie until we end. */
static void leave(int *pidfd)
{
	int *more;

	pthread_mutex_lock(&left.lock);
	more = reallocarray(left.pidfds, left.count + 1, sizeof(*more));
	if (more) {
		left.pidfds = more;
		left.pidfds[left.count++] = take_fd(pidfd);
	}
	pthread_mutex_unlock(&left.lock);
}

void reap(int *pidfd, uint64_t grace_ms, int *ret_status)
{
	int status = 0;

	if (*pidfd < 0)
		return;
	take_left();
	if (grace_ms == 0 || !take_until(*pidfd, deadline_in_ms(grace_ms), &status)) {
		(void)pidfd_send_signal(*pidfd, SIGKILL, NULL, 0);
		if (!take_until(*pidfd, deadline_in_ms(KILL_MS), &status))
			leave(pidfd);
	}
	close_fd(pidfd);
	if (ret_status)
		*ret_status = status;
}
