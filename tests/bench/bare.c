/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bare.h"

#include <fcntl.h>
#include <linux/nsfs.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "guard/guard.h"
#include "guard/netns.h"

#define MAX_WORDS 1024
#define PATIENCE_MS 10000

enum pipe { INFO, BLOCK, READY, EXIT, N_PIPES };

struct attempt {
	int pipes[N_PIPES][2]; /* read, write */
	int netns, userns, pidfd;
	int guard_control, joiner_control;
	pid_t launcher, child, joiner, helper; /* launcher: or the guard */
};

static void number(char *to, int value)
{
	sprintf(to, "%d", value);
}

/* Start ARGV with these descriptors; what it prints is nobody's. */
static pid_t start(char **argv, const int *inherit, size_t n)
{
	static char *const no_environment[] = { NULL };
	pid_t pid = vfork();

	if (pid != 0)
		return pid;
	dup2(open("/dev/null", O_RDWR), 2);
	dup2(2, 0);
	dup2(2, 1);
	for (size_t i = 0; i < n; i++)
		fcntl(inherit[i], F_SETFD, 0);
	execve(argv[0], argv, no_environment);
	_exit(127);
}

enum { GUARD_WORDS = 5, GUARD_WORD = 128 };

/* Its words, before those of the launcher. */
static size_t guard_words(const struct bare *bare, const struct attempt *attempt,
			  int control, char (*texts)[GUARD_WORDS][GUARD_WORD],
			  char **argv)
{
	char *keep = (*texts)[3];

	sprintf((*texts)[0], "--control=%d", control);
	sprintf((*texts)[1], "--block=%d", attempt->pipes[BLOCK][0]);
	sprintf((*texts)[2], "--sync=%d", attempt->pipes[BLOCK][1]);
	sprintf(keep, "--keep=%d,%d,%d", attempt->pipes[INFO][1],
		attempt->pipes[BLOCK][0], attempt->pipes[BLOCK][1]);
	for (size_t i = 0; i < bare->n_data; i++)
		sprintf(keep + strlen(keep), ",%d", bare->data[i]);
	strcpy((*texts)[4], "--");
	*argv++ = bare->guard;
	for (size_t i = 0; i < GUARD_WORDS; i++)
		*argv++ = (*texts)[i];
	return 1 + GUARD_WORDS;
}

static void start_launcher(const struct bare *bare, struct attempt *attempt)
{
	static char info_word[] = "--info-fd", block_word[] = "--block-fd",
		    sync_word[] = "--sync-fd";
	char info[16], block[16], sync[16];
	char *argv[MAX_WORDS], **at = argv, texts[GUARD_WORDS][GUARD_WORD];
	int control[2] = { -1, -1 };
	int inherit[4 + BARE_MAX_DATA] = { attempt->pipes[INFO][1],
					   attempt->pipes[BLOCK][0],
					   attempt->pipes[BLOCK][1] };

	number(info, attempt->pipes[INFO][1]);
	number(block, attempt->pipes[BLOCK][0]);
	number(sync, attempt->pipes[BLOCK][1]);
	if (bare->guard &&
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) == 0)
		at += guard_words(bare, attempt, control[1], &texts, at);
	attempt->guard_control = control[0];
	for (char **word = bare->launcher; *word; word++)
		*at++ = *word;
	*at++ = info_word, *at++ = info, *at++ = block_word, *at++ = block;
	*at++ = sync_word, *at++ = sync;
	for (char **word = bare->command; *word; word++)
		*at++ = *word;
	*at = NULL;
	for (size_t i = 0; i < bare->n_data; i++) {
		lseek(bare->data[i], 0, SEEK_SET);
		inherit[3 + i] = bare->data[i];
	}
	inherit[3 + bare->n_data] = control[1];
	attempt->launcher = start(argv, inherit, 3 + bare->n_data + (control[1] >= 0));
	close(control[1]);
}

static void start_joiner(const struct bare *bare, struct attempt *attempt)
{
	char control_word[32], userns[32], netns[32];
	char *argv[] = {
		bare->joiner, control_word, userns, netns, (char[]){ "--tap=tap0" }, NULL
	};
	int control[2] = { -1, -1 };

	if (!bare->joiner ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) < 0)
		return;
	sprintf(control_word, "--control=%d", control[1]);
	sprintf(userns, "--userns=%d", attempt->userns);
	sprintf(netns, "--netns=%d", attempt->netns);
	attempt->joiner = start(
		argv, (int[]){ control[1], attempt->userns, attempt->netns }, 3);
	attempt->joiner_control = control[0];
	close(control[1]);
}

static bool has_joined(const struct attempt *attempt)
{
	struct netns_message message = { .event = NETNS_JOINED };

	if (attempt->joiner > 0)
		(void)!recv(attempt->joiner_control, &message, sizeof(message), 0);
	return message.event == NETNS_JOINED;
}

static void end_joiner(struct attempt *attempt)
{
	close(attempt->joiner_control);
	attempt->joiner_control = -1;
	if (attempt->joiner > 0)
		waitpid(attempt->joiner, NULL, 0);
	attempt->joiner = 0;
}

static bool read_report(struct attempt *attempt)
{
	char text[4096];
	size_t used = 0;
	ssize_t n;
	const char *key;

	close(attempt->pipes[INFO][1]);
	attempt->pipes[INFO][1] = -1;
	while (used < sizeof(text) - 1 && (n = read(attempt->pipes[INFO][0], text + used,
						    sizeof(text) - 1 - used)) > 0)
		used += (size_t)n;
	text[used] = '\0';
	key = strstr(text, "\"child-pid\": ");
	attempt->child = key ? atoi(key + strlen("\"child-pid\": ")) : -1;
	return attempt->child > 0;
}

