/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* drupe run: one command, held, verified, released, supervised, reported. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>

#include "base/fd.h"
#include "cli/commands.h"
#include "cli/confirm.h"
#include "cli/report.h"
#include "lib/private.h"
#include "run/run.h"

/* The signals that cancel a run.  One that the caller ignores (nohup) stays ignored. */
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

/* A refusal without a session is a result too. */
static void take_error(struct drupe_error *error, struct result *result)
{
	if (error)
		result->refusal = error->error;
	drupe_error_free(error);
}

/* Ask the user, but only if the policy says so. */
static drupe_result *run_confirmed(drupe_session *session,
				   struct drupe_run_options *options, struct error *err)
{
	drupe_result *result = NULL;
	const struct error *refusal;
	int r = drupe_run(session, options, &result);

	if (r < 0) {
		error_set(err, ERROR_SYSTEM, -r, "cannot run: %s", strerror(-r));
		return NULL;
	}
	refusal = &result->result.refusal;
	if (result->result.status != RUN_REFUSED ||
	    refusal->code != ERROR_NETWORK_DENIED || refusal->errnum != EAGAIN)
		return result;
	r = confirm_network(options->argv, options->cancel_fd, &result->result.refusal);
	if (r == -ECANCELED) {
		result->result.status = RUN_CANCELLED;
		result->result.signal = run_cancel_signal(options->cancel_fd);
	}
	if (r < 0)
		return result;
	drupe_result_free(result);
	options->confirmed = true;
	r = drupe_run(session, options, &result);
	if (r == 0)
		return result;
	error_set(err, ERROR_SYSTEM, -r, "cannot run: %s", strerror(-r));
	return NULL;
}

/* A command whose caller has closed FD (fd_sanitize_stdio) can write there all the same.
 */
static void swallow(int fd)
{
	int null;

	if ((fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY ||
	    fd_null(O_WRONLY, &null, NULL) < 0)
		return;
	(void)dup3(null, fd, 0);
	close(null);
}

static drupe_result *run_in(drupe_session *session, const struct options *options,
			    int cancel, struct error *err)
{
	const struct request *request = &options->request;
	const int stdio[] = { request->pass_stdin ? STDIN_FILENO : -1,
			      options->json ? -1 : STDOUT_FILENO,
			      options->json ? -1 : STDERR_FILENO };
	const char *reads[OPTIONS_MAX_READS + 1] = { NULL };
	struct drupe_run_options run = DRUPE_RUN_OPTIONS;

	for (size_t i = 1; !options->json && i < 3; i++)
		swallow(stdio[i]);
	if (request->n_reads > 0)
		memcpy(reads, request->reads, request->n_reads * sizeof(reads[0]));
	run.argv = request->command;
	run.timeout_ms = request->timeout_ms;
	run.network = request->network == ASK_YES  ? DRUPE_NETWORK_ASK
		      : request->network == ASK_NO ? DRUPE_NETWORK_NO
						   : DRUPE_NETWORK_DEFAULT;
	run.reads = reads;
	run.stdio = stdio;
	run.capture = options->json;
	run.cancel_fd = cancel;
	return run_confirmed(session, &run, err);
}

static drupe_session *open_session(const struct options *options,
				   const drupe_policy *policy, struct result *refused)
{
	struct drupe_session_options open = DRUPE_SESSION_OPTIONS;
	drupe_session *session = NULL;
	drupe_error *error = NULL;

	open.workspace = options->request.workspace;
	open.profile = options->request.profile;
	open.user = options->request.user;
	open.backend_dir = options->paths.backends;
	open.read_only = options->request.read_only;
	open.single_root = options->request.single_root;
	open.one_shot = true;
	if (drupe_session_open(policy, &open, &session, &error) < 0)
		take_error(error, refused);
	return session;
}

/* From the policy to the last byte of output.  NULL: REFUSED says why. */
static drupe_result *run(const struct options *options, drupe_policy **ret_policy,
			 struct result *refused)
{
	_cleanup_close_ int cancel = -1;
	drupe_session *session;
	drupe_result *result;
	drupe_error *error = NULL;

	if (watch_signals(&cancel, &refused->refusal) < 0)
		return NULL;
	if (drupe_policy_open(options->policy, ret_policy, &error) < 0) {
		take_error(error, refused);
		return NULL;
	}
	session = open_session(options, *ret_policy, refused);
	if (!session)
		return NULL;
	result = run_in(session, options, cancel, &refused->refusal);
	if (drupe_session_state(session) == DRUPE_STATE_POISONED)
		error_print(&session->session.reason);
	if (drupe_session_close(session, &error) < 0 && error)
		error_print(&error->error);
	drupe_error_free(error);
	return result;
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
	if (result->scope_left)
		fprintf(stderr,
			"drupe: the scope %s could not be removed: does its manager "
			"answer?\n",
			result->scope);
	if (result->network_failed)
		fprintf(stderr, "drupe: the network helper ended, and so the command was "
				"ended\n");
	if (result->sink_errno)
		print_unwritten("the output", result->sink_errno);
	for (size_t i = 0; i < 2 && !result->has_text && !result->sink_errno; i++)
		if (result->status != RUN_REFUSED && result->streams[i].omitted > 0)
			fprintf(stderr,
				"drupe: %s: %llu bytes were not passed on: beyond "
				"stream_limit, or not taken in time\n",
				names[i], (unsigned long long)result->streams[i].omitted);
	if (options->verbose && result->status != RUN_REFUSED)
		fprintf(stderr, "drupe: held, verified and released; ran %.3f s\n",
			result->wall_seconds);
}

/* Returns the exit status: a result that could not be written is no success. */
static int write_result(const struct options *options, struct report *report,
			json_t *json, int status)
{
	int reported = report_write(report, json);
	int output = 0;

	if (options->json)
		output = print_json(json);
	else
		json_decref(json);
	if (output == -EPIPE)
		return EXIT_PIPE;
	return (reported < 0 || output < 0) && status == 0 ? EXIT_REFUSED : status;
}

int cmd_run(const struct options *options)
{
	struct report report = REPORT_NONE;
	drupe_policy *policy = NULL;
	drupe_result *done = NULL;
	struct result refused;
	const struct result *result;
	int status;

	result_init(&refused);
	if (report_open(options->report, &report, &refused.refusal) == 0)
		done = run(options, &policy, &refused);
	result = done ? &done->result : &refused;
	say(options, result);
	refused.has_text = options->json;
	status = result_exit_status(result);
	if (options->json || report.fd >= 0)
		status = write_result(options, &report,
				      result_json(result, policy ? policy->policy : NULL,
						  done ? done->profile : NULL,
						  options->request.command),
				      status);
	drupe_result_free(done);
	drupe_policy_free(policy);
	return status;
}
