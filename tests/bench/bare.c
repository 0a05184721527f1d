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
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"

#define MAX_WORDS 1024
#define PATIENCE_MS 10000

enum pipe { INFO, BLOCK, READY, EXIT, N_PIPES };

struct attempt {
	int pipes[N_PIPES][2]; /* read, write */
	int netns, userns, pidfd;
	pid_t launcher, child, helper;
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

static void start_launcher(const struct bare *bare, struct attempt *attempt)
{
	static char info_word[] = "--info-fd", block_word[] = "--block-fd",
		    sync_word[] = "--sync-fd";
	char info[16], block[16], sync[16];
	char *argv[MAX_WORDS], **at = argv;
	int inherit[3 + BARE_MAX_DATA] = { attempt->pipes[INFO][1],
					   attempt->pipes[BLOCK][0],
					   attempt->pipes[BLOCK][1] };

	number(info, attempt->pipes[INFO][1]);
	number(block, attempt->pipes[BLOCK][0]);
	number(sync, attempt->pipes[BLOCK][1]);
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
	attempt->launcher = start(argv, inherit, 3 + bare->n_data);
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
	if (bare->wait && !wait_for_block_point(attempt))
		return false;
	usleep(bare->delay_ms * 1000);
	start_helper(bare, attempt);
	return is_ready(attempt) && write(attempt->pipes[BLOCK][1], "x", 1) == 1;
}

static bool end(struct attempt *attempt, bool good)
{
	int status = -1;

	if (!good && attempt->child > 0)
		kill(attempt->child, SIGKILL);
	if (!good)
		kill(attempt->launcher, SIGKILL);
	waitpid(attempt->launcher, &status, 0);
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
	struct attempt attempt = { .netns = -1, .userns = -1, .pidfd = -1 };
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
