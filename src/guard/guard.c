/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * drupe-guard: the executor's own process between it and the launcher.
 *
 *   drupe-guard --control=FD --block=FD --sync=FD --keep=FD,...
 *           [--leave] [--tmp=DIR [--make-tmp=FD]] [--cgroup=DIR --cgroup-procs=FD]
 *           -- LAUNCHER...
 *
 *   drupe-guard --control=FD --tmp=DIR --make-tmp=-
 *
 * See guard.h for what it is for; the second form is the keeper of keeper.h.  It starts
 * the launcher with an empty environment, with the descriptors of --keep and no others,
 * and with neither the caller's priority nor its keyring.
 */
#include "guard/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/ioprio.h>
#include <linux/keyctl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/rmtree.h"
#include "base/tree.h"
#include "guard/descriptors.h"
#include "guard/kill.h"
#include "guard/tmp.h"
#include "scope/cgroup-folder.h"

#define MAX_KEEP 256
#define RELIST_MS 10	  /* /proc/…/children may miss one while others exit */
#define CGROUP_MS 2000	  /* until the last killed process has left the cgroup */
#define ORPHAN_TRIES 1000 /* of 10 ms */
#define KEYRING_TRIES 500 /* of 2 ms: quota is returned with a delay */

struct guard {
	int control, block, sync, signals;
	int keep[MAX_KEEP];
	size_t n_keep;
	const char *tmp;    /* removed when the executor is gone */
	bool make_tmp;	    /* and made by us: */
	int tmp_place;	    /* the launcher's descriptor of it; -1: none */
	int tmp_lock;	    /* tells sweepers of leftovers that it is in use */
	const char *cgroup; /* a folder of ours, removed at the end; we stay outside: */
	int cgroup_procs;   /* the launcher enters through this */
	char **launcher;
	pid_t pid;	 /* of the launcher, 0: reaped */
	bool dying;	 /* kill whatever there is */
	bool orphaned;	 /* the executor is gone without a goodbye */
	bool remove_tmp; /* before the exit */
	bool empty;	 /* GUARD_EMPTY was sent */
	bool leave;	 /* exit then, without a goodbye */
};

static void say(const struct guard *guard, uint32_t event, uint32_t what, int value)
{
	struct guard_message message = { .event = event, .what = what, .value = value };

	/* A dead executor shows as a closed lifeline in the loop. */
	(void)!send(guard->control, &message, sizeof(message), MSG_NOSIGNAL);
}

static int parse_fd(const char *text)
{
	char *end;
	long fd = strtol(text, &end, 10);

	if (end == text || (*end != '\0' && *end != ',') || fd < 0 || fd >= 1 << 20)
		return -1;
	return (int)fd;
}

static bool parse_keep(struct guard *guard, const char *list)
{
	while (*list) {
		int fd = parse_fd(list);

		if (fd < 0 || guard->n_keep == MAX_KEEP)
			return false;
		guard->keep[guard->n_keep++] = fd;
		list += strcspn(list, ",");
		list += *list == ',';
	}
	return true;
}

static bool parse_arguments(struct guard *guard, char **argv)
{
	for (argv++; *argv && strcmp(*argv, "--") != 0; argv++) {
		if (strncmp(*argv, "--control=", 10) == 0)
			guard->control = parse_fd(*argv + 10);
		else if (strncmp(*argv, "--block=", 8) == 0)
			guard->block = parse_fd(*argv + 8);
		else if (strncmp(*argv, "--sync=", 7) == 0)
			guard->sync = parse_fd(*argv + 7);
		else if (strcmp(*argv, "--leave") == 0)
			guard->leave = true;
		else if (strncmp(*argv, "--tmp=", 6) == 0)
			guard->tmp = *argv + 6;
		else if (strncmp(*argv, "--make-tmp=", 11) == 0) {
			guard->make_tmp = true;
			guard->tmp_place = parse_fd(*argv + 11);
		} else if (strncmp(*argv, "--cgroup=", 9) == 0)
			guard->cgroup = *argv + 9;
		else if (strncmp(*argv, "--cgroup-procs=", 15) == 0)
			guard->cgroup_procs = parse_fd(*argv + 15);
		else if (strncmp(*argv, "--keep=", 7) != 0 ||
			 !parse_keep(guard, *argv + 7))
			return false;
	}
	if (!*argv) /* nothing to start: the keeper of a session's tmp */
		return guard->control >= 0 && guard->tmp && guard->make_tmp;
	if (!argv[1])
		return false;
	guard->launcher = argv + 1;
	return guard->control >= 0 && guard->block >= 0 && guard->sync >= 0 &&
	       (guard->tmp || !guard->make_tmp) &&
	       (guard->cgroup != NULL) == (guard->cgroup_procs >= 0);
}

