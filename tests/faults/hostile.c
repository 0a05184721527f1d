/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hostile MODE MARKER: what a command does that wants to stay.  It runs inside.
 * First it makes the file MARKER in the working directory, the proof that it ran;
 * then
 *
 *   sleep    sleeps
 *   daemon   leaves a process behind in a session of its own, with all streams
 *            closed, and sleeps
 *   leave    the same, but ends itself
 *   stop     stops all it can, and itself
 *   forks    forks until it may not, each child as well, and all ignore signals
 *   fill     fills /tmp with folders that take their time to be removed, makes the
 *            file MARKER.filled and ends
 *   disarm   takes the death signal off the sandbox's init, makes the file
 *            MARKER.disarmed and leaves a daemon behind; where it cannot, it sleeps
 *   seize    leaves a process behind that holds the sandbox's init back where that dies
 *            (PTRACE_O_TRACEEXIT), and sleeps
 *   seized   the same, but ends itself; 98 where it cannot
 *   freeze   ends and leaves the sandbox's init stopped, which a signal from inside
 *            cannot do
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <unistd.h>

#include "disarm.h"

#define FOLDERS 100
#define FILES 15

static void forever(void)
{
	for (;;)
		pause();
}

static void leave_daemon(void)
{
	if (fork() != 0)
		return;
	setsid();
	if (fork() != 0)
		_exit(0);
	for (int fd = 0; fd < 64; fd++)
		close(fd);
	for (int signal = 1; signal < NSIG; signal++)
		(void)sigaction(signal, &(struct sigaction){ .sa_handler = SIG_IGN },
				NULL);
	forever();
}

static void fork_loop(void)
{
	for (int signal = 1; signal < NSIG; signal++)
		(void)sigaction(signal, &(struct sigaction){ .sa_handler = SIG_IGN },
				NULL);
	for (;;)
		if (fork() < 0)
			usleep(1000);
}

static void touch(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0)
		exit(99);
	close(fd);
}

static void fill(const char *marker)
{
	char name[256];

	for (int i = 0; i < FOLDERS; i++) {
		snprintf(name, sizeof(name), "/tmp/%d", i);
		mkdir(name, 0700);
		for (int j = 0; j < FILES; j++) {
			snprintf(name, sizeof(name), "/tmp/%d/%d", i, j);
			touch(name);
		}
		snprintf(name, sizeof(name), "/tmp/%d", i);
		chmod(name, 0);
	}
	snprintf(name, sizeof(name), "%s.filled", marker);
	touch(name);
}

static void disarm(const char *marker)
{
	char name[256];
	const char *failed = disarm_init();

	if (failed) {
		fprintf(stderr, "hostile: %s\n", failed);
		forever();
	}
	leave_daemon();
	snprintf(name, sizeof(name), "%s.disarmed", marker);
	touch(name);
	forever();
}

/* Whether a daemon traces init now. */
static bool seize(void)
{
	int told[2];
	char done = 0;

	if (pipe(told) < 0)
		exit(99);
	if (fork() == 0) {
		setsid();
		done = ptrace(PTRACE_SEIZE, 1, NULL, (void *)PTRACE_O_TRACEEXIT) == 0;
		if (write(told[1], &done, 1) != 1 || !done)
			_exit(1);
		for (int fd = 0; fd < 64; fd++)
			close(fd);
		forever();
	}
	if (read(told[0], &done, 1) != 1)
		exit(99);
	return done;
}

static int freeze(void)
{
	const char *failed = freeze_init();

	if (failed)
		fprintf(stderr, "hostile: %s\n", failed);
	return failed ? 98 : 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc == 3 ? argv[1] : "";

	if (argc == 3)
		touch(argv[2]);
	if (strcmp(mode, "daemon") == 0 || strcmp(mode, "leave") == 0)
		leave_daemon();
	else if (strcmp(mode, "stop") == 0)
		kill(-1, SIGSTOP), raise(SIGSTOP);
	else if (strcmp(mode, "forks") == 0)
		fork_loop();
	else if (strcmp(mode, "fill") == 0)
		fill(argv[2]);
	else if (strcmp(mode, "disarm") == 0)
		disarm(argv[2]);
	else if (strcmp(mode, "freeze") == 0)
		return freeze();
	else if (strcmp(mode, "seized") == 0)
		return seize() ? 0 : 98;
	else if (strcmp(mode, "seize") == 0)
		(void)seize();
	else if (strcmp(mode, "sleep") != 0)
		return 99;
	if (strcmp(mode, "leave") != 0 && strcmp(mode, "fill") != 0)
		forever();
	return 0;
}
