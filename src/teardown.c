/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The end of every run, however it came: kill, confirm, drain, reap.  In the order
 * of the spec, each step bounded, and none left out because another failed. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "clock.h"
#include "fd.h"
#include "guard.h"
#include "run.h"

/* SIGKILL of a whole namespace takes milliseconds; uninterruptible sleep does not end. */
#define DEATH_MS 10000
#define GUARD_MS 2000
/* What the command wrote must still go out: all of it that a living reader takes
 * until its deadline, or, when the run was cut short, within this. */
#define DRAIN_MS 2000

static void tell_guard(const struct run *run, char order)
{
	if (run->control >= 0)
		(void)!send(run->control, &order, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static bool is_dead(int pidfd)
{
	struct pollfd poll_fd = { .fd = pidfd, .events = POLLIN };

	return pidfd < 0 || poll(&poll_fd, 1, 0) > 0;
}

/* The child by its pidfd: that ends every process of its namespace, stopped and frozen
 * ones too.  Then the launcher and whatever else the guard has. */
static void kill_all(struct run *run)
{
	if (run->scope.path[0]) {
		/* It takes the guard, who keeps the cgroup, as well: evidence first. */
		scope_read_usage(&run->scope, &run->usage);
		scope_kill(&run->scope, run->session);
	}
	/* Whatever the scope's tool waits for, it is not for us any more. */
	if (!run->events.started && run->guard_pidfd >= 0)
		(void)pidfd_send_signal(run->guard_pidfd, SIGKILL, NULL, 0);
	if (run->held.pidfd >= 0)
		(void)pidfd_send_signal(run->held.pidfd, SIGKILL, NULL, 0);
	tell_guard(run, GUARD_KILL);
}

/* The pidfd of a namespace's init is readable once all in the namespace are gone; the
 * guard saw the end of everything else.  Where the guard is lost, only the first. */
static bool confirm_death(struct run *run)
{
	int64_t deadline = deadline_in_ms(DEATH_MS);

	while (!is_dead(run->held.pidfd) || (!run->events.empty && !run->events.lost)) {
		struct pollfd child = { .fd = run->held.pidfd, .events = POLLIN };
		bool watch_child = !is_dead(run->held.pidfd);

		if (clock_now() >= deadline)
			return false;
		(void)run_wait(run, &child, watch_child, deadline);
	}
	return true;
}

static void poison(struct run *run)
{
	struct error *err = &run->session->poison;

	error_set(err, ERROR_POISONED, ETIME,
		  "the death of process %d of an earlier command could not be confirmed",
		  run->held.child);
	error_hint(err,
		   "look for processes in uninterruptible sleep; this session takes no "
		   "further command");
}

/* It has ended, or does within moments, or is made to. */
void run_reap_guard(struct run *run)
{
	struct pollfd guard = { .fd = run->guard_pidfd, .events = POLLIN };

	if (run->guard_pidfd < 0)
		return;
	if (poll(&guard, 1, GUARD_MS) <= 0)
		(void)pidfd_send_signal(run->guard_pidfd, SIGKILL, NULL, 0);
	while (waitpid(run->guard, &run->guard_status, 0) < 0 && errno == EINTR)
		;
	close_fd(&run->guard_pidfd);
}

void run_teardown(struct run *run)
{
	bool cut = run->timed_out || run->cut;
	int64_t drain = deadline_in_ms(DRAIN_MS);

	if (run->guard_pidfd < 0) {
		scope_close(&run->scope, run->session);
		return;
	}
	if (!run->ended_at)
		run->ended_at = clock_now();
	if (!run->events.exited)
		kill_all(run);
	if (!confirm_death(run))
		poison(run);
	if (run->session->network)
		network_stop(run);
	if (run->released) {
		if (!cut && run->deadline > drain)
			drain = run->deadline;
		run_drain(run, drain);
	}
	if (run->events.exited)
		scope_read_usage(&run->scope, &run->usage);
	tell_guard(run, GUARD_BYE);
	run_reap_guard(run);
	scope_close(&run->scope, run->session);
}