/* The command must not be better protected or scheduled than a plain process; what is
 * already modest stays as it is. */
static void give_up_priority(void)
{
	const struct rlimit none = { 0, 0 };
	struct sched_param param = { 0 };
	int fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
	char text[16] = "";
	long policy;

	if (fd >= 0) {
		if (read(fd, text, sizeof(text) - 1) > 0 && text[0] == '-')
			(void)!pwrite(fd, "0", 1, 0);
		close(fd);
	}
	/* Raw system calls: musl's functions of that name always fail. */
	policy = syscall(SYS_sched_getscheduler, 0);
	if (policy == SCHED_FIFO || policy == SCHED_RR)
		(void)syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &param);
	if (getpriority(PRIO_PROCESS, 0) < 0)
		(void)setpriority(PRIO_PROCESS, 0, 0);
	if (syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, 0) >> IOPRIO_CLASS_SHIFT ==
	    IOPRIO_CLASS_RT)
		(void)syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0,
			      IOPRIO_CLASS_NONE << IOPRIO_CLASS_SHIFT);
	/* Nor may it take that back. */
	(void)setrlimit(RLIMIT_NICE, &none);
	(void)setrlimit(RLIMIT_RTPRIO, &none);
}

/* A process that inherits the caller's session keyring can read the keys in it. */
static int leave_keyring(void)
{
	const struct timespec pause = { .tv_nsec = 2000000 };

	for (int i = 0; i < KEYRING_TRIES; i++) {
		if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) >= 0)
			return 0;
		if (errno == ENOSYS) /* a kernel without keys has none to leak */
			return 0;
		if (errno != EDQUOT)
			return -errno;
		nanosleep(&pause, NULL);
	}
	return -EDQUOT;
}

