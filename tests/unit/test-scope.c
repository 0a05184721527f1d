/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The scope on a plain file system: as a folder it is made, locked, and what others left
 * is swept (a file stands for a process in it); kill, evidence, and what a tool that
 * ended leads to. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/vfs.h>

#include <cmocka.h>

#include "base/argv.h"
#include "base/clock.h"
#include "base/fd.h"
#include "run/result.h"
#include "scope/folder.h"
#include "scope/scope.h"
#include "fast-clock.h"

#define OTHER_UID 54321
#define DEAD 250

static char parent[64];
static int answer;
static bool wants_limit;

static int fake_setup(const struct drupe_call *call, const struct drupe_scope *scope,
		      struct drupe_cgroup_setup *ret_setup)
{
	(void)call;
	if (wants_limit) {
		ret_setup->n_writes = 1;
		strcpy(ret_setup->writes[0].file, "memory.max");
		strcpy(ret_setup->writes[0].value, "1");
	}
	if (answer == 0)
		snprintf(ret_setup->folder, sizeof(ret_setup->folder), "%s/%s", parent,
			 scope->unit);
	return answer;
}

static int fake_cgroup(const struct drupe_call *call, const struct drupe_scope *scope,
		       char *ret_suffix, size_t size)
{
	(void)call;
	snprintf(ret_suffix, size, "/%s", scope->unit);
	return 0;
}

/* What stops it: a program that leaves a trace, or one that never ends. */
static bool hangs;

static void fake_stop(const struct drupe_call *call, const struct drupe_scope *scope,
		      struct drupe_words *words)
{
	(void)call;
	argv_push(words, hangs ? "/usr/bin/sleep" : "/usr/bin/mkdir");
	if (hangs)
		argv_push(words, "100");
	else
		argv_pushf(words, "%s/%s", parent, scope->unit);
}

static struct backend backend = {
	.file = (char[]){ "scope-fake.so" },
	.slot = SLOT_SCOPE,
	.object = { .name = (char[]){ "fake" }, .tool = (char[]){ "/usr/bin/fake" } },
};
static const struct identity identity;
static const struct plan plan;

static int setup(void **state)
{
	(void)state;
	strcpy(parent, "/tmp/test-scope-XXXXXX");
	assert_non_null(mkdtemp(parent));
	answer = 0;
	backend.scope = (struct drupe_scope_ops){ .size = sizeof(backend.scope),
						  .setup = fake_setup };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return rmdir(parent);
}

static const char *below(const char *name)
{
	static char path[400];

	snprintf(path, sizeof(path), "%s/%s", parent, name);
	return path;
}

static bool is_there(const char *name)
{
	return access(below(name), F_OK) == 0;
}

static void make(const char *name)
{
	assert_int_equal(mkdir(below(name), 0755), 0);
}

static void test_life(void **state)
{
	struct scope scope = SCOPE_NONE;
	struct error err = { 0 };
	char procs[120];
	int fd, entrance;

	(void)state;
	assert_int_equal(scope_prepare(&scope, &backend, &identity, &plan, &err), 0);
	assert_true(scope_is_folder(&scope));
	assert_true(is_there(scope.unit));
	assert_int_equal(strncmp(scope.unit, "drupe-", 6), 0);
	/* As one who sweeps would ask. */
	fd = open(below(scope.unit), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), -1);
	close(fd);
	assert_true(fcntl(scope.lock, F_GETFD) & FD_CLOEXEC);
	/* No cgroup, so no entrance. */
	assert_int_equal(scope_folder_entrance(&scope, &entrance, &err), -ENOENT);
	assert_int_equal(err.code, ERROR_SCOPE_FAILED);
	snprintf(procs, sizeof(procs), "%s/cgroup.procs", scope.unit);
	fd = open(below(procs), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(scope_folder_entrance(&scope, &entrance, &err), 0);
	assert_true(entrance > 2);
	assert_true(fcntl(entrance, F_GETFD) & FD_CLOEXEC);
	close(entrance);
	close(fd);
	unlink(below(procs));
	scope_close(&scope);
	assert_false(is_there(scope.unit));
	assert_int_equal(scope.lock, -1);
}

