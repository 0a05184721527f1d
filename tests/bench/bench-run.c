/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What drupe costs beside the bare tools, measured side by side:
 *
 *   bench-run DRUPE [RUNS [POLICY]]
 *
 * A turn is one run of each kind, so that a drifting machine hits all alike:
 *   script    a shell script that execs the same bwrap … prlimit … true
 *   drupe     DRUPE run -- true, the whole process
 *   bare      the same bwrap … prlimit … true, spawned by this process
 *   session   run_execute in this process, guard and verification included
 * and where the POLICY has a scope, whose words then come first in script and bare:
 *   scope     these words alone, and true
 * After each run is a pause, in which the manager clears away what was left to it: drupe
 * waits for that, a script does not, and the next to run would pay for it.
 * Run it in a folder that may be a workspace, as an unprivileged user.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "plan/chain.h"
#include "policy/open.h"
#include "run/run.h"
#include "scope/scope.h"
#include "session/session.h"

enum kind { SCRIPT, DRUPE, BARE, SESSION, SCOPE, N_KINDS };
static const char *const kind_names[N_KINDS] = { "script", "drupe", "bare", "session",
						 "scope" };

struct bench {
	struct session session;
	struct grant grant;
	struct request request;
	struct drupe_words bare; /* the backends' and the command: nothing of drupe's */
	struct drupe_words scope;
	char script[64];
	char *drupe, *policy;
	size_t runs, kinds;
	int64_t *times[N_KINDS];
};

static void die(const struct error *err, const char *what)
{
	if (err)
		error_print(err);
	fprintf(stderr, "bench-run: %s\n", what);
	exit(1);
}

static int64_t time_program(char *const *argv)
{
	int64_t start = clock_now();
	pid_t pid = vfork();
	int status;

	if (pid == 0) {
		execv(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status) ||
	    WEXITSTATUS(status) != 0)
		die(NULL, "a measured program failed");
	return clock_now() - start;
}

static int64_t time_session(struct bench *bench)
{
	const struct run_io io = {
		.capture = true, .in = -1, .out = { -1, -1 }, .cancel = { -1, -1, -1 }
	};
	struct result result;
	int64_t start = clock_now();

	run_execute(&bench->session.sandbox, &bench->grant, &bench->request, &io,
		    &result);
	start = clock_now() - start;
	if (result.status != RUN_EXITED || result.exit_code != 0)
		die(&result.refusal, "a run in the session failed");
	result_free(&result);
	return start;
}

static int64_t time_kind(struct bench *bench, enum kind kind)
{
	char *script[] = { bench->script, NULL };
	char *drupe[] = { bench->drupe,	 (char[]){ "run" }, (char[]){ "-p" },
			  bench->policy, (char[]){ "--" },  (char[]){ "true" },
			  NULL };
	char *plain[] = { bench->drupe, (char[]){ "run" }, (char[]){ "--" },
			  (char[]){ "true" }, NULL };

	switch (kind) {
	case SCRIPT:
		return time_program(script);
	case DRUPE:
		return time_program(bench->policy ? drupe : plain);
	case BARE:
		return time_program(bench->bare.words);
	case SCOPE:
		return time_program(bench->scope.words);
	case SESSION:
	case N_KINDS:
		break;
	}
	return time_session(bench);
}

/* The gate's options take a value each; the bare tools have no gate. */
static bool is_gate_option(const char *word)
{
	static const char *const options[] = { "--info-fd", "--json-status-fd",
					       "--block-fd", "--sync-fd" };

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (strcmp(word, options[i]) == 0)
			return true;
	return false;
}

/* Without the gate, and without the name that only one unit may have. */
static void push_bare(struct drupe_words *words, const struct drupe_words *segment)
{
	for (size_t i = 0; i < segment->count; i++) {
		if (is_gate_option(segment->words[i]))
			i++;
		else if (strncmp(segment->words[i], "--unit=", 7) != 0)
			argv_push(words, segment->words[i]);
	}
}

