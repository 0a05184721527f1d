/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The end of every run, however it came: kill, confirm, drain, reap.  Each step is
 * bounded, and none is skipped because another failed. */
#include <errno.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/reap.h"
#include "base/tree.h"
#include "guard/guard.h"
#include "run/run.h"
#include "scope/folder.h"

/* Killing a whole namespace takes milliseconds; uninterruptible sleep may last. */
#define DEATH_MS 10000
#define AGAIN_MS 50
#define TOOL_MS 3000
#define GUARD_MS 60000 /* it may have a large tmp to remove */
/* What the command wrote is still passed on: all that a live reader takes until the
 * deadline or, if the run was cut short, within this. */
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

/* Until it becomes the guard, the scope's tool hears nothing, and may wait long for a
 * manager that does not answer.  It still gets a moment: see lives_on. */
static void end_tool(struct run *run)
{
	int64_t deadline = deadline_in_ms(TOOL_MS);

	tell_guard(run, GUARD_KILL);
	while (run->phase == PHASE_SILENT && !run->guard_lost && clock_now() < deadline)
		(void)run_wait(run, NULL, 0, deadline);
	if (run->phase == PHASE_SILENT && run->guard_pidfd >= 0)
		(void)pidfd_send_signal(run->guard_pidfd, SIGKILL, NULL, 0);
}

/* Kill the child by its pidfd: that ends every process of its namespace, stopped and
 * frozen ones too.  Then the launcher and whatever else the guard has. */
static void kill_all(struct run *run)
{
	if (run->scope.path[0]) {
		/* Evidence first: the kill also ends the guard, which keeps a manager's
		 * cgroup alive. */
		scope_read_usage(&run->scope, &run->usage);
		scope_kill(&run->scope);
	}
	if (run->scope.request.size && !scope_is_folder(&run->scope))
		end_tool(run);
	if (run->held.pidfd >= 0 && run->held.ours)
		(void)pidfd_send_signal(run->held.pidfd, SIGKILL, NULL, 0);
	/* A stopped guard hears nothing. */
	if (run->guard_pidfd >= 0)
		(void)pidfd_send_signal(run->guard_pidfd, SIGCONT, NULL, 0);
	tell_guard(run, GUARD_KILL);
}

/* The pidfd of a namespace's init is readable once the whole namespace is gone; the guard
 * sees the end of everything else.  If the guard is lost, only the former counts. */
static bool confirm_death(struct run *run)
{
	int64_t deadline = deadline_in_ms(DEATH_MS);

	if (!run->held.ours) /* not proved to be of this run */
		close_fd(&run->held.pidfd);

	while (!is_dead(run->held.pidfd) ||
	       (run->phase < PHASE_EMPTY && !run->guard_lost)) {
		struct pollfd child = { .fd = run->held.pidfd, .events = POLLIN };
		bool watch_child = !is_dead(run->held.pidfd);

		if (clock_now() >= deadline)
			return false;
		if (run_wait(run, &child, watch_child, deadline_in_ms(AGAIN_MS)) ==
			    -ETIMEDOUT &&
		    watch_child)
			tree_kill(run->held.child);
	}
	return true;
}

/* It has ended, is about to, or is killed. */
void run_reap_guard(struct run *run)
{
	if (run->guard_pidfd >= 0)
		reap(&run->guard_pidfd, GUARD_MS, &run->guard_status);
}

void run_teardown(struct run *run)
{
	int64_t drain = deadline_in_ms(DRAIN_MS);

	if (run->guard_pidfd < 0) {
		scope_close(&run->scope);
		return;
	}
	if (!run->ended_at)
		run->ended_at = clock_now();
	if (run->phase < PHASE_EXITED)
		kill_all(run);
	if (!confirm_death(run)) {
		run->survivor = run->held.child ? run->held.child : run->guard;
		/* It does not answer: do not wait for it again. */
		(void)pidfd_send_signal(run->guard_pidfd, SIGKILL, NULL, 0);
	}
	if (run->guard_lost && run->phase < PHASE_EMPTY && !run->held.ours)
		run_kill_gate_holders(run);
	if (run->network.backend)
		network_stop(&run->network);
	if (run->released_at) {
		bool is_cut = run->ending == ENDING_TIMEOUT ||
			      run->ending == ENDING_CANCEL;

		run_drain(run, is_cut || run->deadline < drain ? drain : run->deadline);
	}
	if (run->phase >= PHASE_EXITED)
		scope_read_usage(&run->scope, &run->usage);
	tell_guard(run, run->io->last ? GUARD_END : GUARD_BYE);
	run_reap_guard(run);
	run->scope_left = !scope_close(&run->scope);
}
