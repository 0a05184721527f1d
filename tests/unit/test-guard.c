/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * drupe-guard as a program: what it refuses to start, what the launcher gets from it,
 * and that it outlives nothing and nothing outlives it (R5, R7, R8, R10).
 * DRUPE_GUARD is its path [./drupe-guard].
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guard/guard.h"

#define SOON_MS 20000
#define NONE (-1)

static char guard_path[PATH_MAX], own_path[PATH_MAX];

/* ---- the launcher's place: this program again ---- */

/* One line each of what the process was given. */
static int probe(void)
{
	extern char **environ;
	char text[512];
	int signal = 0;
	sigset_t mask;
	mode_t before = umask(0);
	FILE *file = fopen("/proc/self/oom_score_adj", "re");

	sigprocmask(SIG_BLOCK, NULL, &mask);
	prctl(PR_GET_PDEATHSIG, &signal);
	text[file ? fread(text, 1, sizeof(text) - 1, file) : 0] = '\0';
	printf("environment %s\n", environ[0] ? environ[0] : "empty");
	printf("descriptors");
	for (int fd = 0; fd < 1024; fd++)
		if (fcntl(fd, F_GETFD) >= 0 && (!file || fd != fileno(file)))
			printf(" %d", fd);
	printf("\nmask");
	for (int i = 1; i < NSIG; i++)
		if (sigismember(&mask, i) == 1)
			printf(" %d", i);
	printf("\numask %03o\n", (unsigned)before);
	printf("death signal %d\n", signal);
	printf("leader %d\n", getsid(0) == getppid());
	printf("keyring %ld\n", (long)syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID,
					      KEY_SPEC_SESSION_KEYRING, 0));
	printf("policy %d\n", sched_getscheduler(0));
	printf("nice %d\n", getpriority(PRIO_PROCESS, 0));
	printf("oom %d\n", atoi(text));
	return 0;
}

static void say(const char *text)
{
	(void)!write(STDOUT_FILENO, text, strlen(text));
}