/* Dead and empty: swept.  Locked, in use, or of another name: not. */
static void test_sweep(void **state)
{
	static const char *const dead[] = {
		"drupe-0-1-0123456789abcdef.scope",
		"drupe-1000-4194304-ffffffffffffffff.scope",
	};
	static const char *const others[] = {
		"drupe-1000-1-0123456789abcde.scope",
		"drupe-1000-1-0123456789abcdef0.scope",
		"drupe-1000-1-0123456789abcdeg.scope",
		"drupe-1000-1-0123456789ABCDEF.scope",
		"drupe-1000-1-0123456789abcdef.slice",
		"drupe-1000-1-0123456789abcdef.scope.d",
		"drupe-1000--0123456789abcdef.scope",
		"drupe--1-0123456789abcdef.scope",
		"drupe-1000-0123456789abcdef.scope",
		"x-drupe-1000-1-0123456789abcdef.scope",
		"engine",
	};
	static const char *const live[] = { "drupe-1000-1-0000000000000001.scope",
					    "drupe-1000-1-0000000000000002.scope" };
	struct scope scope = SCOPE_NONE;
	struct error err = { 0 };
	char name[256];
	int lock;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		make(dead[i]);
		make(live[i]);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		make(others[i]);
	lock = open(below(live[0]), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(lock, LOCK_SH), 0);
	snprintf(name, sizeof(name), "%s/process", live[1]);
	make(name);
	assert_int_equal(scope_prepare(&scope, &backend, &identity, &plan, &err), 0);
	for (size_t i = 0; i < 2; i++) {
		assert_false(is_there(dead[i]));
		assert_true(is_there(live[i]));
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		assert_true(is_there(others[i]));
		rmdir(below(others[i]));
	}
	scope_close(&scope);
	close(lock);
	rmdir(below(name));
	rmdir(below(live[0]));
	rmdir(below(live[1]));
}

/* However many there are, a start does not wait for all of them to go. */
static void test_sweep_deadline(void **state)
{
	struct scope scope = SCOPE_NONE;
	struct error err = { 0 };
	char name[64];
	int left = DEAD;

	(void)state;
	for (int i = 0; i < DEAD; i++) {
		snprintf(name, sizeof(name), "drupe-1000-1-%016x.scope", i);
		make(name);
	}
	while (left > 0) {
		int before = left;

		look_ms = 1;
		assert_int_equal(scope_prepare(&scope, &backend, &identity, &plan, &err),
				 0);
		look_ms = 0;
		scope_close(&scope);
		left = 0;
		for (int i = 0; i < DEAD; i++) {
			snprintf(name, sizeof(name), "drupe-1000-1-%016x.scope", i);
			left += is_there(name);
		}
		assert_true(left < before && left >= before - 100);
	}
}

static void test_failures(void **state)
{
	struct scope scope = SCOPE_NONE;
	struct error err = { 0 };

	(void)state;
	answer = -EDESTADDRREQ;
	assert_int_equal(scope_prepare(&scope, &backend, &identity, &plan, &err),
			 -EDESTADDRREQ);
	assert_int_equal(err.code, ERROR_SCOPE_FAILED);
	assert_string_not_equal(err.hint, "");
	scope_close(&scope);
	answer = 0;
	rmdir(parent);
	scope = (struct scope)SCOPE_NONE;
	assert_int_equal(scope_prepare(&scope, &backend, &identity, &plan, &err),
			 -ENOENT);
	assert_int_equal(err.code, ERROR_SCOPE_FAILED);
	scope_close(&scope);
	assert_int_equal(mkdir(parent, 0700), 0);
}

