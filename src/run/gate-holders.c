/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kill a child that waits at the gate under an unknown pid. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/fd.h"
#include "run/run.h"

#define TRIES 100

/* Whether the process with the /proc directory PROC has the pipe open, and is in another
 * PID namespace (a process forked by the caller might hold the pipe too). */
static bool holds_gate(int proc, const struct stat *gate, const struct stat *own_pidns)
{
	struct stat st;
	struct dirent *entry;
	bool holds = false;
	DIR *dir;

	if (fstatat(proc, "ns/pid", &st, 0) < 0 || st.st_ino == own_pidns->st_ino)
		return false;
	dir = fd_listing(proc, "fd");
	if (!dir)
		return false;
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

/* The guard was killed before the launcher had reported: a child of unknown pid may wait
 * at the gate for ever.  It has the gate open. */
void run_kill_gate_holders(struct run *run)
{
	const struct timespec pause = { .tv_nsec = 10 * NS_PER_MS };
	struct stat gate, own_pidns;

	if (fstat(run->gate.block_write, &gate) < 0 ||
	    stat("/proc/self/ns/pid", &own_pidns) < 0)
		return;
	for (int i = 0; i < TRIES; i++) {
		/* A launcher that is still dying may just have forked. */
		nanosleep(&pause, NULL);
		if (kill_holders(&gate, &own_pidns) == 0 && i > 0)
			return;
	}
}