/* A process that its parent leaves to the subreaper; it cannot be asked to end. */
static void leave_daemon(void)
{
	if (fork() != 0)
		return;
	setsid();
	if (fork() != 0)
		_exit(0);
	for (int i = 1; i < NSIG; i++)
		(void)sigaction(i, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	for (;;)
		pause();
}

/* The rest of what a launcher can be here; "ran" is the proof that it was started. */
static int play(const char *part)
{
	say("ran\n");
	if (strcmp(part, "exit") == 0)
		return 7;
	if (strcmp(part, "daemon") == 0 || strcmp(part, "leave") == 0)
		for (int i = 0; i < 5; i++)
			leave_daemon();
	if (strcmp(part, "stop") == 0 && fork() == 0)
		raise(SIGSTOP);
	if (strcmp(part, "stop") == 0)
		raise(SIGSTOP);
	if (strcmp(part, "leave") == 0)
		return 0;
	for (;;)
		pause();
}

/* ---- a guard ---- */

struct guard {
	pid_t pid;
	int control;
	int gate[2];
	int out; /* what the launcher writes */
	char tmp[64];
	char cgroup[64];
};

/* What of its arguments and descriptors is not as it must be. */
struct flaw {
	const char *without; /* this option is left out */
	int block, sync;     /* instead of the gate's ends */
	const char *keep;    /* instead of both */
	const char *program; /* instead of this one */
	bool tmp;
	bool cgroup;   /* with a folder of the guard's own, and */
	int procs;     /* what stands for its cgroup.procs, 0: nothing */
	char early;    /* it is told this before it is there, */
	bool cut;      /* or finds the lifeline cut */
	int nice, oom; /* of the guard */
	rlim_t nofile;
};

static void push(char **argv, int *n, const char *without, const char *option,
		 const char *value)
{
	if (without && strcmp(without, option) == 0)
		return;
	if (asprintf(&argv[(*n)++], "%s%s", option, value) < 0)
		abort();
}

static char **arguments(const struct flaw *flaw, const struct guard *guard, int control,
			const char *part)
{
	static char *argv[14];
	char number[16], both[40];
	int n = 0, block = flaw->block != NONE ? flaw->block : guard->gate[0];
	int sync = flaw->sync != NONE ? flaw->sync : guard->gate[1];

	push(argv, &n, NULL, guard_path, "");
	snprintf(number, sizeof(number), "%d", control);
	push(argv, &n, flaw->without, "--control=", number);
	snprintf(number, sizeof(number), "%d", block);
	push(argv, &n, flaw->without, "--block=", number);
	snprintf(number, sizeof(number), "%d", sync);
	push(argv, &n, flaw->without, "--sync=", number);
	snprintf(both, sizeof(both), "%d,%d", block, sync);
	push(argv, &n, flaw->without, "--keep=", flaw->keep ? flaw->keep : both);
	if (flaw->tmp)
		push(argv, &n, NULL, "--tmp=", guard->tmp);
	if (flaw->cgroup)
		push(argv, &n, NULL, "--cgroup=", guard->cgroup);
	snprintf(number, sizeof(number), "%d", flaw->procs);
	if (flaw->procs)
		push(argv, &n, NULL, "--cgroup-procs=", number);
	push(argv, &n, flaw->without, "--", "");
	if (part) {
		push(argv, &n, NULL, flaw->program ? flaw->program : own_path, "");
		push(argv, &n, NULL, part, "");
	}
	argv[n] = NULL;
	return argv;
}

static void become_guard(const struct flaw *flaw, char **argv, int out)
{
	static char *environment[] = { (char *)(uintptr_t) "SECRET=hunter2", NULL };
	struct rlimit limit = { flaw->nofile, flaw->nofile };

	dup2(out, STDOUT_FILENO);
	if (flaw->nice)
		setpriority(PRIO_PROCESS, 0, flaw->nice);
	if (flaw->oom) {
		FILE *file = fopen("/proc/self/oom_score_adj", "we");

		fprintf(file, "%d", flaw->oom);
		fclose(file);
	}
	if (flaw->nofile)
		setrlimit(RLIMIT_NOFILE, &limit);
	umask(0077);
	/* As the executor does it: the guard takes it off again. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	execve(guard_path, argv, environment);
	_exit(127);
}

static void start(struct guard *guard, const struct flaw *flaw, const char *part)
{
	int control[2], out[2];
	char **argv;

	strcpy(guard->tmp, "/tmp/test-guard-XXXXXX");
	assert_non_null(mkdtemp(guard->tmp));
	strcpy(guard->cgroup, "/tmp/test-guard-cgroup-XXXXXX");
	if (flaw->cgroup)
		assert_non_null(mkdtemp(guard->cgroup));
	assert_int_equal(pipe2(guard->gate, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control),
			 0);
	argv = arguments(flaw, guard, control[1], part);
	if (flaw->early)
		assert_int_equal(send(control[0], &flaw->early, 1, 0), 1);
	if (flaw->cut)
		shutdown(control[0], SHUT_RDWR);
	guard->pid = fork();
	assert_true(guard->pid >= 0);
	if (guard->pid == 0) {
		fcntl(control[1], F_SETFD, 0);
		fcntl(guard->gate[0], F_SETFD, 0);
		fcntl(guard->gate[1], F_SETFD, 0);
		become_guard(flaw, argv, out[1]);
	}
	for (int i = 0; argv[i]; i++)
		free(argv[i]);
	guard->control = control[0];
	guard->out = out[0];
	close(control[1]);
	close(out[1]);
}

static bool readable(int fd, int ms)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	return poll(&poll_fd, 1, ms) > 0;
}

/* The next message; event 0: the guard is gone. */
static struct guard_message hear(const struct guard *guard)
{
	struct guard_message message = { 0 };

	assert_true(readable(guard->control, SOON_MS));
	if (recv(guard->control, &message, sizeof(message), 0) != sizeof(message))
		message.event = 0;
	return message;
}

static struct guard_message expect(const struct guard *guard, uint32_t event)
{
	struct guard_message message = hear(guard);

	assert_int_equal(message.event, event);
	return message;
}

/* What was written until all who could write are gone. */
static void read_out(const struct guard *guard, char *text, size_t size)
{
	size_t used = 0;
	ssize_t n;

	while (readable(guard->out, SOON_MS) &&
	       (n = read(guard->out, text + used, size - 1 - used)) > 0)
		used += (size_t)n;
	text[used] = '\0';
}

static void tell(const struct guard *guard, char order)
{
	assert_int_equal(send(guard->control, &order, 1, MSG_NOSIGNAL), 1);
}

static int ended(struct guard *guard)
{
	int status = -1;

	for (int i = 0; i < SOON_MS / 10; i++) {
		if (waitpid(guard->pid, &status, WNOHANG) == guard->pid) {
			guard->pid = 0;
			return status;
		}
		usleep(10000);
	}
	return -1;
}

static void finish(struct guard *guard)
{
	if (guard->pid > 0) {
		kill(guard->pid, SIGKILL);
		waitpid(guard->pid, NULL, 0);
	}
	if (guard->control >= 0)
		close(guard->control);
	close(guard->gate[0]);
	close(guard->gate[1]);
	close(guard->out);
	rmdir(guard->tmp);
	rmdir(guard->cgroup);
}

static const struct flaw no_flaw = { .block = NONE, .sync = NONE };

/* ---- arguments ---- */

static void expect_misuse(const struct flaw *flaw, const char *part)
{
	struct guard guard;
	char text[64];
	int status;

	start(&guard, flaw, part);
	status = ended(&guard);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 125);
	read_out(&guard, text, sizeof(text));
	assert_string_equal(text, ""); /* nothing ran */
	finish(&guard);
}

static void test_missing(void **state)
{
	static const char *const options[] = { "--control=", "--block=", "--sync=",
					       "--" };

	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		struct flaw flaw = no_flaw;

		flaw.without = options[i];
		expect_misuse(&flaw, "exit");
	}
	expect_misuse(&no_flaw, NULL);
}

