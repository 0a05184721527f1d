/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* drupe run: one command, held, verified, released, supervised, reported. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>

#include "commands.h"
#include "fd.h"
#include "run.h"

/* The signals that end a run.  One that the caller ignores (nohup) stays ignored. */
static int watch_signals(int *ret_fd, struct error *err)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	sigset_t set;
	int fd;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], NULL, &before) == 0 &&
		    before.sa_handler != SIG_IGN)
			sigaddset(&set, signals[i]);
	sigaction(SIGPIPE, &ignore, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = fd_above_stdio(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
	if (fd < 0)
		return error_set(err, ERROR_SYSTEM, -fd, "cannot watch for signals: %s",
				 strerror(-fd));
	*ret_fd = fd;
	return 0;
}

static int signal_of(int fd)
{
	struct signalfd_siginfo info;

	return read(fd, &info, sizeof(info)) == sizeof(info) ? (int)info.ssi_signo
							     : SIGTERM;
}

/* Everything from policy to the last byte of output. */
static void run(const struct options *options, struct policy **ret_policy,
		const char **ret_profile, struct result *result)
{
	struct run_io io = {
		.capture = options->json,
		.in = options->request.pass_stdin ? STDIN_FILENO : -1,
		.out = { STDOUT_FILENO, STDERR_FILENO },
		.cancel = -1,
		.last = true,
	};
	struct error *refusal = &result->refusal, leftover = { 0 };
	struct session session;
	int r = watch_signals(&io.cancel, refusal);

	if (r == 0)
		r = command_open(options, &(struct confirmation){ .cancel = io.cancel },
				 ret_policy, &session, refusal);
	if (r < 0) {
		close_fd(&io.cancel);
		return;
	}
	*ret_profile = session.profile->name;
	r = session_choose_tmp(&session, refusal);
	if (r == 0)
		run_execute(&session, &options->request, &io, result);
	if (result->status == RUN_CANCELLED && !result->sink_errno)
		result->signal = signal_of(io.cancel);
	if (session.poison.code)
		error_print(&session.poison);
	if (session_close(&session, &leftover) < 0)
		error_print(&leftover);
	close_fd(&io.cancel);
}

static void say(const struct options *options, const struct result *result)
{
	static const char *const names[] = { "stdout", "stderr" };

	if (result->status == RUN_REFUSED)
		error_print(&result->refusal); /* -q does not silence a refusal */
	if (options->quiet)
		return;
	if (result->status == RUN_TIMED_OUT)
		fprintf(stderr, "drupe: timed out after %.3g s\n", result->wall_seconds);
	if (result->sink_errno && result->sink_errno != EPIPE)
		fprintf(stderr, "drupe: cannot write the output: %s\n",
			strerror(result->sink_errno));
	for (size_t i = 0; i < 2 && !result->has_text; i++)
		if (result->status != RUN_REFUSED && result->streams[i].omitted > 0)
			fprintf(stderr,
				"drupe: %s: %llu bytes beyond stream_limit were "
				"dropped\n",
				names[i], (unsigned long long)result->streams[i].omitted);
	if (options->verbose && result->status != RUN_REFUSED)
		fprintf(stderr, "drupe: held, verified and released; ran %.3f s\n",
			result->wall_seconds);
}

/* Opened before the run: a report that cannot be written refuses it. */
static int open_report(const struct options *options, int *ret_fd, struct error *err)
{
	int fd;

	if (!options->report)
		return 0;
	fd = fd_above_stdio(open(options->report,
				 O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY,
				 0666));
	if (fd < 0) {
		error_set(err, ERROR_USAGE, -fd, "--report \"%s\": %s", options->report,
			  strerror(-fd));
		error_hint(err, "give a file that can be written");
		return fd;
	}
	*ret_fd = fd;
	return 0;
}

static int report(const struct options *options, int fd, json_t *json)
{
	int r = 0;

	if (fd >= 0 &&
	    (json_dumpfd(json, fd, JSON_COMPACT) < 0 || write(fd, "\n", 1) != 1)) {
		fprintf(stderr, "drupe: --report: cannot write the result: %s\n",
			strerror(errno));
		r = -EIO;
	}
	if (!options->json)
		json_decref(json);
	else if (print_json(json) < 0)
		r = -EPIPE;
	return r;
}

int cmd_run(const struct options *options)
{
	_cleanup_policy_ struct policy *policy = NULL;
	_cleanup_close_ int report_fd = -1;
	const char *profile = NULL;
	struct result result;
	int status, r;

	result_init(&result);
	r = open_report(options, &report_fd, &result.refusal);
	if (r == 0)
		run(options, &policy, &profile, &result);
	say(options, &result);
	status = result_exit_status(&result);
	if (options->json || report_fd >= 0) {
		r = report(
			options, report_fd,
			result_json(&result, policy, profile, options->request.command));
		if (r == -EPIPE)
			status = EXIT_PIPE;
	}
	result_free(&result);
	return status;
}
