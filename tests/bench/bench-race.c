/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The race that pinning removes, and what the network costs:
 *
 *   bench-race DRUPE [RUNS]
 *
 * A row is a way to attach slirp4netns, a column a delay between the launcher's report
 * and the helper's spawn; a field is how many of RUNS (40) runs of `true` got the
 * network. Once on the machine as it is, once beside six busy loops.  Then the times, in
 * pairs. Run it in a folder that may be a workspace, as an unprivileged user.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "bare.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/spawn.h"
#include "plan/chain.h"
#include "policy/open.h"
#include "run/run.h"
#include "session/session.h"

#define LOOPS 6
#define N_TIMES 100
#define N_DELAYS 4
static const unsigned delays[N_DELAYS] = { 0, 20, 50, 200 };

static const char policy_text[] = "version: 1\n"
				  "backends: {scope: none, network: slirp4netns}\n"
				  "profiles: {build: {network: on-request}}\n";

enum way { PID_DEV, PID, PINNED, PINNED_WAIT, DRUPE, N_WAYS };
static const char *const way_names[N_WAYS] = { "by PID, --dev", "by PID, no --dev",
					       "pinned, helper at once",
					       "pinned, helper at the block point",
					       "drupe" };

struct race {
	struct policy *policy;
	struct paths paths;
	struct session session;
	struct request request;
	struct grant grant;
	struct bare words; /* the launcher's as drupe has them */
	char *drupe, *file;
	unsigned runs;
};

/* What the wrappers below do and see: the executor has no such switches. */
static unsigned delay_ms;
static int64_t spawned_at, released_at;

int __real_run_join_network(struct run *run, struct error *err);
int __wrap_run_join_network(struct run *run, struct error *err);
int __real_spawn_process(const struct spawn *spawn, pid_t *ret_pid, int *ret_pidfd,
			 struct error *err);
int __wrap_spawn_process(const struct spawn *spawn, pid_t *ret_pid, int *ret_pidfd,
			 struct error *err);
int __real_gate_release(struct gate *gate);
int __wrap_gate_release(struct gate *gate);

/* Called at once after the pin. */
int __wrap_run_join_network(struct run *run, struct error *err)
{
	usleep(delay_ms * 1000);
	return __real_run_join_network(run, err);
}

int __wrap_spawn_process(const struct spawn *spawn, pid_t *ret_pid, int *ret_pidfd,
			 struct error *err)
{
	if (!spawned_at)
		spawned_at = clock_now();
	return __real_spawn_process(spawn, ret_pid, ret_pidfd, err);
}

int __wrap_gate_release(struct gate *gate)
{
	released_at = clock_now();
	return __real_gate_release(gate);
}

static void die(const struct error *err, const char *what)
{
	if (err)
		error_print(err);
	fprintf(stderr, "bench-race: %s\n", what);
	exit(1);
}

/* ---- the ways ---- */

static char *plain[] = { (char[]){ "/usr/bin/bwrap" },
			 (char[]){ "--unshare-user" },
			 (char[]){ "--unshare-pid" },
			 (char[]){ "--unshare-ipc" },
			 (char[]){ "--unshare-uts" },
			 (char[]){ "--unshare-net" },
			 (char[]){ "--new-session" },
			 (char[]){ "--die-with-parent" },
			 (char[]){ "--ro-bind" },
			 (char[]){ "/" },
			 (char[]){ "/" },
			 (char[]){ "--proc" },
			 (char[]){ "/proc" },
			 (char[]){ "--dev" },
			 (char[]){ "/dev" },
			 NULL };
static char *plain_command[] = { (char[]){ "--" }, (char[]){ "/usr/bin/true" }, NULL };
#define PLAIN_NO_DEV 13 /* words before --dev */

static bool run_drupe(struct race *race)
{
	const struct run_io io = {
		.capture = true, .in = -1, .out = { -1, -1 }, .cancel = { -1, -1, -1 }
	};
	struct result result;
	bool good;

	spawned_at = 0;
	run_execute(&race->session.sandbox, &race->grant, &race->request, &io, &result);
	good = result.status == RUN_EXITED && result.exit_code == 0 &&
	       !result.network_failed;
	result_free(&result);
	return good;
}