static void test_bad_keep(void **state)
{
	static const char *const lists[] = { ",",   "3,,4", "-1",	"x",	"3x",
					     "3,x", "3 4",  "99999999", "0x10", "3;4" };
	char many[2000] = "3";

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct flaw flaw = no_flaw;

		flaw.keep = lists[i];
		expect_misuse(&flaw, "exit");
	}
	for (size_t i = 0; i < 256; i++)
		strcat(many, ",3");
	{
		struct flaw flaw = no_flaw;

		flaw.keep = many;
		expect_misuse(&flaw, "exit");
	}
}

/* ---- descriptors ---- */

/* The guard says which step failed, starts nothing, and stays until it is told. */
static void expect_failure(const struct flaw *flaw, uint32_t step, int errnum)
{
	struct guard guard;
	struct guard_message message;
	char text[64];

	start(&guard, flaw, "exit");
	message = expect(&guard, GUARD_FAILED);
	assert_int_equal(message.what, step);
	assert_int_equal(message.value, errnum);
	tell(&guard, GUARD_BYE);
	assert_int_equal(ended(&guard), 0);
	read_out(&guard, text, sizeof(text));
	assert_string_equal(text, "");
	finish(&guard);
}

static void expect_bad_descriptor(int block, int sync)
{
	struct flaw flaw = no_flaw;

	flaw.block = block;
	flaw.sync = sync;
	expect_failure(&flaw, GUARD_STEP_DESCRIPTOR, EBADF);
	if (block != NONE)
		close(block);
	if (sync != NONE)
		close(sync);
}

/* A pipe of the test's own, which the guard inherits; one end is closed. */
static int own_pipe(int end, int flags)
{
	int ends[2];

	assert_int_equal(pipe2(ends, flags), 0);
	/* The other end stays open in the test, so that nothing is at its end. */
	return ends[end];
}

static void test_block(void **state)
{
	int pair[2];

	(void)state;
	expect_bad_descriptor(own_pipe(0, 0), NONE); /* another pipe */
	expect_bad_descriptor(own_pipe(1, 0), NONE); /* the writing end */
	expect_bad_descriptor(own_pipe(0, O_NONBLOCK), NONE);
	expect_bad_descriptor(open("/dev/null", O_RDONLY), NONE);
	expect_bad_descriptor(open("/dev/zero", O_RDONLY), NONE);
	expect_bad_descriptor(open("/", O_RDONLY), NONE);
	expect_bad_descriptor(open("/etc/passwd", O_RDONLY), NONE);
	expect_bad_descriptor(eventfd(0, 0), NONE);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	expect_bad_descriptor(pair[0], pair[1]);
}

static void test_sync(void **state)
{
	(void)state;
	expect_bad_descriptor(NONE, own_pipe(1, 0));
	expect_bad_descriptor(NONE, own_pipe(0, 0));
	expect_bad_descriptor(NONE, open("/dev/null", O_WRONLY));
	expect_bad_descriptor(NONE, eventfd(0, 0));
}

static void test_pairs(void **state)
{
	char name[] = "/tmp/test-guard-file-XXXXXX", path[64];
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	expect_bad_descriptor(ends[1], ends[0]); /* swapped */
	assert_int_equal(pipe(ends), 0);
	expect_bad_descriptor(ends[0], dup(ends[0])); /* the same end twice */
	expect_bad_descriptor(dup(ends[1]), ends[1]);
	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	expect_bad_descriptor(ends[0], ends[1]);
	/* One object, the right way round, and reading it does not wait. */
	expect_bad_descriptor(open("/dev/null", O_RDONLY), open("/dev/null", O_WRONLY));
	ends[1] = mkstemp(name);
	ends[0] = open(name, O_RDONLY);
	unlink(name);
	close(ends[1]);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
	ends[1] = open(path, O_WRONLY);
	expect_bad_descriptor(ends[0], ends[1]);
	/* Only the reading end does not block; then only the writing one. */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pipe(ends), 0);
		fcntl(ends[i], F_SETFL, O_NONBLOCK);
		expect_bad_descriptor(ends[0], ends[1]);
	}
}