/* A limit that is not this scope's to enforce is refused before anything is made. */
static void test_cannot_enforce(void **state)
{
	struct scope scope = SCOPE_NONE;
	struct error err = { 0 };
	struct plan limited = { .n_cgroup = 1 };

	(void)state;
	limited.cgroup[0] = (struct drupe_cgroup_limit){ DRUPE_CGROUP_TASKS_MAX, 5 };
	backend.scope.enforces = ~(UINT64_C(1) << DRUPE_CGROUP_TASKS_MAX);
	assert_true(scope_prepare(&scope, &backend, &identity, &limited, &err) < 0);
	assert_int_equal(err.code, ERROR_LIMIT_NOT_IN_FORCE);
	assert_non_null(strstr(err.message, "tasks_max"));
	assert_null(scope.setup);
	backend.scope.enforces = UINT64_C(1) << DRUPE_CGROUP_TASKS_MAX;
	assert_int_equal(scope_prepare(&scope, &backend, &identity, &limited, &err), 0);
	scope_close(&scope);
}

/* By the kernel where it can, else by the manager's tool, which has its time. */
/* A limit that cannot be written is no limit: here there is no such file. */
static void test_cannot_set(void **state)
{
	struct scope scope = SCOPE_NONE;
	struct error err = { 0 };

	(void)state;
	wants_limit = true;
	assert_int_equal(scope_prepare(&scope, &backend, &identity, &plan, &err),
			 -ENOENT);
	assert_string_equal(error_code_word(err.code), "scope-failed");
	assert_non_null(strstr(err.message, "cannot set memory.max"));
	wants_limit = false;
	scope_close(&scope);
}

static void refuse_manager(const char *runtime, const char *needle)
{
	struct scope scope = SCOPE_NONE;
	struct error err = { 0 };

	if (runtime)
		setenv("XDG_RUNTIME_DIR", runtime, 1);
	else
		unsetenv("XDG_RUNTIME_DIR");
	assert_true(scope_prepare(&scope, &backend, &identity, &plan, &err) < 0);
	assert_string_equal(error_code_word(err.code), "scope-unavailable");
	if (!strstr(err.message, needle))
		fail_msg("\"%s\" does not say \"%s\"", err.message, needle);
	assert_null(scope.environment[0]);
	scope_close(&scope);
}

/* Whose manager it is that the tool would call: the caller's own, by its socket. */
static void test_manager(void **state)
{
	static const char *const variables[] = { "XDG_RUNTIME_DIR", NULL };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct scope scope = SCOPE_NONE;
	struct error err = { 0 };
	bool root = geteuid() == 0;
	char folder[400];
	int fd;

	(void)state;
	backend.scope.setup = NULL;
	backend.scope.environment = variables;
	if (root) /* which has the system's */
		assert_int_equal(chown(parent, OTHER_UID, OTHER_UID) + seteuid(OTHER_UID),
				 0);
	refuse_manager(NULL, "is not set");
	refuse_manager("run/user", "is not set");
	refuse_manager("/etc/passwd", "is not a folder");
	refuse_manager(below("none"), "is not a folder");
	refuse_manager("/usr", "belongs to another user");
	refuse_manager(parent, "no user manager listens");
	make("systemd");
	make("systemd/private");
	refuse_manager(parent, "no user manager listens");
	snprintf(folder, sizeof(folder), "%s", below("systemd/private"));
	assert_int_equal(rmdir(folder), 0);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%.100s", folder);
	assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(scope_prepare(&scope, &backend, &identity, &plan, &err), 0);
	snprintf(folder, sizeof(folder), "XDG_RUNTIME_DIR=%s", parent);
	assert_string_equal(scope.environment[0], folder);
	if (root) {
		assert_int_equal(seteuid(0), 0);
		/* A socket that is not the caller's. */
		assert_int_equal(chown(address.sun_path, 0, 0), 0);
		assert_int_equal(seteuid(OTHER_UID), 0);
		refuse_manager(parent, "no user manager listens");
		assert_int_equal(seteuid(0), 0);
	}
	scope_close(&scope);
	close(fd);
	unlink(address.sun_path);
	rmdir(below("systemd"));
}

/* This process is in no scope; and where the host has version 1 as well, limits would not
 * be kept. */
