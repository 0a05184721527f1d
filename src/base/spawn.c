/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/fd.h"

/* Between vfork and exec memory is the parent's: only system calls, and results
 * through `failed`. */
struct attempt {
	const struct spawn *spawn;
	pid_t parent;
	volatile int errnum;
	const char *volatile failed;
};

/* By raw system calls: libc refuses the two signals that it uses itself, and a caller
 * may have them ignored as well. */
static void reset_signals(void)
{
	const unsigned char plain[64] = { 0 }; /* the kernel's sigaction: SIG_DFL is 0 */
	sigset_t none;

	for (int signal = 1; signal < NSIG; signal++)
		syscall(SYS_rt_sigaction, signal, plain, NULL,
			NSIG / 8); /* KILL, STOP: no matter */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Raw system calls: libc's would change the other threads of the process too. */
static int take_identity(const struct identity *identity, bool keeps_ids)
{
	if (syscall(SYS_setgroups, identity->n_groups, identity->groups) < 0)
		return -1;
	if (keeps_ids)
		return 0;
	if (syscall(SYS_setresgid, identity->gid, identity->gid, identity->gid) < 0 ||
	    syscall(SYS_setresuid, identity->uid, identity->uid, identity->uid) < 0)
		return -1;
	return 0;
}

/* Without the privilege to set it a process may go back to the lowest value that was set
 * with it: what root was protected by must be given up while we are root. */
static void unprotect(void)
{
	int fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
	char text[16] = "";

	if (fd < 0)
		return;
	if (read(fd, text, sizeof(text) - 1) > 0 && text[0] == '-')
		(void)!pwrite(fd, "0", 1, 0);
	close(fd);
}

/* R7: everything is closed by the exec but 0, 1, 2 and the list. */
static int lay_descriptors(const struct spawn *spawn)
{
	for (int i = 0; i < 3; i++)
		if (dup2(spawn->stdio[i], i) < 0)
			return -1;
	if (close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) < 0)
		return -1;
	for (size_t i = 0; i < spawn->n_inherit; i++)
		if (fcntl(spawn->inherit[i], F_SETFD, 0) < 0)
			return -1;
	return 0;
}

static const char *become(const struct attempt *attempt)
{
	const struct spawn *spawn = attempt->spawn;

	reset_signals();
	umask(022);
	if (chdir("/") < 0)
		return "chdir to /";
	if (lay_descriptors(spawn) < 0)
		return "lay the descriptors";
	if (spawn->nofile && setrlimit(RLIMIT_NOFILE, spawn->nofile) < 0)
		return "set the number of descriptors";
	if (spawn->identity && spawn->identity->drop)
		unprotect();
	if (spawn->identity && spawn->identity->drop &&
	    take_identity(spawn->identity, spawn->keeps_ids) < 0)
		return "take on the user";
	/* After the user was changed, which clears it. */
	if (!spawn->lives_on && prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return "arm the parent-death signal";
	if (getppid() != attempt->parent) {
		errno = ESRCH;
		return "outlive the parent";
	}
	execve(spawn->argv[0], spawn->argv, spawn->envp);
	return "execute";
}

static pid_t start(struct attempt *attempt)
{
	pid_t pid = vfork();

	if (pid == 0) {
		attempt->failed = become(attempt);
		attempt->errnum = errno;
		_exit(127);
	}
	return pid;
}

int spawn_process(const struct spawn *spawn, pid_t *ret_pid, int *ret_pidfd,
		  struct error *err)
{
	struct attempt attempt = { .spawn = spawn, .parent = getpid() };
	/* Keep a number free for the pidfd: a guard killed for lack of one may already
	 * have started a launcher, whose child would live on. */
	_cleanup_close_ int reserved = -1, pidfd = -1;
	sigset_t all, before;
	pid_t pid;
	int errnum, r = fd_null(O_RDONLY, &reserved, NULL);

	if (r < 0)
		return error_set(err, ERROR_SPAWN_FAILED, -r,
				 "no descriptor is left for a pidfd: %s", strerror(-r));
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = start(&attempt);
	errnum = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (pid < 0)
		return error_set(err, ERROR_SPAWN_FAILED, errnum, "cannot fork: %s",
				 strerror(errnum));
	if (attempt.failed) {
		enum error_code code = attempt.errnum == E2BIG ? ERROR_ARGUMENTS_TOO_LONG
							       : ERROR_SPAWN_FAILED;

		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		return error_set(err, code, attempt.errnum, "%s: cannot %s: %s",
				 spawn->argv[0], attempt.failed,
				 strerror(attempt.errnum));
	}
	close_fd(&reserved);
	/* Ours and not reaped: the number cannot have been reused. */
	pidfd = fd_above_stdio(pidfd_open(pid, 0));
	if (pidfd < 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return error_set(err, ERROR_SPAWN_FAILED, -pidfd,
				 "cannot open a pidfd: %s", strerror(-pidfd));
	}
	if (ret_pid)
		*ret_pid = pid;
	*ret_pidfd = take_fd(&pidfd);
	return 0;
}