static void test_closed(void **state)
{
	struct flaw flaw = no_flaw;

	(void)state;
	flaw.block = 1000;
	expect_failure(&flaw, GUARD_STEP_DESCRIPTOR, EBADF);
	flaw = no_flaw;
	flaw.sync = 1000;
	expect_failure(&flaw, GUARD_STEP_DESCRIPTOR, EBADF);
}

static void test_keep(void **state)
{
	int ends[2];
	char list[64];
	struct flaw flaw = no_flaw;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	flaw.block = ends[0];
	flaw.sync = ends[1];
	flaw.keep = list;
	snprintf(list, sizeof(list), "%d", ends[0]);
	expect_failure(&flaw, GUARD_STEP_DESCRIPTOR, EBADF);
	snprintf(list, sizeof(list), "%d", ends[1]);
	expect_failure(&flaw, GUARD_STEP_DESCRIPTOR, EBADF);
	list[0] = '\0';
	expect_failure(&flaw, GUARD_STEP_DESCRIPTOR, EBADF);
	snprintf(list, sizeof(list), "%d,%d,1000", ends[0], ends[1]);
	expect_failure(&flaw, GUARD_STEP_DESCRIPTOR, EBADF);
	close(ends[0]);
	close(ends[1]);
}

static void test_no_program(void **state)
{
	struct flaw flaw = no_flaw;

	(void)state;
	flaw.program = "/nonexistent/launcher";
	expect_failure(&flaw, GUARD_STEP_EXEC, ENOENT);
	flaw.program = "/etc";
	expect_failure(&flaw, GUARD_STEP_EXEC, EACCES);
}

/* ---- a launcher that is started ---- */

static const char *line_of(const char *text, const char *name)
{
	static char line[256];
	const char *at = strstr(text, name);

	assert_non_null(at);
	snprintf(line, sizeof(line), "%.*s", (int)strcspn(at, "\n"), at);
	return line;
}

static void probe_through(const struct flaw *flaw, struct guard *guard, char *text,
			  size_t size)
{
	struct guard_message message;

	start(guard, flaw, "probe");
	message = expect(guard, GUARD_STARTED);
	assert_true(message.value > 0);
	message = expect(guard, GUARD_EXITED);
	assert_true(WIFEXITED(message.value));
	assert_int_equal(WEXITSTATUS(message.value), 0);
	expect(guard, GUARD_EMPTY);
	read_out(guard, text, size);
	tell(guard, GUARD_BYE);
	assert_int_equal(ended(guard), 0);
}

static void test_what_it_gets(void **state)
{
	struct guard guard;
	char text[4096], expected[64];

	(void)state;
	probe_through(&no_flaw, &guard, text, sizeof(text));
	assert_string_equal(line_of(text, "environment"), "environment empty");
	snprintf(expected, sizeof(expected), "descriptors 0 1 2 %d %d", guard.gate[0],
		 guard.gate[1]);
	assert_string_equal(line_of(text, "descriptors"), expected);
	assert_string_equal(line_of(text, "mask"), "mask");
	assert_string_equal(line_of(text, "umask"), "umask 022");
	assert_string_equal(line_of(text, "death signal"), "death signal 9");
	assert_string_equal(line_of(text, "leader"), "leader 1");
	finish(&guard);
}

static void test_keyring(void **state)
{
	long own = syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
	struct guard guard;
	char text[4096];

	(void)state;
	if (own < 0)
		skip();
	probe_through(&no_flaw, &guard, text, sizeof(text));
	assert_true(atol(line_of(text, "keyring") + 8) > 0);
	assert_true(atol(line_of(text, "keyring") + 8) != own);
	finish(&guard);
}

static int own_oom_score(void)
{
	FILE *file = fopen("/proc/self/oom_score_adj", "re");
	int score = 0;

	if (!file || fscanf(file, "%d", &score) != 1)
		score = 0;
	if (file)
		fclose(file);
	return score;
}

/* What our own caller gave us cannot be made better. */
static int worse_than(int own, int wanted, int most)
{
	int value = own > 0 ? own + wanted : wanted;

	return value < most ? value : most;
}