static int setup(struct guard *guard)
{
	sigset_t all, mine;

	sigfillset(&all);
	if (sigprocmask(SIG_SETMASK, &all, NULL) < 0)
		return -errno;
	/* The executor armed it for the time before we had the lifeline.  Now it only
	 * wakes us, if we are stopped, to see that the lifeline is cut. */
	if (prctl(PR_SET_PDEATHSIG, SIGCONT) < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
		return -errno;
	(void)setsid(); /* fails if we already lead a group, which is as good */
	sigemptyset(&mine);
	sigaddset(&mine, SIGCHLD);
	sigaddset(&mine, SIGTERM);
	sigaddset(&mine, SIGINT);
	sigaddset(&mine, SIGHUP);
	guard->signals = signalfd(-1, &mine, SFD_CLOEXEC | SFD_NONBLOCK);
	if (guard->signals < 0 || fcntl(guard->control, F_SETFD, FD_CLOEXEC) < 0)
		return -errno;
	umask(022);
	give_up_priority();
	return 0;
}

/* In the vfork child: memory is shared with the guard, which is suspended. */
static void become_launcher(const struct guard *guard, pid_t parent,
			    volatile uint32_t *ret_step, volatile int *ret_errnum)
{
	static char *const no_environment[] = { NULL };
	sigset_t none;
	int r;

	*ret_step = GUARD_STEP_SETUP;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent) {
		*ret_errnum = ESRCH;
		_exit(127);
	}
	*ret_step = GUARD_STEP_CGROUP;
	r = guard->cgroup ? cgroup_folder_enter(guard->cgroup_procs) : 0;
	if (r < 0) {
		*ret_errnum = -r;
		_exit(127);
	}
	*ret_step = GUARD_STEP_DESCRIPTOR;
	r = guard_lay_descriptors(guard->block, guard->sync, guard->keep, guard->n_keep);
	if (r < 0) {
		*ret_errnum = -r;
		_exit(127);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	*ret_step = GUARD_STEP_EXEC;
	execve(guard->launcher[0], guard->launcher, no_environment);
	*ret_errnum = errno;
	_exit(127);
}

static bool start(struct guard *guard)
{
	volatile uint32_t step = 0;
	volatile int errnum = 0;
	pid_t self = getpid();
	pid_t pid = vfork();

	if (pid == 0)
		become_launcher(guard, self, &step, &errnum);
	if (pid < 0)
		errnum = errno;
	if (errnum) {
		if (pid > 0)
			waitpid(pid, NULL, 0);
		say(guard, GUARD_FAILED, step, errnum);
		return false;
	}
	guard->pid = pid;
	say(guard, GUARD_STARTED, 0, pid);
	return true;
}

/* The guard must hold nothing of the run open, neither its pipes nor its gate. */
static void close_all_but_mine(const struct guard *guard)
{
	const int mine[] = { guard->control, guard->signals, guard->tmp_lock };
	int next = 0;

	/* Ascending: each time the smallest of mine not yet passed. */
	for (;;) {
		int smallest = INT_MAX;

		for (size_t i = 0; i < sizeof(mine) / sizeof(mine[0]); i++)
			if (mine[i] >= next && mine[i] < smallest)
				smallest = mine[i];
		if (smallest > next)
			syscall(SYS_close_range, next,
				smallest == INT_MAX ? ~0U : (unsigned)smallest - 1, 0);
		if (smallest == INT_MAX)
			return;
		next = smallest + 1;
	}
}

/* Report the launcher's end with STATUS and, if nothing else is left, that too: in one
 * call, so that the executor wakes once for both. */
static void say_exited(struct guard *guard, int status, bool empty)
{
	struct guard_message texts[] = { { .event = GUARD_EXITED, .value = status },
					 { .event = GUARD_EMPTY } };
	struct iovec parts[] = { { &texts[0], sizeof(texts[0]) },
				 { &texts[1], sizeof(texts[1]) } };
	struct mmsghdr messages[] = {
		{ .msg_hdr = { .msg_iov = &parts[0], .msg_iovlen = 1 } },
		{ .msg_hdr = { .msg_iov = &parts[1], .msg_iovlen = 1 } },
	};

	(void)!sendmmsg(guard->control, messages, empty ? 2 : 1, MSG_NOSIGNAL);
	guard->empty |= empty;
}

/* Reap the dead.  Once the launcher is dead, the run is over for all others. */
static void reap(struct guard *guard)
{
	bool exited = false;
	int status = 0, one;
	pid_t pid;

	while ((pid = waitpid(-1, &one, WNOHANG)) > 0) {
		if (pid != guard->pid)
			continue;
		guard->pid = 0;
		guard->dying = exited = true;
		status = one;
	}
	if (exited) {
		say_exited(guard, status, pid < 0 && errno == ECHILD);
	} else if (pid < 0 && errno == ECHILD && !guard->empty) {
		guard->empty = true;
		say(guard, GUARD_EMPTY, 0, 0);
	}
}

/* True when the executor said goodbye. */
static bool listen_to_executor(struct guard *guard)
{
	char order = 0;
	ssize_t n = recv(guard->control, &order, 1, MSG_DONTWAIT);

	if (n == 1 && order == GUARD_END)
		guard->remove_tmp = true;
	if (n == 1 && (order == GUARD_BYE || order == GUARD_END))
		return true;
	if (n == 1 && order == GUARD_KILL)
		guard->dying = true;
	else if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		guard->dying = guard->orphaned = guard->remove_tmp = true;
	return false;
}

static void drain_signals(struct guard *guard)
{
	struct signalfd_siginfo info;

	while (read(guard->signals, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			guard->dying = true;
}

/* Between the spawn and here a scope's tool may have waited for its manager. */
static bool is_wanted(struct guard *guard)
{
	struct pollfd control = { .fd = guard->control, .events = POLLIN };

	if (poll(&control, 1, 0) > 0 && listen_to_executor(guard))
		guard->orphaned = true; /* wait for nothing */
	if (!guard->dying && !guard->orphaned)
		return true;
	say(guard, GUARD_EMPTY, 0, 0);
	return false;
}

/* Without a scope the executor has nothing left to read or ask once all are gone. */
static bool is_over(const struct guard *guard)
{
	return guard->empty && (guard->orphaned || guard->leave);
}

/* Usually the children are enough, and everything dies with them.  What holds one of them
 * back is among the processes below. */
static void kill_all(bool again)
{
	guard_kill_children();
	if (again)
		tree_kill(getpid());
}

static void watch(struct guard *guard)
{
	bool again = false;

	while (!is_over(guard)) {
		struct pollfd fds[] = {
			{ .fd = guard->signals, .events = POLLIN },
			{ .fd = guard->orphaned ? -1 : guard->control, .events = POLLIN },
		};

		poll(fds, 2, guard->dying && !guard->empty ? RELIST_MS : -1);
		if (fds[1].revents && listen_to_executor(guard))
			return;
		drain_signals(guard);
		reap(guard);
		if (guard->dying && !guard->empty) {
			kill_all(again);
			again = true;
			reap(guard);
		}
	}
}

/* The guards of a killed executor's other runs may still be killing their commands. */
static int remove_tmp(const struct guard *guard)
{
	const struct timespec pause = { .tv_nsec = 10 * 1000 * 1000 };
	int r = rmtree_at(AT_FDCWD, guard->tmp);

	for (int i = 0; r < 0 && guard->orphaned && i < ORPHAN_TRIES; i++) {
		nanosleep(&pause, NULL);
		r = rmtree_at(AT_FDCWD, guard->tmp);
	}
	return r;
}

static int leave(const struct guard *guard)
{
	int r = 0;

	/* What we cannot remove is left to the executor, or to the next sweep. */
	if (guard->cgroup)
		r = cgroup_folder_remove(guard->cgroup, CGROUP_MS);
	if ((guard->remove_tmp || guard->leave) && guard->tmp && remove_tmp(guard) < 0)
		r = -1;
	return r < 0;
}

int main(int argc, char **argv)
{
	struct guard guard = { .control = -1,
			       .block = -1,
			       .sync = -1,
			       .tmp_place = -1,
			       .tmp_lock = -1,
			       .cgroup_procs = -1 };
	int r;

	if (argc < 2 || !parse_arguments(&guard, argv)) {
		fputs("drupe-guard: this is a part of drupe, not to be run by hand\n",
		      stderr);
		return 125;
	}
	r = setup(&guard);
	if (r < 0) {
		say(&guard, GUARD_FAILED, GUARD_STEP_SETUP, -r);
		return 125;
	}
	r = leave_keyring();
	if (r < 0) {
		say(&guard, GUARD_FAILED, GUARD_STEP_KEYRING, -r);
		return 125;
	}
	r = guard.make_tmp ? guard_tmp_make(guard.tmp, guard.tmp_place, &guard.tmp_lock)
			   : 0;
	if (r < 0) {
		say(&guard, GUARD_FAILED, GUARD_STEP_TMP, -r);
		guard.tmp = NULL; /* not ours to remove */
	}
	if (r == 0 && !guard.launcher)
		say(&guard, GUARD_EMPTY, 0, 0); /* the tmp is there */
	guard.empty = r < 0 || !guard.launcher || !is_wanted(&guard) || !start(&guard);
	close_all_but_mine(&guard);
	watch(&guard);
	/* Nothing to flush or free; and a sanitizer's leak check, which stops this
	 * process from another one, can hang while all signals are blocked. */
	_exit(leave(&guard));
}