static void test_not_in_it(void **state)
{
	_cleanup_close_ int self = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct scope scope = SCOPE_NONE;
	struct error err = { 0 };
	struct statfs fs;
	bool pure = statfs("/sys/fs/cgroup", &fs) == 0 &&
		    (unsigned long)fs.f_type == 0x63677270; /* CGROUP2_SUPER_MAGIC */

	(void)state;
	backend.scope.cgroup = fake_cgroup;
	assert_int_equal(scope_prepare(&scope, &backend, &identity, &plan, &err), 0);
	assert_true(scope_verify(&scope, &plan, self, &err) < 0);
	assert_string_equal(
		error_code_word(err.code),
		error_code_word(pure ? ERROR_VERIFY_CGROUP : ERROR_LIMIT_NOT_IN_FORCE));
	assert_int_equal(scope.folder, -1);
	scope_close(&scope);
}

static void test_kill(void **state)
{
	struct scope scope = SCOPE_NONE;
	char text[8];
	int64_t begin;
	int fd;

	(void)state;
	backend.scope.stop_words = fake_stop;
	scope.backend = &backend;
	scope.request.unit = "stopped";
	scope_kill(&scope); /* not verified: nothing is known to be ours */
	assert_false(is_there("stopped"));
	scope.folder = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fd = open(below("cgroup.kill"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	scope_kill(&scope);
	assert_false(is_there("stopped"));
	assert_int_equal(read(fd, text, sizeof(text)), 1);
	assert_int_equal(text[0], '1');
	close(fd);
	unlink(below("cgroup.kill"));
	scope_kill(&scope);
	assert_true(is_there("stopped"));
	rmdir(below("stopped"));
	hangs = true;
	begin = clock_now();
	scope_kill(&scope);
	hangs = false;
	assert_true(clock_now() - begin >= 2 * NS_PER_SECOND);
	assert_true(clock_now() - begin < 30 * NS_PER_SECOND);
	close_fd(&scope.folder);
}

/* What was read is not lost to a later look, which finds nothing. */
static void test_usage(void **state)
{
	static const char *const files[][2] = {
		{ "memory.peak", "4096\n" },
		{ "cpu.stat",
		  "usage_usec 3000000\nuser_usec 2000000\nsystem_usec 1000000\n" },
		{ "memory.events", "low 0\noom 7\noom_kill 2\noom_group_kill 1\n" },
	};
	struct scope scope = SCOPE_NONE;
	struct result result;

	(void)state;
	result_init(&result);
	scope.folder = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; i < 3; i++) {
		int fd = open(below(files[i][0]), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

		assert_true(write(fd, files[i][1], strlen(files[i][1])) > 0);
		close(fd);
	}
	for (int i = 0; i < 2; i++) {
		scope_read_usage(&scope, &result.usage);
		assert_int_equal(result.usage.memory_peak, 4096);
		assert_int_equal(result.usage.oom_kills, 2);
		assert_true(result.usage.pids_peak == UINT64_MAX);
		assert_true(result.usage.user_seconds == 2.0);
		assert_true(result.usage.system_seconds == 1.0);
		for (size_t j = 0; j < 3; j++)
			unlink(below(files[j][0]));
	}
	close_fd(&scope.folder);
}

static void test_silence(void **state)
{
	const struct scope scope = { .backend = &backend };
	struct error err = { 0 };

	(void)state;
	assert_int_equal(scope_failure(&scope, "", 1 << 8, &err), -EIO);
	assert_int_equal(err.code, ERROR_SCOPE_FAILED);
	assert_non_null(strstr(err.message, "/usr/bin/fake ended with status 1"));
	assert_non_null(strstr(err.message, "it said nothing"));
	assert_string_not_equal(err.hint, "");
	scope_failure(&scope, "no bus", 9, &err);
	assert_non_null(strstr(err.message, "status 137: no bus"));
	assert_null(strstr(err.message, "said nothing"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_life, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sweep, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sweep_deadline, setup, teardown),
		cmocka_unit_test_setup_teardown(test_failures, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cannot_enforce, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cannot_set, setup, teardown),
		cmocka_unit_test_setup_teardown(test_manager, setup, teardown),
		cmocka_unit_test_setup_teardown(test_not_in_it, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kill, setup, teardown),
		cmocka_unit_test_setup_teardown(test_usage, setup, teardown),
		cmocka_unit_test_setup_teardown(test_silence, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