static void test_priority(void **state)
{
	struct flaw flaw = no_flaw;
	struct guard guard;
	char text[4096], expected[32];

	(void)state;
	/* What is modest stays. */
	flaw.nice = worse_than(getpriority(PRIO_PROCESS, 0), 5, 19);
	flaw.oom = worse_than(own_oom_score(), 300, 1000);
	probe_through(&flaw, &guard, text, sizeof(text));
	snprintf(expected, sizeof(expected), "nice %d", flaw.nice);
	assert_string_equal(line_of(text, "nice"), expected);
	snprintf(expected, sizeof(expected), "oom %d", flaw.oom);
	assert_string_equal(line_of(text, "oom"), expected);
	finish(&guard);
	if (geteuid() != 0)
		skip(); /* needs root for what is not */
	flaw.nice = -5;
	flaw.oom = -300;
	probe_through(&flaw, &guard, text, sizeof(text));
	assert_string_equal(line_of(text, "nice"), "nice 0");
	assert_string_equal(line_of(text, "oom"), "oom 0");
	finish(&guard);
}

static void test_status(void **state)
{
	struct guard guard;
	struct guard_message message;
	char text[64];

	(void)state;
	start(&guard, &no_flaw, "exit");
	expect(&guard, GUARD_STARTED);
	message = expect(&guard, GUARD_EXITED);
	assert_true(WIFEXITED(message.value));
	assert_int_equal(WEXITSTATUS(message.value), 7);
	expect(&guard, GUARD_EMPTY);
	read_out(&guard, text, sizeof(text));
	assert_string_equal(text, "ran\n");
	/* It stays, and tells nothing twice. */
	assert_false(readable(guard.control, 100));
	tell(&guard, GUARD_BYE);
	assert_int_equal(ended(&guard), 0);
	finish(&guard);
}

/* ---- the end ---- */

static void wait_for_it(const struct guard *guard)
{
	char text[8];

	expect(guard, GUARD_STARTED);
	assert_true(readable(guard->out, SOON_MS));
	assert_true(read(guard->out, text, 4) == 4);
}

/* Everyone who had the pipe is gone. */
static void expect_nobody(const struct guard *guard)
{
	char byte;

	assert_true(readable(guard->out, SOON_MS));
	assert_int_equal(read(guard->out, &byte, 1), 0);
}

static const char *const parts[] = { "sleep", "daemon", "stop" };

static void test_kill(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct guard guard;
		struct guard_message message;

		start(&guard, &no_flaw, parts[i]);
		wait_for_it(&guard);
		tell(&guard, GUARD_KILL);
		message = expect(&guard, GUARD_EXITED);
		assert_true(WIFSIGNALED(message.value));
		assert_int_equal(WTERMSIG(message.value), SIGKILL);
		expect(&guard, GUARD_EMPTY);
		expect_nobody(&guard);
		tell(&guard, GUARD_BYE);
		assert_int_equal(ended(&guard), 0);
		finish(&guard);
	}
}

/* The launcher ends and leaves others behind: they are killed without an order. */
static void test_left_behind(void **state)
{
	struct guard guard;

	(void)state;
	start(&guard, &no_flaw, "leave");
	wait_for_it(&guard);
	expect(&guard, GUARD_EXITED);
	expect(&guard, GUARD_EMPTY);
	expect_nobody(&guard);
	tell(&guard, GUARD_BYE);
	assert_int_equal(ended(&guard), 0);
	finish(&guard);
}

static void fill_tmp(const struct guard *guard)
{
	char name[80];

	snprintf(name, sizeof(name), "%s/folder", guard->tmp);
	assert_int_equal(mkdir(name, 0700), 0);
	snprintf(name, sizeof(name), "%s/folder/file", guard->tmp);
	close(open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

static void empty_tmp(const struct guard *guard)
{
	char name[80];

	snprintf(name, sizeof(name), "%s/folder/file", guard->tmp);
	unlink(name);
	snprintf(name, sizeof(name), "%s/folder", guard->tmp);
	rmdir(name);
}

/* The lifeline is cut: everything goes, the tmp that it was given as well. */
static void test_lifeline(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct flaw flaw = no_flaw;
		struct guard guard;

		flaw.tmp = true;
		start(&guard, &flaw, parts[i]);
		fill_tmp(&guard);
		wait_for_it(&guard);
		close(guard.control);
		guard.control = -1;
		assert_int_equal(ended(&guard), 0);
		expect_nobody(&guard);
		assert_int_equal(access(guard.tmp, F_OK), -1);
		finish(&guard);
	}
}

/* The executor goes before the guard found out that it cannot start anything. */
static void test_lifeline_of_failures(void **state)
{
	struct flaw flaw = no_flaw;
	struct guard guard;

	(void)state;
	flaw.tmp = true;
	flaw.program = "/nonexistent/launcher";
	start(&guard, &flaw, "exit");
	fill_tmp(&guard);
	expect(&guard, GUARD_FAILED);
	close(guard.control);
	guard.control = -1;
	assert_int_equal(ended(&guard), 0);
	assert_int_equal(access(guard.tmp, F_OK), -1);
	finish(&guard);
}

/* The session ends with this run: what nobody needs any more goes with the guard. */
static void test_end_of_session(void **state)
{
	struct flaw flaw = no_flaw;
	struct guard guard;

	(void)state;
	flaw.tmp = true;
	start(&guard, &flaw, "exit");
	fill_tmp(&guard);
	expect(&guard, GUARD_STARTED);
	expect(&guard, GUARD_EXITED);
	expect(&guard, GUARD_EMPTY);
	tell(&guard, GUARD_END);
	assert_int_equal(ended(&guard), 0);
	assert_int_equal(access(guard.tmp, F_OK), -1);
	finish(&guard);
}

/* In its second form: it makes the tmp at PATH, and starts nothing. */
static void start_keeper(struct guard *guard, const char *path)
{
	char word[32], tmp[128];
	char *argv[] = { guard_path, word, tmp, (char *)(uintptr_t) "--make-tmp=-",
			 NULL };
	int control[2];

	*guard = (struct guard){ .out = -1, .gate = { -1, -1 } };
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control),
			 0);
	snprintf(word, sizeof(word), "--control=%d", control[1]);
	snprintf(tmp, sizeof(tmp), "--tmp=%s", path);
	guard->pid = fork();
	if (guard->pid == 0) {
		fcntl(control[1], F_SETFD, 0);
		umask(0);
		execv(guard_path, argv);
		_exit(127);
	}
	guard->control = control[0];
	close(control[1]);
}

