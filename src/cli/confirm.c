/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/confirm.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <termios.h>

#include "base/clock.h"
#include "base/fd.h"

#define QUIET_MS 50
#define NOISE_MS 2000
#define ANSWER_MS 120000

static int denied(struct error *err, int errnum, const char *why)
{
	error_set(err, ERROR_NETWORK_DENIED, errnum,
		  "mode ask: the network was not granted: %s", why);
	error_hint(
		err,
		"answer yes on a terminal, leave --network out, or set `mode: auto` in "
		"the policy");
	return -errnum;
}

static void print_question(int tty, char *const *command)
{
	_cleanup_fclose_ FILE *out = fdopen(fcntl(tty, F_DUPFD_CLOEXEC, 3), "w");

	if (!out)
		return;
	fputs("drupe: may this command have the network?\n ", out);
	for (; *command; command++) {
		fputc(' ', out);
		print_escaped(out, *command);
	}
	fputs("\nyes or no: ", out);
}

/* What was typed before the question is no answer.  Some of it may still be on its way
 * through the terminal, so wait until that is quiet. */
static void drop_input(int tty)
{
	struct pollfd input = { .fd = tty, .events = POLLIN };
	int64_t deadline = deadline_in_ms(NOISE_MS);

	do
		(void)tcflush(tty, TCIFLUSH);
	while (poll_until(&input, 1, deadline_in_ms(QUIET_MS)) > 0 &&
	       clock_now() < deadline);
	(void)tcflush(tty, TCIFLUSH);
}

int confirm_network(char *const *command, int cancel, struct error *err)
{
	_cleanup_close_ int tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	struct pollfd fds[] = { { .fd = tty, .events = POLLIN },
				{ .fd = cancel, .events = POLLIN } };
	char answer[64];
	ssize_t n;

	if (tty < 0)
		return denied(err, ENOTTY, "there is no terminal to ask on");
	drop_input(tty);
	print_question(tty, command);
	if (poll_until(fds, 2, deadline_in_ms(ANSWER_MS)) <= 0)
		return denied(err, ETIMEDOUT, "nobody answered");
	if (fds[1].revents)
		return denied(err, ECANCELED, "cancelled");
	n = read(tty, answer, sizeof(answer) - 1);
	answer[n > 0 ? n : 0] = '\0';
	answer[strcspn(answer, "\r\n")] = '\0';
	if (strcmp(answer, "yes") != 0 && strcmp(answer, "y") != 0)
		return denied(err, EPERM, "the answer was not yes");
	return 0;
}
