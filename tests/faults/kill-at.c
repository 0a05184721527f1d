/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kill-at [OPTION...] DELAY_US PROGRAM ARG...
 *
 * Start the executor and do something to it, or to a process of its run, after a
 * while.  Prints one line:
 *
 *     target=PID|none [marker=yes|no] ended=exit:N|signal:N|hung sandbox=gone|lives|none
 *
 * sandbox: what became of its init, which ends after all others in there.
 *
 *   -t TARGET   executor, group, guard, monitor (the launcher's outer process), init
 *               (of the sandbox), command [executor]
 *   -s SIGNAL   a number [9]
 *   -p US       after SIGNAL wait so long, and then
 *   -m FILE     say whether FILE is there, and
 *   -a SIGNAL   send this one [none]
 *   -f FILE     count DELAY_US from when FILE is there (60 s at most)
 *   -c TARGET   count DELAY_US from when TARGET is there (60 s at most)
 *   -w US       wait for TARGET to appear for so long [0]
 *   -d US       how long the executor may live after that [60 s]
 */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BEGIN_SECONDS 60
#define LIFE_US 60000000L
#define SANDBOX_MS 30000

enum target { EXECUTOR, GUARD, MONITOR, INIT, COMMAND, GROUP, N_TARGETS };

static const char *const target_names[N_TARGETS] = {
	[EXECUTOR] = "executor", [GUARD] = "guard",	[MONITOR] = "monitor",
	[INIT] = "init",	 [COMMAND] = "command", [GROUP] = "group",
};

struct job {
	enum target target, begin_with;
	int first, then;	       /* signals, 0: none */
	long delay, pause, wait, life; /* microseconds */
	const char *marker, *begin;
	char **argv;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void nap(long us)
{
	struct timespec t = { us / 1000000, us % 1000000 * 1000 };

	while (nanosleep(&t, &t) < 0 && errno == EINTR)
		;
}

static pid_t parent_of(const char *name)
{
	char path[300], text[1024];
	const char *paren;
	FILE *file;
	size_t n;
	int ppid = -1;

	snprintf(path, sizeof(path), "/proc/%s/stat", name);
	file = fopen(path, "re");
	if (!file)
		return -1;
	n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[n] = '\0';
	paren = strrchr(text, ')');
	if (!paren || sscanf(paren + 1, " %*c %d", &ppid) != 1)
		return -1;
	return ppid;
}

/* Its number in the innermost of its PID namespaces. */
static int number_inside(const char *name)
{
	char path[300], line[256];
	FILE *file;
	int number = 0;

	snprintf(path, sizeof(path), "/proc/%s/status", name);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, "NSpid:", 6) == 0)
			number = atoi(strrchr(line, '\t') + 1);
	if (file)
		fclose(file);
	return number;
}

/* The first child of PARENT, or 0: init adopts what the command leaves behind, and
 * outside numbers begin again at some time.  By a scan: not each kernel has …/children.
 */
static pid_t child_of(pid_t parent)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	pid_t found = 0;
	int first = 0;

	while (proc && (entry = readdir(proc))) {
		int number;

		if (entry->d_name[0] < '1' || entry->d_name[0] > '9' ||
		    parent_of(entry->d_name) != parent)
			continue;
		number = number_inside(entry->d_name);
		if (!found || number < first) {
			found = atoi(entry->d_name);
			first = number;
		}
	}
	if (proc)
		closedir(proc);
	return found;
}

static pid_t resolve(enum target target, pid_t executor)
{
	pid_t pid = executor;

	for (int i = EXECUTOR; i < (int)target && pid > 0; i++)
		pid = child_of(pid);
	return pid;
}

/* A handle of the sandbox's init, or -1. */
static int hold_init(pid_t executor)
{
	pid_t init = resolve(INIT, executor);
	int handle = init > 0 ? pidfd_open(init, 0) : -1;

	if (handle >= 0 && resolve(INIT, executor) != init) {
		/* It ended meanwhile: whose handle is that? */
		close(handle);
		return -1;
	}
	return handle;
}

static void print_sandbox(int init)
{
	struct pollfd end = { .fd = init, .events = POLLIN };

	if (init < 0)
		puts(" sandbox=none");
	else
		puts(poll(&end, 1, SANDBOX_MS) > 0 ? " sandbox=gone" : " sandbox=lives");
}