/* Its user's alone, locked against who sweeps leftovers, and gone with the executor. */
static void test_keeper(void **state)
{
	char folder[] = "/tmp/test-guard-XXXXXX", path[64];
	struct guard guard;
	struct stat st;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/tmp", folder);
	start_keeper(&guard, path);
	expect(&guard, GUARD_EMPTY);
	assert_int_equal(lstat(path, &st), 0);
	assert_int_equal(st.st_mode, S_IFDIR | 0700);
	assert_int_equal(st.st_uid, geteuid());
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), -1);
	assert_int_equal(errno, EWOULDBLOCK);
	close(fd);
	close(guard.control);
	guard.control = -1;
	assert_int_equal(ended(&guard), 0);
	assert_int_equal(rmdir(folder), 0); /* which holds nothing any more */
	finish(&guard);
}

/* What is there already is another's: it is neither taken nor removed. */
static void test_keeper_finds_one(void **state)
{
	char folder[] = "/tmp/test-guard-XXXXXX", path[64];

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/tmp", folder);
	for (int as_link = 0; as_link < 2; as_link++) {
		struct guard_message message;
		struct guard guard;

		assert_int_equal(as_link ? symlink(folder, path) : mkdir(path, 0700), 0);
		start_keeper(&guard, path);
		message = expect(&guard, GUARD_FAILED);
		assert_int_equal(message.what, GUARD_STEP_TMP);
		assert_int_equal(message.value, EEXIST);
		close(guard.control);
		guard.control = -1;
		assert_int_equal(ended(&guard), 0);
		assert_int_equal(as_link ? unlink(path) : rmdir(path), 0);
		finish(&guard);
	}
	assert_int_equal(rmdir(folder), 0);
}

/* After a goodbye, or without --tmp, it is not the guard's to remove. */
static void test_tmp_stays(void **state)
{
	struct flaw flaw = no_flaw;
	struct guard guard;

	(void)state;
	flaw.tmp = true;
	start(&guard, &flaw, "exit");
	fill_tmp(&guard);
	expect(&guard, GUARD_STARTED);
	expect(&guard, GUARD_EXITED);
	expect(&guard, GUARD_EMPTY);
	tell(&guard, GUARD_BYE);
	assert_int_equal(ended(&guard), 0);
	assert_int_equal(access(guard.tmp, F_OK), 0);
	empty_tmp(&guard);
	finish(&guard);
	start(&guard, &no_flaw, "sleep");
	fill_tmp(&guard);
	wait_for_it(&guard);
	close(guard.control);
	guard.control = -1;
	assert_int_equal(ended(&guard), 0);
	assert_int_equal(access(guard.tmp, F_OK), 0);
	empty_tmp(&guard);
	finish(&guard);
}

/* ---- the cgroup ---- */

/* The test's stand-in: a folder, and a pipe in the place of its cgroup.procs. */
static struct flaw with_cgroup(int ends[2])
{
	struct flaw flaw = no_flaw;

	assert_int_equal(pipe(ends), 0);
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	flaw.cgroup = true;
	flaw.procs = ends[1];
	return flaw;
}

static void close_both(const int ends[2])
{
	close(ends[0]);
	close(ends[1]);
}

