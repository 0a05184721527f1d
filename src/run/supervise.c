/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One poll for everything that can happen to a run. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/fd.h"
#include "guard/guard.h"
#include "run/run.h"

#define OWN (1 + RUN_CANCELS) /* what run_wait itself polls */
#define MAX_MORE 6
#define LAUNCHER_MS 1000

static void advance(struct run *run, enum run_phase phase)
{
	if (run->phase < phase)
		run->phase = phase;
}

static void take_message(struct run *run, const struct guard_message *message)
{
	switch (message->event) {
	case GUARD_STARTED:
		advance(run, PHASE_STARTED);
		break;
	case GUARD_FAILED:
		run->start_step = message->what;
		run->start_errno = message->value;
		advance(run, PHASE_EMPTY);
		break;
	case GUARD_EXITED:
		run->wait_status = message->value;
		if (!run->ended_at)
			run->ended_at = clock_now();
		advance(run, PHASE_EXITED);
		break;
	case GUARD_EMPTY:
		advance(run, PHASE_EMPTY);
		break;
	default:
		break;
	}
}

static void take_messages(struct run *run)
{
	struct guard_message message;

	for (;;) {
		ssize_t n = recv(run->control, &message, sizeof(message), MSG_DONTWAIT);

		if (n == (ssize_t)sizeof(message)) {
			take_message(run, &message);
			continue;
		}
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		run->guard_lost = true;
		return;
	}
}

int run_wait(struct run *run, struct pollfd *more, size_t n, int64_t deadline)
{
	struct pollfd fds[OWN + MAX_MORE] = {
		{ .fd = run->guard_lost ? -1 : run->control, .events = POLLIN },
	};
	struct timespec left = clock_left(deadline);
	bool cancel = false;
	int ready;

	for (size_t i = 0; i < RUN_CANCELS; i++) {
		fds[1 + i].fd = run->cancelled ? -1 : run->io->cancel[i];
		fds[1 + i].events = POLLIN;
	}
	if (n > 0)
		memcpy(fds + OWN, more, n * sizeof(*more));
	ready = ppoll(fds, OWN + n, &left, NULL);
	for (size_t i = 0; i < n; i++)
		more[i].revents = ready > 0 ? fds[OWN + i].revents : 0;
	if (ready > 0 && fds[0].revents)
		take_messages(run);
	for (size_t i = 0; i < RUN_CANCELS; i++)
		cancel |= ready > 0 && fds[1 + i].revents;
	if (cancel) {
		run->cancelled = true;
		return -ECANCELED;
	}
	return ready == 0 ? -ETIMEDOUT : 0;
}

/* Let the streams move once; what run_wait returned. */
static int move_streams(struct run *run, int64_t deadline)
{
	struct network *network = &run->network;
	struct pollfd fds[MAX_MORE] = {
		stream_poll(&run->streams[0]),
		stream_poll(&run->streams[1]),
		stream_poll(&run->streams[2]),
		{ .fd = network->output, .events = POLLIN },
		{ .fd = network->failed ? -1 : network->helper_pidfd, .events = POLLIN },
		{ .fd = run->child_gone_at ? -1 : run->held.pidfd, .events = POLLIN },
	};
	int r = run_wait(run, fds, MAX_MORE, deadline);

	if (fds[3].revents)
		network_read_output(network);
	if (fds[4].revents)
		network->failed = true;
	if (fds[5].revents)
		run->child_gone_at = clock_now();
	for (size_t i = 0; i < 3; i++) {
		if (!fds[i].revents)
			continue;
		/* A command need not read its stdin; our output must be read. */
		if (stream_step(&run->streams[i]) < 0 && i > 0)
			run_end(run, ENDING_SINK);
	}
	if (stream_done(&run->streams[0]))
		stream_close(
			&run->streams[0]); /* the command sees the end of its stdin */
	return r;
}

/* When to stop waiting: a launcher whose child is gone has little left to do, and does
 * not get until the command's own deadline. */
static int64_t supervise_deadline(const struct run *run)
{
	int64_t launcher = run->child_gone_at + LAUNCHER_MS * NS_PER_MS;

	return run->child_gone_at && launcher < run->deadline ? launcher : run->deadline;
}

void run_supervise(struct run *run)
{
	while (!run_launcher_is_gone(run)) {
		int r = move_streams(run, supervise_deadline(run));

		if (run->child_gone_at && clock_now() >= supervise_deadline(run))
			return;
		if (run->network.failed)
			run_end(run, ENDING_NETWORK);
		else if (run->phase < PHASE_EXITED && r == -ECANCELED)
			run_end(run, ENDING_CANCEL);
		else if (run->phase < PHASE_EXITED && clock_now() >= run->deadline)
			run_end(run, ENDING_TIMEOUT);
		if (run->ending != ENDING_NONE)
			return;
	}
}

void run_drain(struct run *run, int64_t deadline)
{
	if (!run->survivor)
		for (size_t i = 1; i < 3; i++)
			stream_finish(&run->streams[i]);
	while (!stream_done(&run->streams[1]) || !stream_done(&run->streams[2])) {
		int r = move_streams(run, deadline);

		if (r == -ECANCELED || clock_now() >= deadline)
			return;
	}
}