static void make_bare(struct bench *bench)
{
	const struct chain_words words = { .guard = "guard",
					   .control_fd = "0",
					   .info_fd = "0",
					   .status_fd = "0",
					   .block_fd = "0",
					   .sync_fd = "0",
					   .keep = "0" };
	struct error err = { 0 };
	struct plan plan;
	struct chain chain;
	struct drupe_scope scope;
	struct chain_input input = {
		.backends = bench->session.sandbox.backends,
		.plan = &plan,
		.words = &words,
		.command = bench->request.command,
	};

	if (plan_make(bench->session.sandbox.policy, bench->session.sandbox.profile,
		      &bench->session.sandbox.view, &bench->grant,
		      &bench->session.sandbox.tmp.place, &plan, &err) < 0)
		die(&err, "no plan");
	for (size_t i = 0; i < plan.n_mounts; i++)
		if (plan.sources[i].place)
			plan.mounts[i].fd = NULL;
	if (bench->session.sandbox.backends[SLOT_SCOPE]) {
		scope_describe(&bench->session.sandbox.identity, &plan, &scope);
		input.scope = &scope;
	}
	if (chain_build(&input, &chain, &err) < 0)
		die(&err, "no command line");
	for (size_t s = 0; s < N_SEGMENTS; s++)
		if (s != SEGMENT_GUARD)
			push_bare(&bench->bare, &chain.segments[s]);
	push_bare(&bench->scope, &chain.segments[SEGMENT_SCOPE]);
	bench->kinds = bench->scope.count ? N_KINDS : SCOPE;
	argv_push(&bench->scope, "/usr/bin/true");
	chain_free(&chain);
	plan_free(&plan);
}

static void make_script(struct bench *bench)
{
	int fd;
	FILE *file;

	strcpy(bench->script, "/tmp/bench-run-XXXXXX");
	fd = mkstemp(bench->script);
	file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file)
		die(NULL, "no script");
	fputs("#!/bin/sh\nexec", file);
	for (size_t i = 0; i < bench->bare.count; i++)
		fprintf(file, " '%s'", bench->bare.words[i]);
	fputc('\n', file);
	fchmod(fd, 0700);
	fclose(file);
}

static int by_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static double median_ms(const struct bench *bench, enum kind kind)
{
	qsort(bench->times[kind], bench->runs, sizeof(int64_t), by_time);
	return (double)bench->times[kind][bench->runs / 2] / NS_PER_MS;
}

static void report(const struct bench *bench)
{
	double median[N_KINDS];

	for (size_t i = 0; i < bench->kinds; i++) {
		median[i] = median_ms(bench, (enum kind)i);
		printf("%-8s min %.2f  median %.2f  max %.2f ms\n", kind_names[i],
		       (double)bench->times[i][0] / NS_PER_MS, median[i],
		       (double)bench->times[i][bench->runs - 1] / NS_PER_MS);
	}
	printf("drupe / script  %.2f\nsession / bare  %.2f\n",
	       median[DRUPE] / median[SCRIPT], median[SESSION] / median[BARE]);
}

static void settle(const struct bench *bench)
{
	const struct timespec pause = { .tv_nsec = 300 * NS_PER_MS };

	if (bench->kinds > SCOPE)
		nanosleep(&pause, NULL);
}

static void measure(struct bench *bench)
{
	for (size_t kind = 0; kind < bench->kinds; kind++) {
		bench->times[kind] = calloc(bench->runs, sizeof(int64_t));
		(void)time_kind(bench, (enum kind)kind); /* warm */
	}
	for (size_t i = 0; i < bench->runs; i++)
		for (size_t kind = 0; kind < bench->kinds; kind++) {
			bench->times[kind][i] = time_kind(bench, (enum kind)kind);
			settle(bench);
		}
}

int main(int argc, char **argv)
{
	char *command[] = { (char[]){ "true" }, NULL };
	struct bench bench = { .request.command = command, .runs = 200 };
	struct findings findings = { 0 };
	struct policy *policy;
	struct paths paths;
	struct error err = { 0 };

	if (argc < 2 || argv[1][0] != '/')
		die(NULL, "usage: bench-run /path/of/drupe [RUNS [POLICY]]");
	if (argc > 2)
		bench.runs = strtoul(argv[2], NULL, 10);
	if (argc > 3)
		bench.policy = argv[3];
	if (bench.runs == 0)
		die(NULL, "RUNS must be a number");
	bench.drupe = argv[1];
	paths_resolve_for(argv[1], &paths);
	signal(SIGPIPE, SIG_IGN);
	if (policy_open(bench.policy, paths.policies, &policy, &findings, &err) < 0 ||
	    session_open(policy, &bench.request, &paths, SESSION_LASTING, &bench.session,
			 &err) < 0 ||
	    session_grant(&bench.session, &bench.request, &bench.grant, &err) < 0)
		die(&err, "no session");
	make_bare(&bench);
	make_script(&bench);
	measure(&bench);
	report(&bench);
	unlink(bench.script);
	grant_free(&bench.grant);
	session_close(&bench.session, NULL);
	policy_free(policy);
	return 0;
}