static bool pin(struct attempt *attempt)
{
	char path[64];

	sprintf(path, "/proc/%d/ns/net", attempt->child);
	attempt->netns = open(path, O_RDONLY | O_CLOEXEC);
	attempt->userns = ioctl(attempt->netns, NS_GET_USERNS);
	attempt->pidfd = pidfd_open(attempt->child, 0);
	return attempt->netns >= 0 && attempt->userns >= 0 && attempt->pidfd >= 0;
}

/* The child has no capability left: it reads the gate now. */
static bool wait_for_block_point(const struct attempt *attempt)
{
	int64_t deadline = deadline_in_ms(PATIENCE_MS);
	char path[64], text[4096];

	sprintf(path, "/proc/%d/status", attempt->child);
	while (clock_now() < deadline) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

		close(fd);
		if (n <= 0)
			return false;
		text[n] = '\0';
		if (strstr(text, "CapEff:\t0000000000000000"))
			return true;
		usleep(60);
	}
	return false;
}

static void start_helper(const struct bare *bare, struct attempt *attempt)
{
	char userns[64], netns[64], ready[16], exit_word[16];
	char *pinned[] = { bare->helper,
			   (char[]){ "--configure" },
			   (char[]){ "--disable-host-loopback" },
			   (char[]){ "--netns-type=path" },
			   userns,
			   (char[]){ "--ready-fd" },
			   ready,
			   (char[]){ "--exit-fd" },
			   exit_word,
			   netns,
			   (char[]){ "tap0" },
			   NULL };
	char *by_pid[] = { bare->helper,
			   (char[]){ "--configure" },
			   (char[]){ "--disable-host-loopback" },
			   (char[]){ "--ready-fd" },
			   ready,
			   (char[]){ "--exit-fd" },
			   exit_word,
			   netns,
			   (char[]){ "tap0" },
			   NULL };
	const int inherit[] = { attempt->pipes[READY][1], attempt->pipes[EXIT][0],
				attempt->netns, attempt->userns };

	number(ready, attempt->pipes[READY][1]);
	number(exit_word, attempt->pipes[EXIT][0]);
	sprintf(userns, "--userns-path=/proc/self/fd/%d", attempt->userns);
	if (bare->by_pid)
		number(netns, attempt->child);
	else
		sprintf(netns, "/proc/self/fd/%d", attempt->netns);
	attempt->helper = start(bare->by_pid ? by_pid : pinned, inherit,
				bare->by_pid ? 2 : 4);
	close(attempt->pipes[READY][1]);
	attempt->pipes[READY][1] = -1;
}

static bool is_ready(const struct attempt *attempt)
{
	struct pollfd ready = { .fd = attempt->pipes[READY][0], .events = POLLIN };
	struct pollfd child = { .fd = attempt->pidfd, .events = POLLIN };
	char answer = 0;

	return poll(&ready, 1, PATIENCE_MS) > 0 && read(ready.fd, &answer, 1) == 1 &&
	       answer == '1' && poll(&child, 1, 0) == 0;
}

static bool attach_and_release(const struct bare *bare, struct attempt *attempt)
{
	if (!read_report(attempt) || !pin(attempt))
		return false;
	start_joiner(bare, attempt);
	if (bare->wait && !wait_for_block_point(attempt))
		return false;
	usleep(bare->delay_ms * 1000);
	if (!has_joined(attempt))
		return false;
	start_helper(bare, attempt);
	if (!is_ready(attempt))
		return false;
	end_joiner(attempt);
	return write(attempt->pipes[BLOCK][1], "x", 1) == 1;
}

/* The launcher's status, as the guard tells it. */
static int ask_guard(const struct attempt *attempt)
{
	const char bye = GUARD_BYE;
	struct guard_message message = { 0 };
	int status = -1;

	while (message.event != GUARD_EMPTY &&
	       recv(attempt->guard_control, &message, sizeof(message), 0) > 0)
		if (message.event == GUARD_EXITED)
			status = message.value;
	(void)!send(attempt->guard_control, &bye, 1, MSG_NOSIGNAL);
	return status;
}

static bool end(struct attempt *attempt, bool good)
{
	int status = -1;

	if (!good && attempt->child > 0)
		kill(attempt->child, SIGKILL);
	if (!good)
		kill(attempt->launcher, SIGKILL);
	if (attempt->guard_control >= 0)
		status = ask_guard(attempt);
	waitpid(attempt->launcher, attempt->guard_control < 0 ? &status : NULL, 0);
	close(attempt->guard_control);
	end_joiner(attempt);
	close(attempt->pipes[EXIT][1]);
	attempt->pipes[EXIT][1] = -1;
	if (attempt->helper > 0)
		waitpid(attempt->helper, NULL, 0);
	for (size_t i = 0; i < N_PIPES; i++) {
		close(attempt->pipes[i][0]);
		close(attempt->pipes[i][1]);
	}
	close(attempt->netns);
	close(attempt->userns);
	close(attempt->pidfd);
	return good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool bare_run(const struct bare *bare, int64_t *ret_ns)
{
	struct attempt attempt = { .netns = -1,
				   .userns = -1,
				   .pidfd = -1,
				   .guard_control = -1,
				   .joiner_control = -1 };
	int64_t begin;
	bool good;

	for (size_t i = 0; i < N_PIPES; i++)
		if (pipe2(attempt.pipes[i], O_CLOEXEC) < 0)
			return false;
	begin = clock_now();
	start_launcher(bare, &attempt);
	good = attach_and_release(bare, &attempt);
	*ret_ns = clock_now() - begin;
	return end(&attempt, good);
}
