/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The end of every run, however it came: kill, confirm, drain, reap.  In the order
 * of the spec, each step bounded, and none left out because another failed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/fd.h"
#include "guard/guard.h"
#include "base/reap.h"
#include "run/run.h"
#include "scope/folder.h"

/* SIGKILL of a whole namespace takes milliseconds; uninterruptible sleep does not end. */
#define DEATH_MS 10000
#define TOOL_MS 3000
#define GUARD_MS 60000 /* it may have a large tmp to remove */
/* What the command wrote must still go out: all of it that a living reader takes
 * until its deadline, or, when the run was cut short, within this. */
#define DRAIN_MS 2000
#define UNKNOWN_TRIES 100

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

/* Before it becomes the guard the scope's tool hears nothing, and may wait long for a
 * manager that does not answer.  It gets a moment all the same: see lives_on. */
static void end_tool(struct run *run)
{
	int64_t deadline = deadline_in_ms(TOOL_MS);

	tell_guard(run, GUARD_KILL);
	while (run->phase == PHASE_SILENT && !run->guard_lost && clock_now() < deadline)
		(void)run_wait(run, NULL, 0, deadline);
	if (run->phase == PHASE_SILENT && run->guard_pidfd >= 0)
		(void)pidfd_send_signal(run->guard_pidfd, SIGKILL, NULL, 0);
}

/* The child by its pidfd: that ends every process of its namespace, stopped and frozen
 * ones too.  Then the launcher and whatever else the guard has. */
static void kill_all(struct run *run)
{
	if (run->scope.path[0]) {
		/* It takes the guard, who keeps a manager's cgroup, as well: evidence
		 * first. */
		scope_read_usage(&run->scope, &run->usage);
		scope_kill(&run->scope);
	}
	if (run->scope.request.size && !scope_is_folder(&run->scope))
		end_tool(run);
	if (run->held.pidfd >= 0 && run->held.ours)
		(void)pidfd_send_signal(run->held.pidfd, SIGKILL, NULL, 0);
	/* One that was stopped hears nothing. */
	if (run->guard_pidfd >= 0)
		(void)pidfd_send_signal(run->guard_pidfd, SIGCONT, NULL, 0);
	tell_guard(run, GUARD_KILL);
}

/* The pidfd of a namespace's init is readable once all in the namespace are gone; the
 * guard saw the end of everything else.  Where the guard is lost, only the first. */
static bool confirm_death(struct run *run)
{
	int64_t deadline = deadline_in_ms(DEATH_MS);

	if (!run->held.ours) /* a stranger that a launcher named: not ours to wait for */
		close_fd(&run->held.pidfd);

	while (!is_dead(run->held.pidfd) ||
	       (run->phase < PHASE_EMPTY && !run->guard_lost)) {
		struct pollfd child = { .fd = run->held.pidfd, .events = POLLIN };
		bool watch_child = !is_dead(run->held.pidfd);

		if (clock_now() >= deadline)
			return false;
		(void)run_wait(run, &child, watch_child, deadline);
	}
	return true;
}

/* ---- what nobody can name ---------------------------------------------------------- */

/* Whether the process of that /proc directory has the pipe open, and is in a PID
 * namespace that is not ours (a process that the caller forked might hold it too). */
static bool holds_gate(int proc, const struct stat *gate, const struct stat *own_pidns)
{
	struct stat st;
	struct dirent *entry;
	bool holds = false;
	int fd;
	DIR *dir;

	if (fstatat(proc, "ns/pid", &st, 0) < 0 || st.st_ino == own_pidns->st_ino)
		return false;
	fd = openat(proc, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		close_fd(&fd);
		return false;
	}
	while (!holds && (entry = readdir(dir)))
		holds = fstatat(dirfd(dir), entry->d_name, &st, 0) == 0 &&
			st.st_dev == gate->st_dev && st.st_ino == gate->st_ino;
	closedir(dir);
	return holds;
}

static int kill_holders(const struct stat *gate, const struct stat *own_pidns)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int killed = 0;

	while (dir && (entry = readdir(dir))) {
		_cleanup_close_ int proc = -1, pidfd = -1;

		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		pidfd = pidfd_open(atoi(entry->d_name), 0);
		proc = openat(dirfd(dir), entry->d_name,
			      O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (pidfd < 0 || proc < 0 || !holds_gate(proc, gate, own_pidns))
			continue;
		(void)pidfd_send_signal(pidfd, SIGKILL, NULL, 0);
		killed++;
	}
	if (dir)
		closedir(dir);
	return killed;
}

/* The guard was killed before the launcher had reported: a child may wait at the gate,
 * for ever, whose number nobody knows.  It has the gate open. */
static void kill_unknown(struct run *run)
{
	const struct timespec pause = { .tv_nsec = 10 * NS_PER_MS };
	struct stat gate, own_pidns;

	if (fstat(run->gate.block_write, &gate) < 0 ||
	    stat("/proc/self/ns/pid", &own_pidns) < 0)
		return;
	for (int i = 0; i < UNKNOWN_TRIES; i++) {
		/* A launcher that is still dying may have forked in this moment. */
		nanosleep(&pause, NULL);
		if (kill_holders(&gate, &own_pidns) == 0 && i > 0)
			return;
	}
}

/* It has ended, or does within moments, or is made to. */
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
		/* It does not answer, and is not waited for once more. */
		(void)pidfd_send_signal(run->guard_pidfd, SIGKILL, NULL, 0);
	}
	if (run->guard_lost && run->phase < PHASE_EMPTY && !run->held.ours)
		kill_unknown(run);
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
