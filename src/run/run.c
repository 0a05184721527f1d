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

/* From here on the command runs. */
static int release(struct run *run, struct error *err)
{
	int r;

	r = gate_release(&run->gate);
	if (r < 0)
		return run_launcher_failure(run, err);
	run->released_at = clock_now();
	run->deadline = run->released_at + (int64_t)run->grant->timeout_ms * NS_PER_MS;
	return 0;
}

/* What the launcher reported when the command ended: nothing if the command was never
 * executed, or the launcher was killed first. */
static bool launcher_told(struct run *run, struct result *result)
{
	const struct backend *launcher = run->sandbox->backends[SLOT_LAUNCHER];
	struct drupe_exit ended;
	char text[4096];
	ssize_t n = read(run->gate.status_read, text, sizeof(text) - 1);

	if (n <= 0)
		return false;
	text[n] = '\0';
	if (call_parse_status(launcher, text, (size_t)n, &ended) < 0 || !ended.exited)
		return false;
	result->exit_code = ended.status;
	return true;
}

static bool killed_by(int wait_status, struct result *result)
{
	if (!WIFSIGNALED(wait_status))
		return false;
	result->signal = WTERMSIG(wait_status);
	return true;
}

static bool launcher_was_killed(struct run *run, struct result *result)
{
	return killed_by(run->wait_status, result);
}

/* The guard was killed, and everything with it. */
static bool guard_was_killed(struct run *run, struct result *result)
{
	return run->guard_lost && killed_by(run->guard_status, result);
}

static bool launcher_failed(struct run *run, struct result *result)
{
	run_launcher_failure(run, &result->refusal);
	return true;
}

/* The first row that holds counts. */
static const struct evidence {
	bool (*holds)(struct run *run, struct result *result);
	enum run_status status;
} evidence[] = {
	{ launcher_told, RUN_EXITED },
	{ launcher_was_killed, RUN_SIGNALED },
	{ guard_was_killed, RUN_SIGNALED },
	{ launcher_failed, RUN_REFUSED },
};

static enum run_status weigh_evidence(struct run *run, struct result *result)
{
	const struct evidence *row = evidence;

	while (!row->holds(run, result))
		row++;
	/* The kernel's own count, however the command reacted. */
	if (row->status != RUN_REFUSED && run->usage.oom_kills != UINT64_MAX &&
	    run->usage.oom_kills > 0)
		return RUN_OUT_OF_MEMORY;
	return row->status;
}

/* A run that we ended has the status of what ended it; otherwise the evidence decides. */
static const struct conclusion {
	bool by_evidence;
	enum run_status status;
} conclusions[N_ENDINGS] = {
	[ENDING_REFUSED] = { .status = RUN_REFUSED },
	[ENDING_ITSELF] = { .by_evidence = true },
	[ENDING_NETWORK] = { .by_evidence = true },
	[ENDING_TIMEOUT] = { .status = RUN_TIMED_OUT },
	[ENDING_CANCEL] = { .status = RUN_CANCELLED },
	[ENDING_SINK] = { .status = RUN_CANCELLED },
};

static void conclude(struct run *run, struct result *result)
{
	const struct conclusion *row = &conclusions[run->ending];

	result->status = row->by_evidence ? weigh_evidence(run, result) : row->status;
	if (run->released_at)
		result->wall_seconds = (double)(run->ended_at - run->released_at) /
				       NS_PER_SECOND;
	for (size_t i = 1; i < 3; i++)
		if (run->streams[i].sink_errno)
			result->sink_errno = run->streams[i].sink_errno;
	if (result->status == RUN_CANCELLED && !result->sink_errno)
		result->signal = run_cancel_signal(run->io->cancel[0]);
	result->network_failed = run->network.failed;
	result->survivor = run->survivor;
	result->scope_left = run->scope_left;
	result->usage = run->usage;
	snprintf(result->scope, sizeof(result->scope), "%s", run->scope.unit);
}

static void take_streams(struct run *run, struct result *result)
{
	result->has_text = run->io->capture;
	for (size_t i = 0; i < 2; i++) {
		struct stream *stream = &run->streams[i + 1];

		if (stream->capture && run->released_at &&
		    result->status != RUN_REFUSED) {
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
	int r;

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
	else
		run_end(&run, run.cancelled ? ENDING_CANCEL : ENDING_REFUSED);
	run_teardown(&run);
	run_end(&run, ENDING_ITSELF);
	conclude(&run, result);
	take_streams(&run, result);
	run_free(&run);
}
