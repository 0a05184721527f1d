/* SPDX-License-Identifier: MIT */
/*
 * Run a command in drupe's sandbox, with libdrupe:
 *
 *     cc -o client client.c $(pkg-config --cflags --libs drupe)
 *     ./client [-p POLICY] [-u USER] [-t SECONDS] WORKSPACE COMMAND [ARG...]
 *
 * Its output comes as it is written; Ctrl-C, or the end of -t, cancels it; its result is
 * one line of JSON at the end.
 */
#include <drupe/drupe.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int refused(drupe_error *error)
{
	const char *hint = drupe_error_hint(error);

	fprintf(stderr, "client: %s: %s\n", drupe_error_code(error),
		drupe_error_message(error));
	if (hint)
		fprintf(stderr, "client: %s\n", hint);
	drupe_error_free(error);
	return 125;
}

/* Called in the thread of the job; write(2) is all it does. */
static void output(void *data, enum drupe_stream stream, const char *bytes, size_t length)
{
	(void)data;
	while (length > 0) {
		ssize_t n = write(stream == DRUPE_STDOUT ? 1 : 2, bytes, length);

		if (n < 0 && errno != EINTR)
			return;
		if (n > 0) {
			bytes += n;
			length -= (size_t)n;
		}
	}
}

/* Ctrl-C as a descriptor to poll: -1 where there is none. */
static int interrupts(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -1;
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Start it, wait for its end, give up after MS (-1: never): what to exit with. */
static int run(drupe_session *session, char *const *command, int ms, int cancel_fd)
{
	struct drupe_run_options options = DRUPE_RUN_OPTIONS;
	struct pollfd end = { .events = POLLIN };
	drupe_result *result;
	drupe_job *job;
	char *json;
	int r, status;

	options.argv = command;
	options.output = output;
	options.cancel_fd = cancel_fd;
	r = drupe_start(session, &options, &job);
	if (r < 0) {
		fprintf(stderr, "client: %s\n", strerror(-r));
		return 125;
	}

	/* Any other descriptor could be polled beside it. */
	end.fd = drupe_job_fd(job);
	if (poll(&end, 1, ms) == 0)
		drupe_job_cancel(job);

	r = drupe_job_wait(job, -1, &result);
	drupe_job_free(job);
	if (r < 0) {
		fprintf(stderr, "client: %s\n", strerror(-r));
		return 125;
	}
	json = drupe_result_json(result);
	fprintf(stderr, "%s\n", json ? json : "(out of memory)");
	free(json);
	status = drupe_result_exit_status(result);
	drupe_result_free(result);
	return status;
}

int main(int argc, char **argv)
{
	struct drupe_session_options options = DRUPE_SESSION_OPTIONS;
	const char *policy_name = NULL;
	drupe_policy *policy;
	drupe_session *session;
	drupe_error *error = NULL;
	int option, status, cancel_fd, ms = -1;

	while ((option = getopt(argc, argv, "+p:u:t:")) != -1) {
		switch (option) {
		case 'p':
			policy_name = optarg;
			break;
		case 'u':
			options.user = optarg;
			break;
		case 't':
			ms = atoi(optarg) * 1000;
			break;
		default:
			return 2;
		}
	}
	if (argc - optind < 2) {
		fprintf(stderr, "usage: client [-p POLICY] [-u USER] [-t SECONDS] "
				"WORKSPACE COMMAND [ARG...]\n");
		return 2;
	}
	cancel_fd = interrupts();
	if (cancel_fd < 0) {
		perror("client");
		return 125;
	}

	options.workspace = argv[optind];
	if (drupe_policy_open(policy_name, &policy, &error) < 0)
		return refused(error);
	if (drupe_session_open(policy, &options, &session, &error) < 0) {
		drupe_policy_free(policy);
		return refused(error);
	}
	drupe_policy_free(policy);

	/* A session can run many; what they leave in /tmp stays until it is closed. */
	status = run(session, argv + optind + 1, ms, cancel_fd);
	if (drupe_session_close(session, &error) < 0)
		refused(error);
	return status;
}