static void test_bad_cgroup(void **state)
{
	int ends[2];
	struct flaw flaw = with_cgroup(ends);

	(void)state;
	flaw.procs = 0; /* a folder and no way in */
	expect_misuse(&flaw, "exit");
	flaw.procs = -1;
	expect_misuse(&flaw, "exit");
	flaw = no_flaw;
	flaw.procs = ends[1]; /* no folder */
	expect_misuse(&flaw, "exit");
	close_both(ends);
}

/* The launcher is moved in before it is one, does not get the entrance, and the guard
 * moves nobody else. */
static void test_enters(void **state)
{
	int ends[2];
	struct flaw flaw = with_cgroup(ends);
	struct guard guard;
	char text[4096], expected[64];

	(void)state;
	probe_through(&flaw, &guard, text, sizeof(text));
	snprintf(expected, sizeof(expected), "descriptors 0 1 2 %d %d", guard.gate[0],
		 guard.gate[1]);
	assert_string_equal(line_of(text, "descriptors"), expected);
	assert_int_equal(read(ends[0], text, sizeof(text)), 1);
	assert_int_equal(text[0], '0');
	assert_int_equal(access(guard.cgroup, F_OK), -1);
	finish(&guard);
	close_both(ends);
}

/* A launcher that cannot be moved in is not started; the folder goes all the same. */
static void test_cannot_enter(void **state)
{
	int ends[2];
	struct flaw flaw = with_cgroup(ends);
	struct guard guard;
	struct guard_message message;
	char text[64];

	(void)state;
	for (int i = 0; i < 2; i++) {
		flaw.procs = i == 0 ? ends[0] : 1000; /* for reading; nothing */
		fcntl(ends[0], F_SETFD, 0);
		start(&guard, &flaw, "exit");
		message = expect(&guard, GUARD_FAILED);
		assert_int_equal(message.what, GUARD_STEP_CGROUP);
		assert_int_equal(message.value, EBADF);
		tell(&guard, GUARD_BYE);
		assert_int_equal(ended(&guard), 0);
		read_out(&guard, text, sizeof(text));
		assert_string_equal(text, "");
		assert_int_equal(access(guard.cgroup, F_OK), -1);
		finish(&guard);
	}
	close_both(ends);
}

/* The lifeline is cut: the folder goes, with the groups that the command made in it. */
static void test_cgroup_of_the_killed(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		int ends[2];
		struct flaw flaw = with_cgroup(ends);
		struct guard guard;
		char name[80];

		start(&guard, &flaw, parts[i]);
		for (int j = 0; j < 3; j++) {
			snprintf(name, sizeof(name), "%s/%d", guard.cgroup, j);
			assert_int_equal(mkdir(name, 0700), 0);
			strcat(name, "/below");
			assert_int_equal(mkdir(name, 0700), 0);
		}
		wait_for_it(&guard);
		close(guard.control);
		guard.control = -1;
		assert_int_equal(ended(&guard), 0);
		expect_nobody(&guard);
		assert_int_equal(access(guard.cgroup, F_OK), -1);
		finish(&guard);
		close_both(ends);
	}
}

/* One that somebody is in is tried for a while, and no longer. */
static void test_cgroup_stays(void **state)
{
	int ends[2], status;
	struct flaw flaw = with_cgroup(ends);
	struct guard guard;
	char name[80];

	(void)state;
	start(&guard, &flaw, "exit");
	snprintf(name, sizeof(name), "%s/file", guard.cgroup);
	close(open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	expect(&guard, GUARD_STARTED);
	expect(&guard, GUARD_EXITED);
	expect(&guard, GUARD_EMPTY);
	tell(&guard, GUARD_BYE);
	status = ended(&guard);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
	unlink(name);
	finish(&guard);
	close_both(ends);
}

/* ---- signals ---- */

/* A guard that came late, by a scope's tool that had to wait, starts nothing any more. */
static void test_not_wanted(void **state)
{
	struct flaw flaw = no_flaw;
	struct guard guard;
	char text[64];

	(void)state;
	for (int i = 0; i < 3; i++) {
		flaw.early = (char[]){ GUARD_KILL, GUARD_BYE, 0 }[i];
		flaw.cut = i == 2;
		start(&guard, &flaw, "exit");
		if (!flaw.cut)
			expect(&guard, GUARD_EMPTY);
		if (flaw.early == GUARD_KILL)
			tell(&guard, GUARD_BYE);
		assert_int_equal(ended(&guard), 0);
		read_out(&guard, text, sizeof(text));
		assert_string_equal(text, "");
		finish(&guard);
	}
}

/* A signal ends the run, not the guard: it still has to report. */
static void test_signals(void **state)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP };

	(void)state;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct guard guard;

		start(&guard, &no_flaw, "daemon");
		wait_for_it(&guard);
		kill(guard.pid, signals[i]);
		expect(&guard, GUARD_EXITED);
		expect(&guard, GUARD_EMPTY);
		expect_nobody(&guard);
		tell(&guard, GUARD_BYE);
		assert_int_equal(ended(&guard), 0);
		finish(&guard);
	}
}

