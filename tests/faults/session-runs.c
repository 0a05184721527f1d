/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * session-runs DRUPE POLICY WORKSPACE N
 *
 * A caller that lives longer than one run: N runs of `true` in one session.  Prints how
 * many there were, how many descriptors came to stay, and how many children.
 */
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "policy/open.h"
#include "run/run.h"
#include "session/session.h"

static void die(const struct error *err, const char *what)
{
	if (err)
		error_print(err);
	fprintf(stderr, "session-runs: %s\n", what);
	exit(1);
}

static int count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int count = 0;

	if (!dir)
		die(NULL, "/proc/self/fd");
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static int count_children(void)
{
	int count = 0;

	/* Those that wait to be reaped: the session's keeper goes on. */
	while (waitpid(-1, NULL, WNOHANG) > 0)
		count++;
	return count;
}

static void run_once(struct session *session, const struct request *request)
{
	const struct run_io io = {
		.capture = true, .in = -1, .out = { -1, -1 }, .cancel = { -1, -1, -1 }
	};
	struct result result;

	session_run(session, request, &io, &result);
	if (result.status != RUN_EXITED || result.exit_code != 0 || result.network_failed)
		die(&result.refusal, "a run failed");
	result_free(&result);
}

int main(int argc, char **argv)
{
	char *command[] = { (char[]){ "true" }, NULL };
	struct request request = { .command = command };
	struct findings findings = { 0 };
	struct session session;
	struct policy *policy;
	struct paths paths;
	struct error err = { 0 };
	int before, runs;

	if (argc != 5)
		die(NULL, "usage: session-runs DRUPE POLICY WORKSPACE N");
	runs = atoi(argv[4]);
	request.workspace = argv[3];
	paths_resolve_for(argv[1], &paths);
	signal(SIGPIPE, SIG_IGN);
	if (policy_open(argv[2], paths.policies, &policy, &findings, &err) < 0 ||
	    session_open(policy, &request, &paths, SESSION_LASTING, &session, &err) < 0)
		die(&err, "no session");
	run_once(&session, &request); /* what is opened once and kept */
	before = count_descriptors();
	for (int i = 0; i < runs; i++)
		run_once(&session, &request);
	printf("%d runs, descriptors %+d, children %d\n", runs,
	       count_descriptors() - before, count_children());
	findings_free(&findings);
	session_close(&session, NULL);
	policy_free(policy);
	return 0;
}