static bool run_way(struct race *race, enum way way, unsigned delay)
{
	char *no_dev[PLAIN_NO_DEV + 1] = { NULL };
	struct bare bare = {
		.launcher = way == PID ? no_dev : plain,
		.command = plain_command,
		.helper = race->words.helper,
		.by_pid = way == PID || way == PID_DEV,
		.wait = way == PINNED_WAIT,
		.delay_ms = delay,
	};
	int64_t ns;

	memcpy(no_dev, plain, PLAIN_NO_DEV * sizeof(plain[0]));
	delay_ms = delay;
	return way == DRUPE ? run_drupe(race) : bare_run(&bare, &ns);
}

static void print_table(struct race *race, const char *title)
{
	printf("%-34s", title);
	for (size_t d = 0; d < N_DELAYS; d++)
		printf("%6u ms", delays[d]);
	printf("\n");
	for (int way = 0; way < N_WAYS; way++) {
		printf("%-34s", way_names[way]);
		for (size_t d = 0; d < N_DELAYS; d++) {
			unsigned good = 0;

			for (unsigned i = 0; i < race->runs; i++)
				good += run_way(race, (enum way)way, delays[d]);
			printf("   %2u/%u", good, race->runs);
			fflush(stdout);
		}
		printf("\n");
	}
	printf("\n");
}

static void start_loops(pid_t *loops)
{
	for (size_t i = 0; i < LOOPS; i++) {
		loops[i] = fork();
		if (loops[i] == 0)
			for (volatile unsigned n = 0;; n++)
				;
	}
}

static void end_loops(const pid_t *loops)
{
	for (size_t i = 0; i < LOOPS; i++)
		if (loops[i] > 0 && kill(loops[i], SIGKILL) == 0)
			waitpid(loops[i], NULL, 0);
}

/* ---- the times ---- */

static bool is_gate_option(const char *word)
{
	static const char *const options[] = { "--info-fd", "--json-status-fd",
					       "--block-fd", "--sync-fd" };

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (strcmp(word, options[i]) == 0)
			return true;
	return false;
}

/* The plan's places by their paths, its texts as descriptors that stay open. */
static void open_data(struct race *race, struct plan *plan)
{
	static char numbers[BARE_MAX_DATA][16];

	for (size_t i = 0; i < plan->n_mounts; i++) {
		const char *text = plan->sources[i].data;
		struct bare *words = &race->words;
		struct error err = { 0 };

		if (plan->sources[i].place)
			plan->mounts[i].fd = NULL;
		if (!text)
			continue;
		if (words->n_data == BARE_MAX_DATA ||
		    fd_data(text, strlen(text), &words->data[words->n_data], &err) < 0)
			die(&err, "no descriptor for a text");
		snprintf(numbers[words->n_data], sizeof(numbers[0]), "%d",
			 words->data[words->n_data]);
		plan->mounts[i].fd = numbers[words->n_data++];
	}
}

static void make_words(struct race *race)
{
	static struct drupe_words launcher, command;
	const struct chain_words gate = { .guard = "guard",
					  .control_fd = "0",
					  .info_fd = "0",
					  .status_fd = "0",
					  .block_fd = "0",
					  .sync_fd = "0",
					  .keep = "0" };
	struct error err = { 0 };
	struct plan plan;
	struct chain chain;
	const struct chain_input input = {
		.backends = race->session.sandbox.backends,
		.plan = &plan,
		.words = &gate,
		.command = race->request.command,
	};
	const struct drupe_words *words;

	if (plan_make(race->session.sandbox.policy, race->session.sandbox.profile,
		      &race->session.sandbox.view, &race->grant,
		      &race->session.sandbox.tmp.place, &plan, &err) < 0)
		die(&err, "no plan");
	open_data(race, &plan);
	if (chain_build(&input, &chain, &err) < 0)
		die(&err, "no command line");
	words = &chain.segments[SEGMENT_LAUNCHER];
	for (size_t i = 0; i < words->count; i++) {
		if (is_gate_option(words->words[i]))
			i++;
		else if (strcmp(words->words[i], "--") != 0)
			argv_push(&launcher, words->words[i]);
	}
	argv_push(&command, "--");
	argv_push_all(&command, &chain.segments[SEGMENT_RLIMITS]);
	argv_push_all(&command, &chain.segments[SEGMENT_COMMAND]);
	race->words.launcher = launcher.words;
	race->words.command = command.words;
	chain_free(&chain);
	plan_free(&plan);
}