/* Others do nothing to it. */
static void test_other_signals(void **state)
{
	static const int signals[] = { SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM,
				       SIGQUIT, SIGTSTP, SIGTTIN };
	struct guard guard;

	(void)state;
	start(&guard, &no_flaw, "sleep");
	wait_for_it(&guard);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		kill(guard.pid, signals[i]);
	assert_false(readable(guard.control, 200));
	tell(&guard, GUARD_KILL);
	expect(&guard, GUARD_EXITED);
	expect(&guard, GUARD_EMPTY);
	tell(&guard, GUARD_BYE);
	assert_int_equal(ended(&guard), 0);
	finish(&guard);
}

/* Orders that are none are no goodbye either. */
static void test_noise(void **state)
{
	struct guard guard;

	(void)state;
	start(&guard, &no_flaw, "sleep");
	wait_for_it(&guard);
	tell(&guard, 'x');
	tell(&guard, '\0');
	assert_false(readable(guard.control, 200));
	tell(&guard, GUARD_KILL);
	expect(&guard, GUARD_EXITED);
	expect(&guard, GUARD_EMPTY);
	tell(&guard, GUARD_BYE);
	assert_int_equal(ended(&guard), 0);
	finish(&guard);
}

/* Descriptors of the guard that it does not need to wait and to report. */
static int extra_descriptors(const struct guard *guard)
{
	char name[64], path[300];
	int extra = 0;

	for (int fd = 0; fd < 256; fd++) {
		ssize_t n;

		snprintf(name, sizeof(name), "/proc/%d/fd/%d", guard->pid, fd);
		n = readlink(name, path, sizeof(path) - 1);
		path[n > 0 ? n : 0] = '\0';
		extra += n > 0 && strncmp(path, "socket:", 7) != 0 &&
			 strcmp(path, "anon_inode:[signalfd]") != 0;
	}
	return extra;
}

/* It holds nothing of the run open: the gate's reader sees the end of its pipe, and
 * the pipe of stdout ends with the launcher. */
static void test_holds_nothing(void **state)
{
	int ends[2];
	struct flaw flaw = with_cgroup(ends);
	struct guard guard;

	(void)state;
	start(&guard, &flaw, "sleep");
	wait_for_it(&guard);
	/* It closes after it has told. */
	for (int i = 0; i < SOON_MS / 10 && extra_descriptors(&guard) > 0; i++)
		usleep(10000);
	assert_int_equal(extra_descriptors(&guard), 0);
	close(guard.control);
	guard.control = -1;
	assert_int_equal(ended(&guard), 0);
	finish(&guard);
	close_both(ends);
}

static bool find_programs(void)
{
	const char *guard = getenv("DRUPE_GUARD");

	return realpath(guard ? guard : "./drupe-guard", guard_path) &&
	       realpath("/proc/self/exe", own_path);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_bad_keep),
		cmocka_unit_test(test_block),
		cmocka_unit_test(test_sync),
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_closed),
		cmocka_unit_test(test_keep),
		cmocka_unit_test(test_no_program),
		cmocka_unit_test(test_what_it_gets),
		cmocka_unit_test(test_keyring),
		cmocka_unit_test(test_priority),
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_kill),
		cmocka_unit_test(test_left_behind),
		cmocka_unit_test(test_lifeline),
		cmocka_unit_test(test_lifeline_of_failures),
		cmocka_unit_test(test_end_of_session),
		cmocka_unit_test(test_keeper),
		cmocka_unit_test(test_keeper_finds_one),
		cmocka_unit_test(test_tmp_stays),
		cmocka_unit_test(test_bad_cgroup),
		cmocka_unit_test(test_enters),
		cmocka_unit_test(test_cannot_enter),
		cmocka_unit_test(test_cgroup_of_the_killed),
		cmocka_unit_test(test_cgroup_stays),
		cmocka_unit_test(test_not_wanted),
		cmocka_unit_test(test_signals),
		cmocka_unit_test(test_other_signals),
		cmocka_unit_test(test_noise),
		cmocka_unit_test(test_holds_nothing),
	};

	if (argc == 2)
		return strcmp(argv[1], "probe") == 0 ? probe() : play(argv[1]);
	if (!find_programs()) {
		fputs("DRUPE_GUARD is not the path of drupe-guard\n", stderr);
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
