/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a started process gets, and what it does not (R7, R8, R10, R14). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/spawn.h"

#define NOBODY 65534
#define SOON_MS 20000

static char own_path[PATH_MAX];

/* ---- the started process: this program again ---- */

static int oom_score(void)
{
	FILE *file = fopen("/proc/self/oom_score_adj", "re");
	int score = INT_MIN;

	if (file && fscanf(file, "%d", &score) != 1)
		score = INT_MIN;
	if (file)
		fclose(file);
	return score;
}

static bool set_oom_score(int score)
{
	FILE *file = fopen("/proc/self/oom_score_adj", "we");
	bool good = file && fprintf(file, "%d", score) > 0;

	return file && fclose(file) == 0 && good;
}

static int probe(void)
{
	extern char **environ;
	char cwd[PATH_MAX];
	struct sigaction action;
	int death = 0;
	sigset_t mask;
	gid_t groups[64];

	printf("descriptors");
	for (int fd = 0; fd < 1024; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf(" %d", fd);
	printf("\nenvironment");
	for (char **variable = environ; *variable; variable++)
		printf(" %s", *variable);
	printf("\nfolder %s\numask %03o\nmask", getcwd(cwd, sizeof(cwd)), umask(0));
	sigprocmask(SIG_BLOCK, NULL, &mask);
	for (int i = 1; i < NSIG; i++)
		if (sigismember(&mask, i) == 1)
			printf(" %d", i);
	printf("\nactions");
	/* Nothing else goes through an exec; a sanitizer sets handlers after it. */
	for (int i = 1; i < NSIG; i++)
		if (sigaction(i, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
			printf(" %d", i);
	prctl(PR_GET_PDEATHSIG, &death);
	printf("\ndeath signal %d\noom %d\nids %d %d %d %d %d\n", death, oom_score(),
	       (int)getuid(), (int)geteuid(), (int)getgid(), (int)getegid(),
	       getgroups(64, groups));
	return 0;
}

/* ---- starting it ---- */

struct started {
	pid_t pid;
	int pidfd;
	char text[4096];
};

static void read_all(int fd, char *text, size_t size)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	size_t used = 0;
	ssize_t n;

	while (poll(&poll_fd, 1, SOON_MS) > 0 &&
	       (n = read(fd, text + used, size - 1 - used)) > 0)
		used += (size_t)n;
	text[used] = '\0';
}

static char *const probe_words[] = { own_path, (char *)(uintptr_t) "probe", NULL };
static char *const no_environment[] = { NULL };

static void start(struct spawn *spawn, struct started *started)
{
	int out[2], null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct error err = { 0 };

	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	spawn->argv = probe_words;
	if (!spawn->envp)
		spawn->envp = no_environment;
	spawn->stdio[0] = null;
	spawn->stdio[1] = spawn->stdio[2] = out[1];
	assert_int_equal(spawn_process(spawn, &started->pid, &started->pidfd, &err), 0);
	close(out[1]);
	close(null);
	read_all(out[0], started->text, sizeof(started->text));
	close(out[0]);
	assert_int_equal(waitpid(started->pid, NULL, 0), started->pid);
}

static const char *line_of(const char *text, const char *name)
{
	static char line[512];
	const char *at = strstr(text, name);

	assert_non_null(at);
	snprintf(line, sizeof(line), "%.*s", (int)strcspn(at, "\n"), at);
	return line;
}

static void test_what_it_gets(void **state)
{
	struct spawn spawn = { 0 };
	struct started started;
	sigset_t all, before;
	mode_t mask = umask(0);

	(void)state;
	/* What the caller has is not what it gets. */
	setenv("SECRET", "hunter2", 1);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGRTMIN, SIG_IGN);
	signal(SIGRTMAX, SIG_IGN);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	start(&spawn, &started);
	sigprocmask(SIG_SETMASK, &before, NULL);
	umask(mask);
	assert_int_equal(fcntl(started.pidfd, F_GETFD), FD_CLOEXEC);
	assert_string_equal(line_of(started.text, "descriptors"), "descriptors 0 1 2");
	assert_string_equal(line_of(started.text, "environment"), "environment");
	assert_string_equal(line_of(started.text, "folder"), "folder /");
	assert_string_equal(line_of(started.text, "umask"), "umask 022");
	assert_non_null(strstr(started.text, "\nmask\n"));
	assert_string_equal(line_of(started.text, "actions"), "actions");
	assert_string_equal(line_of(started.text, "death signal"), "death signal 9");
	close(started.pidfd);
}

/* Those of the caller that an exec would keep, high and low, and those on the list. */
static void test_descriptors(void **state)
{
	struct spawn spawn = { 0 };
	struct started started;
	int leaked = open("/", O_RDONLY | O_DIRECTORY);
	int high = fcntl(leaked, F_DUPFD, 400);
	int inherit[2] = { fcntl(leaked, F_DUPFD_CLOEXEC, 100),
			   fcntl(leaked, F_DUPFD, 500) };
	char expected[64];

	(void)state;
	assert_true(leaked > 2 && high >= 400);
	start(&spawn, &started);
	assert_string_equal(line_of(started.text, "descriptors"), "descriptors 0 1 2");
	close(started.pidfd);
	spawn.inherit = inherit;
	spawn.n_inherit = 2;
	start(&spawn, &started);
	snprintf(expected, sizeof(expected), "descriptors 0 1 2 %d %d", inherit[0],
		 inherit[1]);
	assert_string_equal(line_of(started.text, "descriptors"), expected);
	/* The caller's are as they were. */
	assert_int_equal(fcntl(inherit[0], F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(leaked, F_GETFD), 0);
	close(started.pidfd);
	close(leaked);
	close(high);
	close(inherit[0]);
	close(inherit[1]);
}

static void test_environment(void **state)
{
	static char *const two[] = { (char *)(uintptr_t) "A=1",
				     (char *)(uintptr_t) "B=", NULL };
	struct spawn spawn = { .envp = two };
	struct started started;

	(void)state;
	start(&spawn, &started);
	assert_string_equal(line_of(started.text, "environment"), "environment A=1 B=");
	close(started.pidfd);
}

/* Another user may not reach the folder of a build. */
static bool is_reachable(void)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(setgid(NOBODY) < 0 || setuid(NOBODY) < 0 ||
		      access(own_path, X_OK) < 0);
	waitpid(pid, &status, 0);
	return status == 0;
}

static void test_identity(void **state)
{
	gid_t groups[] = { NOBODY, NOBODY - 1 };
	const struct identity identity = { .uid = NOBODY,
					   .gid = NOBODY,
					   .groups = groups,
					   .n_groups = 2,
					   .drop = true };
	struct spawn spawn = { .identity = &identity };
	struct started started;
	int before = oom_score();
	bool is_protected;

	(void)state;
	if (geteuid() != 0 || !is_reachable())
		skip(); /* needs root, and a program that the other user may execute */
	is_protected = set_oom_score(-100);
	start(&spawn, &started);
	(void)set_oom_score(before);
	assert_string_equal(line_of(started.text, "ids"),
			    "ids 65534 65534 65534 65534 2");
	/* What protects root is no other's. */
	if (is_protected)
		assert_string_equal(line_of(started.text, "oom"), "oom 0");
	/* A change of the user clears it: it has to be armed after that. */
	assert_string_equal(line_of(started.text, "death signal"), "death signal 9");
	close(started.pidfd);
}

/* ---- failures ---- */

static void refuse(struct spawn *spawn, enum error_code code, int errnum)
{
	struct error err = { 0 };
	pid_t pid = -7;
	int pidfd = -7, null = open("/dev/null", O_RDWR | O_CLOEXEC);

	spawn->envp = no_environment;
	for (size_t i = 0; i < 3; i++)
		spawn->stdio[i] = null;
	assert_int_equal(spawn_process(spawn, &pid, &pidfd, &err), -errnum);
	assert_int_equal(err.code, code);
	assert_int_equal(err.errnum, errnum);
	assert_int_equal(pid, -7);
	assert_int_equal(pidfd, -7);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
	assert_int_equal(errno, ECHILD);
	close(null);
}

static void test_no_program(void **state)
{
	static char *const missing[] = { (char *)(uintptr_t) "/nonexistent/x", NULL };
	static char *const folder[] = { (char *)(uintptr_t) "/usr", NULL };
	struct spawn spawn = { .argv = missing };

	(void)state;
	refuse(&spawn, ERROR_SPAWN_FAILED, ENOENT);
	spawn.argv = folder;
	refuse(&spawn, ERROR_SPAWN_FAILED, EACCES);
}

static void test_too_long(void **state)
{
	char *word = malloc(1 << 18), *words[] = { own_path, word, NULL };
	struct spawn spawn = { .argv = words };

	(void)state;
	memset(word, 'x', (1 << 18) - 1);
	word[(1 << 18) - 1] = '\0';
	refuse(&spawn, ERROR_ARGUMENTS_TOO_LONG, E2BIG);
	free(word);
}

static void test_bad_descriptor(void **state)
{
	const int closed[] = { 999 };
	struct spawn spawn = { .argv = probe_words, .inherit = closed, .n_inherit = 1 };

	(void)state;
	refuse(&spawn, ERROR_SPAWN_FAILED, EBADF);
}

/* The process must not live on where its pidfd cannot be had: before anything that it
 * could start, or with everything that it did. */
static void test_no_descriptor_left(void **state)
{
	static char *const words[] = { own_path, (char *)(uintptr_t) "sleep", NULL };
	struct spawn spawn = { .argv = words };
	struct rlimit before, none;
	struct error err = { 0 };
	int pidfd = -1, null = open("/dev/null", O_RDWR | O_CLOEXEC), lowest = 0;
	pid_t pid;

	(void)state;
	spawn.envp = no_environment;
	for (size_t i = 0; i < 3; i++)
		spawn.stdio[i] = null;
	while (fcntl(lowest, F_GETFD) >= 0)
		lowest++;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = (rlim_t)lowest;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(spawn_process(&spawn, &pid, &pidfd, &err), -EMFILE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(err.code, ERROR_SPAWN_FAILED);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	close(null);
}

/* ---- the end of the spawner ---- */

static void test_dies_with_spawner(void **state)
{
	static char *const words[] = { own_path, (char *)(uintptr_t) "sleep", NULL };
	struct pollfd told = { .events = POLLIN };
	int out[2];
	char byte;
	pid_t spawner;

	(void)state;
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	spawner = fork();
	if (spawner == 0) {
		struct spawn spawn = { .argv = words, .envp = no_environment };
		struct error err = { 0 };
		pid_t pid;
		int pidfd;

		for (size_t i = 0; i < 3; i++)
			spawn.stdio[i] = out[1];
		_exit(spawn_process(&spawn, &pid, &pidfd, &err) == 0 ? 0 : 1);
	}
	close(out[1]);
	assert_int_equal(waitpid(spawner, NULL, 0), spawner);
	/* The sleeper was the last to have the other end. */
	told.fd = out[0];
	assert_true(poll(&told, 1, SOON_MS) > 0);
	assert_int_equal(read(out[0], &byte, 1), 0);
	close(out[0]);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_it_gets),
		cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_identity),
		cmocka_unit_test(test_no_program),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_bad_descriptor),
		cmocka_unit_test(test_no_descriptor_left),
		cmocka_unit_test(test_dies_with_spawner),
	};

	if (argc == 2 && strcmp(argv[1], "probe") == 0)
		return probe();
	if (argc == 2)
		for (;;)
			pause();
	if (!realpath("/proc/self/exe", own_path))
		return 99;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