static int by_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static double median_ms(int64_t *times)
{
	qsort(times, N_TIMES, sizeof(*times), by_time);
	return (double)times[N_TIMES / 2] / NS_PER_MS;
}

static int64_t time_command(struct race *race, const char *network)
{
	char network_word[32];
	char *argv[] = { race->drupe,  (char[]){ "run" }, (char[]){ "-p" },   race->file,
			 network_word, (char[]){ "--" },  (char[]){ "true" }, NULL };
	int64_t begin = clock_now();
	int status;
	pid_t pid;

	snprintf(network_word, sizeof(network_word), "%s", network);
	pid = vfork();
	if (pid == 0) {
		execv(argv[0], argv);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid || status != 0)
		die(NULL, "drupe run failed");
	return clock_now() - begin;
}

static void print_times(struct race *race)
{
	static int64_t bare[N_TIMES], same[N_TIMES], held[N_TIMES], open[N_TIMES],
		closed[N_TIMES];
	struct bare least = race->words;
	double a, b;

	least.guard = least.joiner = NULL;
	delay_ms = 0;
	for (size_t i = 0; i < N_TIMES; i++) {
		if (!bare_run(&least, &bare[i]) || !bare_run(&race->words, &same[i]) ||
		    !run_drupe(race))
			die(NULL, "a measured run failed");
		held[i] = released_at - spawned_at;
		open[i] = time_command(race, "--network");
		closed[i] = time_command(race, "--no-network");
	}
	b = median_ms(held);
	a = median_ms(bare);
	printf("from spawn to release, bwrap and slirp4netns alone  %6.2f ms   %.2f\n", a,
	       b / a);
	a = median_ms(same);
	printf("from spawn to release, the same execs as drupe      %6.2f ms   %.2f\n", a,
	       b / a);
	printf("from spawn to release, drupe                        %6.2f ms\n", b);
	a = median_ms(closed);
	b = median_ms(open);
	printf("drupe run -- true                                   %6.2f ms\n", a);
	printf("drupe run --network -- true                         %6.2f ms   %.2f\n", b,
	       b / a);
}

/* ---- the story ---- */

static void open_session(struct race *race)
{
	struct findings findings = { 0 };
	struct error err = { 0 };

	if (policy_open(race->file, race->paths.policies, &race->policy, &findings,
			&err) < 0)
		die(&err, "no policy");
	race->request.network = ASK_YES;
	if (session_open(race->policy, &race->request, &race->paths, SESSION_LASTING,
			 &race->session, &err) < 0 ||
	    session_grant(&race->session, &race->request, &race->grant, &err) < 0)
		die(&err, "no session");
	if (!run_drupe(race)) /* warm */
		die(NULL, "drupe does not work here: see drupe preflight --network");
	race->words.helper = (char *)(uintptr_t)race->session.sandbox
				     .backends[SLOT_NETWORK]
				     ->object.tool;
	race->words.guard = race->paths.guard;
	race->words.joiner = race->paths.netns;
	race->words.wait = true;
	make_words(race);
}

int main(int argc, char **argv)
{
	char *command[] = { (char[]){ "true" }, NULL };
	char file[] = "/tmp/drupe-race-XXXXXX.yaml";
	struct race race = { .request.command = command, .file = file, .runs = 40 };
	pid_t loops[LOOPS];
	int fd;

	if (argc < 2 || argv[1][0] != '/')
		die(NULL, "usage: bench-race /path/of/drupe [RUNS]");
	race.runs = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : race.runs;
	race.drupe = argv[1];
	signal(SIGPIPE, SIG_IGN);
	umask(022);
	fd = mkstemps(file, 5);
	if (fd < 0 || write(fd, policy_text, strlen(policy_text)) < 0)
		die(NULL, "no policy file");
	close(fd);
	paths_resolve_for(argv[1], &race.paths);
	open_session(&race);
	print_table(&race, "quiet");
	start_loops(loops);
	print_table(&race, "beside six busy loops");
	end_loops(loops);
	print_times(&race);
	grant_free(&race.grant);
	session_close(&race.session, NULL);
	policy_free(race.policy);
	unlink(file);
	return 0;
}