static pid_t start(char **argv)
{
	pid_t pid = fork();

	if (pid < 0) {
		perror("kill-at: fork");
		exit(99);
	}
	if (pid == 0) {
		setpgid(0, 0);
		execv(argv[0], argv);
		perror(argv[0]);
		_exit(99);
	}
	return pid;
}

static void send_signal(const struct job *job, pid_t executor, pid_t pid, int signal)
{
	if (signal == 0 || pid <= 0)
		return;
	kill(job->target == GROUP ? -executor : pid, signal);
}

static void await(const struct job *job, pid_t executor)
{
	struct pollfd end = { .fd = pidfd_open(executor, 0), .events = POLLIN };
	int status = 0;

	if (poll(&end, 1, (int)(job->life / 1000)) <= 0) {
		printf(" ended=hung");
		kill(-executor, SIGKILL);
		kill(executor, SIGKILL);
		waitpid(executor, NULL, 0);
	} else {
		waitpid(executor, &status, 0);
		if (WIFSIGNALED(status))
			printf(" ended=signal:%d", WTERMSIG(status));
		else
			printf(" ended=exit:%d", WEXITSTATUS(status));
	}
}

static bool has_ended(pid_t executor)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)executor, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
	       info.si_pid != 0;
}

static void begin(const struct job *job, pid_t executor)
{
	double since = now();

	while (job->begin && access(job->begin, F_OK) < 0 && !has_ended(executor) &&
	       now() - since < BEGIN_SECONDS)
		nap(500);
	while (resolve(job->begin_with, executor) <= 0 && !has_ended(executor) &&
	       now() - since < BEGIN_SECONDS)
		nap(500);
}

static int run(const struct job *job)
{
	pid_t executor = start(job->argv), pid;
	double since;
	int init;

	begin(job, executor);
	since = now();
	nap(job->delay);
	for (;;) {
		pid = job->target == GROUP ? executor : resolve(job->target, executor);
		if (pid > 0 || has_ended(executor) ||
		    (now() - since) * 1e6 > (double)(job->delay + job->wait))
			break;
		nap(200);
	}
	/* It may take a while to read: for the others the moment matters more. */
	if (job->then && job->first == SIGSTOP)
		send_signal(job, executor, pid, job->first);
	if (pid > 0)
		printf("target=%d", pid);
	else
		printf("target=none");
	init = hold_init(executor);
	if (!(job->then && job->first == SIGSTOP))
		send_signal(job, executor, pid, job->first);
	nap(job->pause);
	if (job->marker)
		printf(" marker=%s", access(job->marker, F_OK) == 0 ? "yes" : "no");
	send_signal(job, executor, pid, job->then);
	await(job, executor);
	print_sandbox(init);
	return 0;
}

static int usage(void)
{
	fputs("kill-at: see the head of its source\n", stderr);
	return 99;
}

static bool set_target(enum target *ret_target, const char *name)
{
	for (int i = 0; i < N_TARGETS; i++)
		if (strcmp(name, target_names[i]) == 0) {
			*ret_target = (enum target)i;
			return true;
		}
	return false;
}

int main(int argc, char **argv)
{
	struct job job = { .target = EXECUTOR, .first = SIGKILL, .life = LIFE_US };
	int option;

	while ((option = getopt(argc, argv, "+t:s:p:a:w:d:m:f:c:")) != -1) {
		if (option == 't' && !set_target(&job.target, optarg))
			return usage();
		else if (option == 'c' && !set_target(&job.begin_with, optarg))
			return usage();
		else if (option == 's')
			job.first = atoi(optarg);
		else if (option == 'a')
			job.then = atoi(optarg);
		else if (option == 'p')
			job.pause = atol(optarg);
		else if (option == 'w')
			job.wait = atol(optarg);
		else if (option == 'm')
			job.marker = optarg;
		else if (option == 'f')
			job.begin = optarg;
		else if (option == 'd')
			job.life = atol(optarg);
		else if (option != 't' && option != 'c')
			return usage();
	}
	if (argc - optind < 2)
		return usage();
	job.delay = atol(argv[optind]);
	job.argv = argv + optind + 1;
	return run(&job);
}
