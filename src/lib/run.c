/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The public interface: runs, in the caller's thread or in one of ours. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/words.h"
#include "lib/private.h"
#include "run/run.h"

#define JOB_STACK ((size_t)512 << 10)

struct drupe_job {
	drupe_session *session;
	struct drupe_run_options options; /* with our own copies of what it points to */
	pthread_t thread;
	int stdio[3]; /* a copy of the numbers */
	int data;     /* what the command reads, or -1 */
	int cancel;   /* an eventfd */
	int done;     /* an eventfd: the result is there */
	bool joined;
	drupe_result *result;
};

/* ---- one run ---- */

static size_t count(const char *const *list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

static void call_output(void *data, int number, const char *bytes, size_t length)
{
	const struct drupe_run_options *options = data;

	options->output(options->output_data, (enum drupe_stream)number, bytes, length);
}

static enum ask ask_of(enum drupe_network network)
{
	switch (network) {
	case DRUPE_NETWORK_ASK:
		return ASK_YES;
	case DRUPE_NETWORK_NO:
		return ASK_NO;
	case DRUPE_NETWORK_DEFAULT:
		break;
	}
	return ASK_DEFAULT;
}

static bool is_sound(const struct drupe_run_options *options)
{
	return options->argv && options->argv[0] && options->argv[0][0] &&
	       options->network >= DRUPE_NETWORK_DEFAULT &&
	       options->network <= DRUPE_NETWORK_NO &&
	       !(options->stdin_data && options->stdio && options->stdio[0] >= 0);
}

static int open_data(const struct drupe_run_options *options, int *ret_fd)
{
	struct error err = { 0 };

	*ret_fd = -1;
	if (!options->stdin_data)
		return 0;
	return fd_data(options->stdin_data, options->stdin_length, ret_fd, &err);
}

/* DATA: what the command reads, or -1.  CANCEL: the job's, or -1. */
static void execute(drupe_session *session, struct drupe_run_options *options, int data,
		    int cancel, drupe_result *result)
{
	const int *stdio = options->stdio;
	const struct request request = {
		.timeout_ms = options->timeout_ms,
		.network = ask_of(options->network),
		.confirmed = options->confirmed,
		.reads = options->reads,
		.n_reads = count(options->reads),
		.command = options->argv,
	};
	const struct run_io io = {
		.capture = !stdio || options->capture,
		.in = data >= 0 || !stdio ? data : stdio[0],
		.out = { stdio ? stdio[1] : -1, stdio ? stdio[2] : -1 },
		.cancel = { options->cancel_fd > 0 ? options->cancel_fd : -1, cancel,
			    session->session.closing },
		.last = session->session.sandbox.one_shot,
		.tap = options->output ? call_output : NULL,
		.tap_data = options,
	};

	session_run(&session->session, &request, &io, &result->result);
}

static drupe_result *new_result(const drupe_session *session, char *const *argv)
{
	drupe_result *result = calloc(1, sizeof(*result));

	if (!result)
		return NULL;
	result_init(&result->result);
	result->command = words_copy((const char *const *)argv);
	if (!result->command) {
		free(result);
		return NULL;
	}
	result->policy = policy_keep(session->policy);
	result->profile = session->session.sandbox.profile->name;
	return result;
}

int drupe_run(drupe_session *session, const struct drupe_run_options *options,
	      drupe_result **ret_result)
{
	struct drupe_run_options taken;
	_cleanup_close_ int data = -1;
	drupe_result *result;
	sigset_t before;
	bool pending;
	int r = options_take(&taken, sizeof(taken), options);

	if (r == 0 && !is_sound(&taken))
		r = -EINVAL;
	if (r < 0)
		return r;
	r = open_data(&taken, &data);
	if (r < 0)
		return r;
	result = new_result(session, taken.argv);
	if (!result)
		return -ENOMEM;
	pending = sigpipe_block(&before);
	execute(session, &taken, data, -1, result);
	sigpipe_restore(&before, pending);
	*ret_result = result;
	return 0;
}

/* ---- jobs ---- */

static void free_job(drupe_job *job)
{
	words_free((char **)(uintptr_t)job->options.argv);
	words_free((char **)(uintptr_t)job->options.reads);
	drupe_result_free(job->result);
	close_fd(&job->data);
	close_fd(&job->cancel);
	close_fd(&job->done);
	free(job);
}

static int open_descriptors(drupe_job *job)
{
	int r = open_data(&job->options, &job->data);

	if (r < 0)
		return r;
	job->cancel = fd_above_stdio(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	if (job->cancel < 0)
		return job->cancel;
	job->done = fd_above_stdio(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	return job->done < 0 ? job->done : 0;
}

/* The caller may free what its options point to after drupe_start. */
static int fill_job(drupe_job *job)
{
	struct drupe_run_options *options = &job->options;
	char *const *argv = options->argv;
	const char *const *reads = options->reads;
	int r = open_descriptors(job);

	options->stdin_data = NULL;
	options->argv = words_copy((const char *const *)argv);
	options->reads = reads ? (const char *const *)words_copy(reads) : NULL;
	if (options->stdio) {
		memcpy(job->stdio, options->stdio, sizeof(job->stdio));
		options->stdio = job->stdio;
	}
	if (r < 0)
		return r;
	if (!options->argv || (reads && !options->reads))
		return -ENOMEM;
	job->result = new_result(job->session, options->argv);
	return job->result ? 0 : -ENOMEM;
}

static void *work(void *data)
{
	drupe_job *job = data;
	struct session *session = &job->session->session;

	execute(job->session, &job->options, job->data, job->cancel, job->result);
	/* After session_leave the session may be gone, after the write the job. */
	session_leave(session);
	(void)!eventfd_write(job->done, 1);
	return NULL;
}

/* Block all signals: the process handles them in its own threads. */
static int start_thread(drupe_job *job)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	int r;

	if (pthread_attr_init(&attributes) != 0)
		return -ENOMEM;
	pthread_attr_setstacksize(&attributes, JOB_STACK);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&job->thread, &attributes, work, job);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return -r;
}

int drupe_start(drupe_session *session, const struct drupe_run_options *options,
		drupe_job **ret_job)
{
	drupe_job *job = calloc(1, sizeof(*job));
	int r;

	if (!job)
		return -ENOMEM;
	job->session = session;
	job->data = job->cancel = job->done = -1;
	r = options_take(&job->options, sizeof(job->options), options);
	if (r == 0 && !is_sound(&job->options))
		r = -EINVAL;
	if (r < 0) {
		free(job);
		return r;
	}
	r = fill_job(job);
	if (r == 0) {
		session_enter(&session->session);
		r = start_thread(job);
		if (r < 0)
			session_leave(&session->session);
	}
	if (r < 0) {
		free_job(job);
		return r;
	}
	*ret_job = job;
	return 0;
}

int drupe_job_fd(const drupe_job *job)
{
	return job->done;
}

static bool has_ended(const drupe_job *job, int timeout_ms)
{
	struct pollfd done = { .fd = job->done, .events = POLLIN };
	int64_t deadline = timeout_ms < 0 ? INT64_MAX
					  : deadline_in_ms((uint64_t)timeout_ms);

	return poll_until(&done, 1, deadline) > 0;
}

int drupe_job_cancel(drupe_job *job)
{
	if (has_ended(job, 0))
		return -ESRCH;
	(void)!eventfd_write(job->cancel, 1);
	return 0;
}

int drupe_job_wait(drupe_job *job, int timeout_ms, drupe_result **ret_result)
{
	if (!job->joined) {
		if (!has_ended(job, timeout_ms))
			return -ETIMEDOUT;
		pthread_join(job->thread, NULL);
		job->joined = true;
	}
	if (!job->result)
		return -ENODATA;
	*ret_result = job->result;
	job->result = NULL;
	return 0;
}

void drupe_job_free(drupe_job *job)
{
	if (!job)
		return;
	/* Called from the job's own output function: it cannot wait for itself. */
	if (!job->joined && pthread_equal(job->thread, pthread_self()))
		return;
	if (!job->joined) {
		(void)drupe_job_cancel(job);
		pthread_join(job->thread, NULL);
	}
	free_job(job);
}
