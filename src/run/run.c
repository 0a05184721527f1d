/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/run.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "backend/call.h"
#include "base/clock.h"
#include "base/fd.h"

/* The last look and the release.  From here on the command runs. */
static int release(struct run *run, struct error *err)
{
	int r;

	r = gate_release(&run->gate);
	if (r < 0)
		return run_launcher_failure(run, err);
	run->released = true;
	run->released_at = clock_now();
	run->deadline = run->released_at + (int64_t)run->grant->timeout_ms * NS_PER_MS;
	return 0;
}

/* What the launcher wrote when the command ended; false: the command was never
 * executed, or the launcher was killed before it could tell. */
static bool read_exit(struct run *run, struct drupe_exit *ret_exit)
{
	const struct backend *launcher = run->sandbox->backends[SLOT_LAUNCHER];
	char text[4096];
	ssize_t n = read(run->gate.status_read, text, sizeof(text) - 1);

	if (n <= 0)
		return false;
	text[n] = '\0';
	return call_parse_status(launcher, text, (size_t)n, ret_exit) == 0 &&
	       ret_exit->exited;
}

/* Status from evidence only: the launcher's status descriptor, its wait status, and
 * what we did ourselves. */
static void conclude(struct run *run, struct result *result)
{
	struct drupe_exit ended;
	bool told = read_exit(run, &ended);

	result->wall_seconds = (double)(run->ended_at - run->released_at) / NS_PER_SECOND;
	for (size_t i = 0; i < 2; i++)
		if (run->streams[i + 1].sink_errno)
			result->sink_errno = run->streams[i + 1].sink_errno;
	if (run->timed_out) {
		result->status = RUN_TIMED_OUT;
	} else if (run->cut || result->sink_errno) {
		result->status = RUN_CANCELLED;
	} else if (told) {
		result->status = RUN_EXITED;
		result->exit_code = ended.status;
	} else if (run->events.exited && WIFSIGNALED(run->events.wait_status)) {
		result->status = RUN_SIGNALED;
		result->signal = WTERMSIG(run->events.wait_status);
	} else if (run->events.lost && WIFSIGNALED(run->guard_status)) {
		/* Someone killed the guard, and with it everything. */
		result->status = RUN_SIGNALED;
		result->signal = WTERMSIG(run->guard_status);
	} else {
		result->status = RUN_REFUSED;
		run_launcher_failure(run, &result->refusal);
	}
	/* The kernel's own count, whatever the command made of it. */
	if ((result->status == RUN_EXITED || result->status == RUN_SIGNALED) &&
	    run->usage.oom_kills != UINT64_MAX && run->usage.oom_kills > 0)
		result->status = RUN_OUT_OF_MEMORY;
}

static void take_streams(struct run *run, struct result *result)
{
	result->has_text = run->io->capture;
	for (size_t i = 0; i < 2; i++) {
		struct stream *stream = &run->streams[i + 1];

		if (stream->capture && run->released && result->status != RUN_REFUSED) {
			capture_finish(stream->capture, &result->streams[i], NULL);
			continue;
		}
		result->streams[i].utf8 = true;
		result->streams[i].bytes = stream->bytes;
		if (!stream->capture)
			result->streams[i].omitted = stream->bytes - stream->passed +
						     (stream->end - stream->start);
	}
}

int run_cancel_signal(int fd)
{
	struct pollfd readable = { .fd = fd, .events = POLLIN };
	struct signalfd_siginfo info;
	char path[64], kind[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = fd < 0 ? -1 : readlink(path, kind, sizeof(kind) - 1);
	kind[n > 0 ? n : 0] = '\0';
	if (strcmp(kind, "anon_inode:[signalfd]") != 0 || poll(&readable, 1, 0) <= 0 ||
	    read(fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return 0;
	return (int)info.ssi_signo;
}

static void run_free(struct run *run)
{
	for (size_t i = 0; i < 3; i++)
		stream_close(&run->streams[i]);
	for (size_t i = 0; i < 2; i++)
		capture_free(&run->captures[i]);
	gate_close(&run->gate);
	held_close(&run->held);
	close_fd(&run->control);
	close_fd(&run->guard_pidfd);
	plan_free(&run->plan);
}

void run_execute(struct sandbox *sandbox, const struct grant *grant,
		 const struct request *request, const struct run_io *io,
		 struct result *result)
{
	struct run run = {
		.sandbox = sandbox,
		.grant = grant,
		.request = request,
		.io = io,
		.gate = GATE_NONE,
		.held = HELD_NONE,
		.network = NETWORK_NONE,
		.scope = SCOPE_NONE,
		.control = -1,
		.guard_pidfd = -1,
		.streams = { STREAM_NONE, STREAM_NONE, STREAM_NONE },
	};
	struct error *refusal = &result->refusal;
	bool cancelled;
	int r = 0;

	result_init(result);
	run.usage = result->usage;
	run.network.backend = grant->network;
	run.network.identity = &sandbox->identity;
	result->network = grant->network ? sandbox->policy->backends[SLOT_NETWORK] : NULL;
	r = run_launch(&run, refusal);
	if (r == 0)
		r = run_hold(&run, refusal);
	if (r == 0 && run.network.backend)
		r = run_attach_network(&run, refusal);
	if (r == 0)
		r = release(&run, refusal);
	if (r == 0)
		run_supervise(&run);
	cancelled = run.cancelled; /* one that comes later changes no refusal */
	run_teardown(&run);
	if (r == 0)
		conclude(&run, result);
	else if (cancelled)
		result->status = RUN_CANCELLED;
	if (result->status == RUN_CANCELLED && !result->sink_errno)
		result->signal = run_cancel_signal(io->cancel[0]);
	result->network_failed = run.network.failed;
	result->survivor = run.survivor;
	result->scope_left = run.scope_left;
	result->usage = run.usage;
	snprintf(result->scope, sizeof(result->scope), "%s", run.scope.unit);
	take_streams(&run, result);
	run_free(&run);
}
