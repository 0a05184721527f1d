/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is read from the kernel before a release, against a child that lacks one thing
 * at a time (R4).  The child is made here, not by a launcher: no launcher can be told
 * to leave some of these out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "verify/checks.h"

#define SPACES                                                                       \
	(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | \
	 CLONE_NEWNS)
#define TOOL "/usr/bin/env"
#define SOON_MS 20000

/* ---- the child ---- */

/* What is not as it must be. */
struct flaw {
	int shared; /* CLONE_NEW… that are left out; then nothing is mounted */
	uint32_t inheritable, permitted;
	bool can_gain; /* without NoNewPrivs */
	bool usr_writable, etc_writable, root_writable, data_writable;
	bool workspace_read_only, other_workspace, no_workspace;
	bool no_proc, host_proc, etc_on_disk;
	const char *extra;	       /* one more mount, writable */
	bool sealed_extra;	       /* or read-only */
	bool hidden_extra;	       /* and a read-only one over it */
	bool leaks_folder, leaks_file; /* a descriptor that an exec does not close */
	bool no_gate, no_sync;	       /* an end of the gate is closed */
	bool has_started;	       /* a process of its own */
	bool second;  /* not the init of its namespace, but a child of that */
	int resource; /* 0: none, else 1 + RLIMIT_… and its hard limit */
	rlim_t hard;
};

/* Folders of the host. */
static char base[] = "/tmp/test-verify-XXXXXX";
static char workspace[64], other[64], data[64], root[64];

/* What the child waits at; here nothing is ever written to it. */
static int gate[2];

static void must(int r)
{
	if (r < 0)
		_exit(errno == EPERM || errno == EACCES ? 77 : 99);
}

static void seal(const char *path)
{
	struct statvfs st;
	unsigned long flags = MS_REMOUNT | MS_BIND | MS_RDONLY;

	must(statvfs(path, &st));
	/* A user namespace may not take these off. */
	flags |= st.f_flag & ST_NOSUID ? MS_NOSUID : 0;
	flags |= st.f_flag & ST_NODEV ? MS_NODEV : 0;
	flags |= st.f_flag & ST_NOEXEC ? MS_NOEXEC : 0;
	flags |= st.f_flag & ST_NOATIME ? MS_NOATIME : 0;
	flags |= st.f_flag & ST_RELATIME ? MS_RELATIME : 0;
	must(mount(NULL, path, NULL, flags, NULL));
}

static void show(const char *source, const char *dest, bool writable)
{
	must(mkdir(dest, 0755));
	must(mount(source, dest, NULL, MS_BIND | MS_REC, NULL));
	if (!writable)
		seal(dest);
}

static void show_tmpfs(const char *dest, bool writable)
{
	if (mkdir(dest, 0755) < 0 && errno != EEXIST)
		must(-1);
	must(mount("tmpfs", dest, "tmpfs", MS_NOSUID | MS_NODEV, NULL));
	if (!writable)
		seal(dest);
}

static void make_view(const struct flaw *flaw)
{
	must(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
	must(mount("tmpfs", root, "tmpfs", MS_NOSUID | MS_NODEV, NULL));
	must(chdir(root));
	show("/usr", "usr", flaw->usr_writable);
	must(mkdir("proc", 0755));
	if (flaw->host_proc)
		must(mount("/proc", "proc", NULL, MS_BIND | MS_REC, NULL));
	else if (!flaw->no_proc)
		must(mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV, NULL));
	if (flaw->etc_on_disk)
		show(other, "etc", false);
	else
		show_tmpfs("etc", flaw->etc_writable);
	if (!flaw->no_workspace)
		show(flaw->other_workspace ? other : workspace, "ws",
		     !flaw->workspace_read_only);
	show(data, "data", flaw->data_writable);
	must(symlink("ws", "link"));
	must(mkdir("folder", 0755));
	if (flaw->extra)
		show_tmpfs(flaw->extra, !flaw->sealed_extra);
	if (flaw->hidden_extra)
		show_tmpfs(flaw->extra, false);
	if (!flaw->root_writable)
		seal(".");
	must((int)syscall(SYS_pivot_root, ".", "."));
	must(umount2(".", MNT_DETACH));
}

static void drop(const struct flaw *flaw)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct sets[2] = {
		{ .inheritable = flaw->inheritable, .permitted = flaw->permitted },
	};

	if (!flaw->can_gain)
		must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	must((int)syscall(SYS_capset, &header, sets));
	must(prctl(PR_SET_DUMPABLE, 1));
}

struct child {
	pid_t pid;
	int go, told; /* a byte lets it drop its privileges; a byte says it has */
	struct drupe_child report;
};

/* The table as a launcher leaves it, but for the flaw. */
static void lay_table(const struct flaw *flaw)
{
	must(close_range(3, ~0U, CLOSE_RANGE_CLOEXEC));
	if (flaw->no_gate)
		close(gate[0]);
	if (flaw->no_sync)
		close(gate[1]);
	if (flaw->leaks_folder)
		must(open("/usr", O_PATH | O_DIRECTORY));
	if (flaw->leaks_file)
		must(open("/usr/bin/env", O_RDONLY));
	if (flaw->has_started && fork() == 0)
		pause();
}

static void be_child(const struct flaw *flaw, int go, int told)
{
	struct rlimit limit = { flaw->hard / 2, flaw->hard };
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (flaw->second && fork() != 0)
		for (;;)
			pause();
	/* A name that looks like the rest of a line of stat. */
	prctl(PR_SET_NAME, "x) S 1 (y) R 1");
	if (flaw->resource)
		must(setrlimit((__rlimit_resource_t)(flaw->resource - 1), &limit));
	must(read(go, &byte, 1) == 1 ? 0 : -1);
	if (!flaw->shared)
		make_view(flaw);
	must(write(told, "m", 1) == 1 ? 0 : -1);
	must(read(go, &byte, 1) == 1 ? 0 : -1);
	lay_table(flaw);
	drop(flaw);
	must(write(told, "d", 1) == 1 ? 0 : -1);
	for (;;)
		if (read(gate[0], &byte, 1) < 0)
			pause();
}

static bool put(pid_t pid, const char *name, const char *text)
{
	char path[64];
	int fd;
	bool good;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return good;
}

static uint64_t inode_of(pid_t pid, const char *name)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/ns/%s", pid, name);
	return stat(path, &st) == 0 ? st.st_ino : 0;
}

/* 77: it cannot be made here. */
static int step(struct child *child)
{
	struct pollfd told = { .fd = child->told, .events = POLLIN };
	int status;
	char byte;

	if (write(child->go, "g", 1) == 1 && poll(&told, 1, SOON_MS) > 0 &&
	    read(child->told, &byte, 1) == 1)
		return 0;
	kill(child->pid, SIGKILL);
	waitpid(child->pid, &status, 0);
	child->pid = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

static int start(struct child *child, const struct flaw *flaw)
{
	unsigned long flags = (unsigned long)(SPACES & ~flaw->shared) | SIGCHLD;
	int go[2], told[2];
	char map[64];

	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	assert_int_equal(pipe2(told, O_CLOEXEC), 0);
	child->pid = (pid_t)syscall(SYS_clone, flags, 0, 0, 0, 0);
	if (child->pid == 0) {
		close(go[1]);
		close(told[0]);
		be_child(flaw, go[0], told[1]);
	}
	close(go[0]);
	close(told[1]);
	child->go = go[1];
	child->told = told[0];
	if (child->pid < 0)
		return 77;
	if (!(flaw->shared & CLONE_NEWUSER)) {
		snprintf(map, sizeof(map), "0 %u 1", geteuid());
		if (!put(child->pid, "uid_map", map) ||
		    !put(child->pid, "setgroups", "deny"))
			return 77;
		snprintf(map, sizeof(map), "0 %u 1", getegid());
		if (!put(child->pid, "gid_map", map))
			return 77;
	}
	child->report = (struct drupe_child){
		.size = sizeof(child->report),
		.pid = child->pid,
		.net_ns = inode_of(child->pid, "net"),
		.pid_ns = inode_of(child->pid, "pid"),
		.ipc_ns = inode_of(child->pid, "ipc"),
		.uts_ns = inode_of(child->pid, "uts"),
		.mnt_ns = inode_of(child->pid, "mnt"),
	};
	return step(child);
}

static void stop(struct child *child)
{
	if (child->pid > 0) {
		kill(child->pid, SIGKILL);
		waitpid(child->pid, NULL, 0);
	}
	close(child->go);
	close(child->told);
}

/* ---- what it is held against ---- */

struct expected {
	struct identity identity;
	struct plan plan;
	struct drupe_mount mounts[8];
	struct mount_source sources[8];
	struct place workspace, data;
	struct backend rlimits;
};

static void open_place(const char *path, struct place *ret_place)
{
	ret_place->fd = open(path, O_PATH | O_CLOEXEC);
	assert_int_equal(fstat(ret_place->fd, &ret_place->st), 0);
}

static void expect_mount(struct expected *expected, enum drupe_mount_op op,
			 const char *dest, const struct place *place, bool writable)
{
	size_t n = expected->plan.n_mounts++;

	expected->mounts[n] = (struct drupe_mount){ .op = op, .dest = dest };
	expected->sources[n] = (struct mount_source){ .place = place,
						      .writable = writable };
}

static void expect_all(struct expected *expected)
{
	struct stat st;

	*expected = (struct expected){ .identity.uid = geteuid() };
	expected->plan.mounts = expected->mounts;
	expected->plan.sources = expected->sources;
	open_place(workspace, &expected->workspace);
	open_place(data, &expected->data);
	expect_mount(expected, DRUPE_MOUNT_RO_BIND, "/usr", NULL, false);
	expect_mount(expected, DRUPE_MOUNT_PROC, "/proc", NULL, false);
	expect_mount(expected, DRUPE_MOUNT_TMPFS, "/etc", NULL, true);
	expect_mount(expected, DRUPE_MOUNT_BIND, "/ws", &expected->workspace, true);
	expect_mount(expected, DRUPE_MOUNT_RO_BIND, "/data", &expected->data, false);
	expect_mount(expected, DRUPE_MOUNT_REMOUNT_RO, "/etc", NULL, false);
	expect_mount(expected, DRUPE_MOUNT_REMOUNT_RO, "/", NULL, false);
	assert_int_equal(stat(TOOL, &st), 0);
	expected->rlimits.object.tool = TOOL;
	expected->rlimits.tool_dev = st.st_dev;
	expected->rlimits.tool_ino = st.st_ino;
}

static void expected_free(struct expected *expected)
{
	close(expected->workspace.fd);
	close(expected->data.fd);
}

static int all(const struct held *held, const struct child *child,
	       const struct expected *expected, struct error *err)
{
	struct verify_input input = {
		.report = &child->report,
		.identity = &expected->identity,
		.plan = &expected->plan,
		.rlimits = &expected->rlimits,
		.gate = { .read = gate[0], .write = gate[1] },
	};

	assert_int_equal(fstat(gate[0], &input.gate.st), 0);
	return verify_all(held, &input, err);
}

static void check_code(int r, const struct error *err, enum error_code code)
{
	if (code == ERROR_NONE) {
		if (r != 0)
			print_message("%s\n", err->message);
		assert_int_equal(r, 0);
		return;
	}
	assert_true(r < 0);
	if (err->code != code)
		print_message("%s\n", err->message);
	assert_string_equal(error_code_word(err->code), error_code_word(code));
	assert_true(err->message[0] != '\0');
}

/* A child with FLAW at its block point, held by its pins. */
static void hold(const struct flaw *flaw, struct child *child, struct held *ret_held)
{
	const struct identity identity = { .uid = geteuid() };
	struct error err = { 0 };

	assert_int_equal(start(child, flaw), 0);
	assert_int_equal(step(child), 0);
	check_code(verify_pin(&child->report, &identity, ret_held, &err), &err,
		   ERROR_NONE);
}

static void expect_verdict(const struct flaw *flaw, enum error_code code)
{
	struct held held = HELD_NONE;
	struct expected expected;
	struct child child;
	struct error err = { 0 };

	expect_all(&expected);
	hold(flaw, &child, &held);
	check_code(all(&held, &child, &expected, &err), &err, code);
	held_close(&held);
	stop(&child);
	expected_free(&expected);
}

/* ---- status ---- */

static const struct flaw no_flaw;

static void test_good(void **state)
{
	(void)state;
	expect_verdict(&no_flaw, ERROR_NONE);
}

static const struct {
	const char *name;
	struct flaw flaw;
	enum error_code code;
} flaws[] = {
	{ "permitted", { .permitted = 1 << CAP_SYS_ADMIN }, ERROR_VERIFY_PRIVILEGE },
	{ "inheritable", { .inheritable = 1 << CAP_CHOWN }, ERROR_VERIFY_PRIVILEGE },
	{ "no-new-privs", { .can_gain = true }, ERROR_VERIFY_PRIVILEGE },
	{ "usr", { .usr_writable = true }, ERROR_VERIFY_MOUNT },
	{ "etc", { .etc_writable = true }, ERROR_VERIFY_MOUNT },
	{ "etc on disk", { .etc_on_disk = true }, ERROR_VERIFY_MOUNT },
	{ "root", { .root_writable = true }, ERROR_VERIFY_MOUNT },
	{ "data", { .data_writable = true }, ERROR_VERIFY_MOUNT },
	{ "no proc", { .no_proc = true }, ERROR_VERIFY_MOUNT },
	{ "workspace read-only", { .workspace_read_only = true }, ERROR_VERIFY_MOUNT },
	{ "other workspace", { .other_workspace = true }, ERROR_VERIFY_MOUNT },
	{ "no workspace", { .no_workspace = true }, ERROR_VERIFY_MOUNT },
	{ "an extra mount", { .extra = "extra" }, ERROR_VERIFY_MOUNT },
	{ "one that is read-only",
	  { .extra = "extra", .sealed_extra = true },
	  ERROR_VERIFY_MOUNT },
	{ "the host's /proc", { .host_proc = true }, ERROR_VERIFY_MOUNT },
	{ "one below /proc", { .extra = "proc/tty" }, ERROR_VERIFY_MOUNT },
};

static void test_flaws(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(flaws) / sizeof(flaws[0]); i++) {
		print_message("           %s\n", flaws[i].name);
		expect_verdict(&flaws[i].flaw, flaws[i].code);
	}
}

/* The tables of the plan are what counts, not those of these tests. */
static void test_writable_by_plan(void **state)
{
	struct held held = HELD_NONE;
	struct expected expected;
	struct child child;
	struct error err = { 0 };
	const struct flaw flaw = { .extra = "extra" };

	(void)state;
	expect_all(&expected);
	hold(&flaw, &child, &held);
	expect_mount(&expected, DRUPE_MOUNT_TMPFS, "/extra", NULL, true);
	check_code(all(&held, &child, &expected, &err), &err, ERROR_NONE);
	/* A longer name is not the same place. */
	expected.mounts[7].dest = "/ext";
	check_code(all(&held, &child, &expected, &err), &err, ERROR_VERIFY_MOUNT);
	held_close(&held);
	stop(&child);
	expected_free(&expected);
}

/* A writable mount under a read-only one is out of reach. */
static void test_hidden(void **state)
{
	const struct flaw flaw = { .extra = "folder", .hidden_extra = true };
	struct held held = HELD_NONE;
	struct expected expected;
	struct child child;
	struct error err = { 0 };

	(void)state;
	expect_all(&expected);
	hold(&flaw, &child, &held);
	expect_mount(&expected, DRUPE_MOUNT_RO_BIND, "/folder", NULL, false);
	check_code(all(&held, &child, &expected, &err), &err, ERROR_NONE);
	held_close(&held);
	stop(&child);
	expected_free(&expected);
}

/* The root's own line tells, also where the plan has no seal to look for. */
static void test_root_without_seal(void **state)
{
	const struct flaw flaw = { .root_writable = true };
	struct held held = HELD_NONE;
	struct expected expected;
	struct child child;
	struct error err = { 0 };

	(void)state;
	expect_all(&expected);
	expected.plan.n_mounts--;
	hold(&flaw, &child, &held);
	check_code(all(&held, &child, &expected, &err), &err, ERROR_VERIFY_MOUNT);
	held_close(&held);
	stop(&child);
	expected_free(&expected);
}

/* What is planned and has no folder of the host to compare must be a mount. */
static void test_not_mounted(void **state)
{
	static const enum drupe_mount_op ops[] = {
		DRUPE_MOUNT_BIND,      DRUPE_MOUNT_RO_BIND, DRUPE_MOUNT_DEV,
		DRUPE_MOUNT_PROC,      DRUPE_MOUNT_TMPFS,   DRUPE_MOUNT_DATA,
		DRUPE_MOUNT_REMOUNT_RO
	};
	struct held held = HELD_NONE;
	struct expected expected;
	struct child child;
	struct error err = { 0 };

	(void)state;
	expect_all(&expected);
	hold(&no_flaw, &child, &held);
	expect_mount(&expected, DRUPE_MOUNT_DIR, "/folder", NULL, false);
	check_code(all(&held, &child, &expected, &err), &err, ERROR_NONE);
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		expected.mounts[7].op = ops[i];
		check_code(all(&held, &child, &expected, &err), &err, ERROR_VERIFY_MOUNT);
	}
	held_close(&held);
	stop(&child);
	expected_free(&expected);
}

static pid_t only_child_of(pid_t pid)
{
	char path[64];
	FILE *file;
	int found = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	file = fopen(path, "re");
	if (!file || fscanf(file, "%d", &found) != 1)
		found = 0;
	if (file)
		fclose(file);
	return found;
}

/* To kill it would not end its namespace. */
static void test_second(void **state)
{
	const struct flaw flaw = { .second = true };
	const struct identity identity = { .uid = geteuid() };
	struct held held = HELD_NONE;
	struct expected expected;
	struct child child;
	struct error err = { 0 };

	(void)state;
	expect_all(&expected);
	assert_int_equal(start(&child, &flaw), 0);
	assert_int_equal(step(&child), 0);
	child.report.pid = only_child_of(child.pid);
	if (child.report.pid > 0) { /* a kernel may not tell */
		check_code(verify_pin(&child.report, &identity, &held, &err), &err,
			   ERROR_NONE);
		check_code(all(&held, &child, &expected, &err), &err, ERROR_VERIFY_CHILD);
		assert_non_null(strstr(err.message, "init"));
	}
	held_close(&held);
	stop(&child);
	expected_free(&expected);
}

static void test_other_user(void **state)
{
	struct held held = HELD_NONE;
	struct expected expected;
	struct child child;
	struct error err = { 0 };

	(void)state;
	expect_all(&expected);
	hold(&no_flaw, &child, &held);
	expected.identity.uid++;
	check_code(all(&held, &child, &expected, &err), &err, ERROR_VERIFY_PRIVILEGE);
	held_close(&held);
	stop(&child);
	expected_free(&expected);
}

/* R14: of a user that was taken on, the groups are looked at as well.  Root gives the
 * child one more than its own. */
static void test_other_groups(void **state)
{
	gid_t before[NGROUPS_MAX], groups[NGROUPS_MAX + 1] = { getegid(), getegid() + 1 };
	int n_before = getgroups(NGROUPS_MAX, before);
	struct held held = HELD_NONE;
	struct expected expected;
	struct child child;
	struct error err = { 0 };
	struct identity *identity = &expected.identity;

	(void)state;
	assert_true(n_before >= 0);
	if (geteuid() == 0)
		assert_int_equal(setgroups(2, groups), 0);
	expect_all(&expected);
	hold(&no_flaw, &child, &held);
	identity->gid = getegid();
	identity->groups = groups;
	identity->drop = true;
	if (geteuid() == 0) {
		assert_int_equal(setgroups((size_t)n_before, before), 0);
		identity->n_groups = 1;
		check_code(all(&held, &child, &expected, &err), &err,
			   ERROR_VERIFY_PRIVILEGE);
		identity->n_groups = 2;
	} else {
		memcpy(groups + 1, before, (size_t)n_before * sizeof(before[0]));
		identity->n_groups = (size_t)n_before + 1;
	}
	check_code(all(&held, &child, &expected, &err), &err, ERROR_NONE);
	identity->gid++;
	check_code(all(&held, &child, &expected, &err), &err, ERROR_VERIFY_PRIVILEGE);
	/* What a caller has, its command may have. */
	identity->drop = false;
	check_code(all(&held, &child, &expected, &err), &err, ERROR_NONE);
	held_close(&held);
	stop(&child);
	expected_free(&expected);
}

static void test_other_tool(void **state)
{
	struct held held = HELD_NONE;
	struct expected expected;
	struct child child;
	struct error err = { 0 };

	(void)state;
	expect_all(&expected);
	hold(&no_flaw, &child, &held);
	expected.rlimits.tool_ino++;
	check_code(all(&held, &child, &expected, &err), &err, ERROR_VERIFY_TOOL);
	expected.rlimits.tool_ino--;
	expected.rlimits.tool_dev++;
	check_code(all(&held, &child, &expected, &err), &err, ERROR_VERIFY_TOOL);
	expected.rlimits.tool_dev--;
	expected.rlimits.object.tool = "/usr/bin/nonexistent-tool";
	check_code(all(&held, &child, &expected, &err), &err, ERROR_VERIFY_TOOL);
	held_close(&held);
	stop(&child);
	expected_free(&expected);
}

/* A place is looked for without following links, which lead to the same folder. */
static void test_links(void **state)
{
	struct held held = HELD_NONE;
	struct expected expected;
	struct child child;
	struct error err = { 0 };
	struct place inner;
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/inner", workspace);
	open_place(path, &inner);
	expect_all(&expected);
	hold(&no_flaw, &child, &held);
	expect_mount(&expected, DRUPE_MOUNT_DIR, "/ws/inner", &inner, false);
	check_code(all(&held, &child, &expected, &err), &err, ERROR_NONE);
	expected.mounts[7].dest = "/link/inner";
	check_code(all(&held, &child, &expected, &err), &err, ERROR_VERIFY_MOUNT);
	expected.mounts[7].dest = "/ws/link";
	check_code(all(&held, &child, &expected, &err), &err, ERROR_VERIFY_MOUNT);
	expected.mounts[7].dest = "/ws/nothing";
	check_code(all(&held, &child, &expected, &err), &err, ERROR_VERIFY_MOUNT);
	held_close(&held);
	stop(&child);
	expected_free(&expected);
	close(inner.fd);
}

/* The same inode number on another file system is another folder. */
static void test_place_is_inode_and_device(void **state)
{
	struct held held = HELD_NONE;
	struct expected expected;
	struct child child;
	struct error err = { 0 };

	(void)state;
	expect_all(&expected);
	hold(&no_flaw, &child, &held);
	expected.workspace.st.st_dev++;
	check_code(all(&held, &child, &expected, &err), &err, ERROR_VERIFY_MOUNT);
	expected.workspace.st.st_dev--;
	expected.workspace.st.st_ino++;
	check_code(all(&held, &child, &expected, &err), &err, ERROR_VERIFY_MOUNT);
	held_close(&held);
	stop(&child);
	expected_free(&expected);
}

/* ---- namespaces ---- */

static const struct {
	int shared;
	enum error_code code;
} shared_spaces[] = {
	{ CLONE_NEWPID, ERROR_VERIFY_CHILD }, /* it is no init then */
	{ CLONE_NEWIPC, ERROR_VERIFY_NAMESPACE },
	{ CLONE_NEWUTS, ERROR_VERIFY_NAMESPACE },
	{ CLONE_NEWNS, ERROR_VERIFY_NAMESPACE },
};

static void test_shared(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(shared_spaces) / sizeof(shared_spaces[0]); i++) {
		const struct flaw flaw = { .shared = shared_spaces[i].shared };

		expect_verdict(&flaw, shared_spaces[i].code);
	}
}

/* The pin would refuse it before: here it is passed by. */
static void test_shared_network(void **state)
{
	const struct flaw flaw = { .shared = CLONE_NEWNET };
	struct held held = HELD_NONE;
	struct expected expected;
	struct child child;
	struct error err = { 0 };
	char path[64];

	(void)state;
	expect_all(&expected);
	assert_int_equal(start(&child, &flaw), 0);
	assert_int_equal(step(&child), 0);
	held.child = child.pid;
	held.pidfd = pidfd_open(child.pid, 0);
	snprintf(path, sizeof(path), "/proc/%d", child.pid);
	held.proc = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	check_code(all(&held, &child, &expected, &err), &err, ERROR_VERIFY_NAMESPACE);
	held_close(&held);
	stop(&child);
	expected_free(&expected);
}

static void test_shared_user(void **state)
{
	const struct flaw flaw = { .shared = CLONE_NEWUSER };

	(void)state;
	if (geteuid() != 0)
		skip(); /* without it only root can make the others */
	expect_verdict(&flaw, ERROR_VERIFY_NAMESPACE);
}

static void test_reported(void **state)
{
	struct held held = HELD_NONE;
	struct expected expected;
	struct child child;
	struct error err = { 0 };
	uint64_t *const inodes[] = { &child.report.net_ns, &child.report.pid_ns,
				     &child.report.ipc_ns, &child.report.uts_ns,
				     &child.report.mnt_ns };

	(void)state;
	expect_all(&expected);
	hold(&no_flaw, &child, &held);
	for (size_t i = 0; i < sizeof(inodes) / sizeof(inodes[0]); i++) {
		++*inodes[i];
		check_code(all(&held, &child, &expected, &err), &err,
			   ERROR_VERIFY_NAMESPACE);
		--*inodes[i];
	}
	check_code(all(&held, &child, &expected, &err), &err, ERROR_NONE);
	held_close(&held);
	stop(&child);
	expected_free(&expected);
}

/* ---- pins ---- */

static int count_descriptors(void)
{
	int count = 0;

	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void refuse_pin(const struct drupe_child *report, uid_t uid, enum error_code code)
{
	const struct identity identity = { .uid = uid };
	struct held held = HELD_NONE;
	struct error err = { 0 };
	int before = count_descriptors();

	check_code(verify_pin(report, &identity, &held, &err), &err, code);
	assert_int_equal(held.pidfd, -1);
	assert_int_equal(held.netns, -1);
	assert_int_equal(held.userns, -1);
	assert_int_equal(held.proc, -1);
	assert_int_equal(count_descriptors(), before);
}

static void test_pin(void **state)
{
	struct held held = HELD_NONE;
	struct child child, gone;
	struct drupe_child report;
	struct stat st;

	(void)state;
	hold(&no_flaw, &child, &held);
	assert_int_equal(held.child, child.pid);
	assert_int_equal(fstat(held.netns, &st), 0);
	assert_true(st.st_ino == child.report.net_ns);
	assert_int_equal(fcntl(held.netns, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(held.userns, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(held.pidfd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(held.proc, F_GETFD), FD_CLOEXEC);
	held_close(&held);
	report = child.report;
	report.net_ns++;
	refuse_pin(&report, geteuid(), ERROR_VERIFY_NAMESPACE);
	report.net_ns = report.pid_ns;
	refuse_pin(&report, geteuid(), ERROR_VERIFY_NAMESPACE);
	refuse_pin(&child.report, geteuid() + 1, ERROR_VERIFY_NAMESPACE);
	stop(&child);
	assert_int_equal(start(&gone, &no_flaw), 0);
	report = gone.report;
	stop(&gone);
	refuse_pin(&report, geteuid(), ERROR_VERIFY_CHILD);
}

/* The owner of the network is ours or it is no pin: the caller's own is root's. */
static void test_pin_of_host(void **state)
{
	struct drupe_child report = {
		.size = sizeof(report),
		.pid = getpid(),
		.net_ns = inode_of(getpid(), "net"),
	};

	(void)state;
	refuse_pin(&report, 4242424, ERROR_VERIFY_NAMESPACE);
}

static void test_ancestry(void **state)
{
	struct held held = HELD_NONE;
	struct child child;
	struct error err = { 0 };

	(void)state;
	hold(&no_flaw, &child, &held);
	/* The child's parent is this process, and so this one's is the guard. */
	prctl(PR_SET_NAME, "a) S 1 (b");
	check_code(verify_ancestry(&held, getppid(), &err), &err, ERROR_NONE);
	assert_int_equal(held.monitor, getpid());
	check_code(verify_ancestry(&held, getpid(), &err), &err, ERROR_VERIFY_CHILD);
	check_code(verify_ancestry(&held, child.pid, &err), &err, ERROR_VERIFY_CHILD);
	check_code(verify_ancestry(&held, 1, &err), &err,
		   getppid() == 1 ? ERROR_NONE : ERROR_VERIFY_CHILD);
	stop(&child);
	check_code(verify_ancestry(&held, getppid(), &err), &err, ERROR_VERIFY_CHILD);
	held_close(&held);
}

static void test_block_point(void **state)
{
	const struct identity identity = { .uid = geteuid() };
	struct held held = HELD_NONE;
	struct child child;
	struct error err = { 0 };
	int r = 0;

	(void)state;
	assert_int_equal(start(&child, &no_flaw), 0);
	assert_int_equal(verify_pin(&child.report, &identity, &held, &err), 0);
	assert_int_equal(verify_at_block_point(&held, gate[0], true, &err), 0);
	assert_int_equal(step(&child), 0);
	/* It has told of the drop, and reads a moment later. */
	for (int i = 0; i < SOON_MS && r == 0; i++) {
		r = verify_at_block_point(&held, gate[0], true, &err);
		usleep(1000);
	}
	assert_int_equal(r, 1);
	stop(&child);
	check_code(verify_at_block_point(&held, gate[0], true, &err), &err,
		   ERROR_VERIFY_CHILD);
	held_close(&held);
}

/* Without capabilities, not at the gate, and with a process: it ran through. */
static void test_past_block_point(void **state)
{
	const struct flaw flaw = { .has_started = true };
	struct held held = HELD_NONE;
	struct child child;
	struct error err = { 0 };

	(void)state;
	hold(&flaw, &child, &held);
	check_code(verify_at_block_point(&held, gate[1], true, &err), &err,
		   ERROR_VERIFY_CHILD);
	held_close(&held);
	stop(&child);
}

/* R7 and R5: nothing but the gate goes on, and the child waits at it. */
static void test_descriptors(void **state)
{
	static const struct {
		struct flaw flaw;
		enum error_code code;
	} rows[] = {
		{ { .leaks_folder = true }, ERROR_VERIFY_PRIVILEGE },
		{ { .leaks_file = true }, ERROR_VERIFY_PRIVILEGE },
		{ { .no_gate = true }, ERROR_VERIFY_CHILD },
		{ { .no_sync = true }, ERROR_VERIFY_CHILD },
		{ { .has_started = true }, ERROR_VERIFY_CHILD },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_verdict(&rows[i].flaw, rows[i].code);
	/* A read that does not block is a release: bwrap takes EAGAIN for a byte. */
	assert_int_equal(fcntl(gate[0], F_SETFL, O_NONBLOCK), 0);
	expect_verdict(&no_flaw, ERROR_VERIFY_CHILD);
	assert_int_equal(fcntl(gate[0], F_SETFL, 0), 0);
}

static void test_gone(void **state)
{
	struct held held = HELD_NONE;
	struct expected expected;
	struct child child;
	struct error err = { 0 };

	(void)state;
	expect_all(&expected);
	hold(&no_flaw, &child, &held);
	stop(&child);
	check_code(all(&held, &child, &expected, &err), &err, ERROR_VERIFY_CHILD);
	held_close(&held);
	expected_free(&expected);
}

/* ---- limits ---- */

static const struct {
	const char *name;
	int resource;
	rlim_t hard;
} limits[] = {
	{ "nofile", RLIMIT_NOFILE, 100 },     { "core", RLIMIT_CORE, 1 << 20 },
	{ "cpu", RLIMIT_CPU, 1000 },	      { "fsize", RLIMIT_FSIZE, 1 << 30 },
	{ "as", RLIMIT_AS, (rlim_t)1 << 46 }, { "nproc", RLIMIT_NPROC, 50 },
	{ "stack", RLIMIT_STACK, 1 << 26 },   { "memlock", RLIMIT_MEMLOCK, 1 << 16 },
};

static void test_limits(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct flaw flaw = { .resource = limits[i].resource + 1 };
		struct plan plan = { .n_limits = 1 };
		const struct verify_input input = { .plan = &plan };
		struct held held = HELD_NONE;
		struct rlimit now;
		struct child child;
		struct error err = { 0 };

		getrlimit((__rlimit_resource_t)limits[i].resource, &now);
		flaw.hard = now.rlim_max < limits[i].hard ? now.rlim_max : limits[i].hard;
		hold(&flaw, &child, &held);
		plan.limits[0] = (struct drupe_rlimit){ .name = limits[i].name,
							.resource = limits[i].resource };
		plan.limits[0].value = flaw.hard;
		check_code(verify_limits(&held, &input, &err), &err, ERROR_NONE);
		plan.limits[0].value = flaw.hard + 1;
		check_code(verify_limits(&held, &input, &err), &err,
			   ERROR_LIMIT_ABOVE_HARD);
		assert_non_null(strstr(err.hint, limits[i].name));
		assert_non_null(strstr(err.message, " RLIMIT_"));
		plan.limits[0].value = UINT64_MAX;
		check_code(verify_limits(&held, &input, &err), &err,
			   ERROR_LIMIT_ABOVE_HARD);
		held_close(&held);
		stop(&child);
	}
}

/* It is a part of all checks, too; and the last of many counts like the first. */
static void test_limits_of_all(void **state)
{
	const struct flaw flaw = { .resource = RLIMIT_NOFILE + 1, .hard = 100 };
	struct held held = HELD_NONE;
	struct expected expected;
	struct child child;
	struct error err = { 0 };

	(void)state;
	expect_all(&expected);
	hold(&flaw, &child, &held);
	expected.plan.limits[0] = (struct drupe_rlimit){ .name = "core",
							 .resource = RLIMIT_CORE };
	expected.plan.limits[1] = (struct drupe_rlimit){ .name = "nofile",
							 .resource = RLIMIT_NOFILE,
							 .value = 101 };
	expected.plan.n_limits = 2;
	check_code(all(&held, &child, &expected, &err), &err, ERROR_LIMIT_ABOVE_HARD);
	expected.plan.limits[1].value = 100;
	check_code(all(&held, &child, &expected, &err), &err, ERROR_NONE);
	expected.plan.limits[1].resource =
		RLIMIT_RTPRIO; /* one that drupe does not know */
	check_code(all(&held, &child, &expected, &err), &err, ERROR_VERIFY_CHILD);
	held_close(&held);
	stop(&child);
	expected_free(&expected);
}

/* ---- all of it ---- */

static bool make_folders(void)
{
	char path[128];

	if (pipe2(gate, O_CLOEXEC) < 0 || !mkdtemp(base))
		return false;
	snprintf(workspace, sizeof(workspace), "%s/workspace", base);
	snprintf(other, sizeof(other), "%s/other", base);
	snprintf(data, sizeof(data), "%s/data", base);
	snprintf(root, sizeof(root), "%s/root", base);
	if (mkdir(workspace, 0755) < 0 || mkdir(other, 0755) < 0 ||
	    mkdir(data, 0755) < 0 || mkdir(root, 0755) < 0)
		return false;
	snprintf(path, sizeof(path), "%s/inner", workspace);
	if (mkdir(path, 0755) < 0)
		return false;
	snprintf(path, sizeof(path), "%s/link", workspace);
	return symlink("inner", path) == 0;
}

static void remove_folders(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/link", workspace);
	unlink(path);
	snprintf(path, sizeof(path), "%s/inner", workspace);
	rmdir(path);
	rmdir(workspace);
	rmdir(other);
	rmdir(data);
	rmdir(root);
	rmdir(base);
}

/* 0: yes; 77: not here; anything else: these tests are wrong. */
static int try_child(void)
{
	struct child child;
	int r = start(&child, &no_flaw);

	if (r == 0)
		r = step(&child);
	stop(&child);
	return r;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_flaws),
		cmocka_unit_test(test_writable_by_plan),
		cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_root_without_seal),
		cmocka_unit_test(test_not_mounted),
		cmocka_unit_test(test_second),
		cmocka_unit_test(test_other_user),
		cmocka_unit_test(test_other_groups),
		cmocka_unit_test(test_other_tool),
		cmocka_unit_test(test_links),
		cmocka_unit_test(test_place_is_inode_and_device),
		cmocka_unit_test(test_shared),
		cmocka_unit_test(test_shared_network),
		cmocka_unit_test(test_shared_user),
		cmocka_unit_test(test_reported),
		cmocka_unit_test(test_pin),
		cmocka_unit_test(test_pin_of_host),
		cmocka_unit_test(test_ancestry),
		cmocka_unit_test(test_block_point),
		cmocka_unit_test(test_past_block_point),
		cmocka_unit_test(test_gone),
		cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_limits_of_all),
	};
	int failed;

	signal(SIGPIPE, SIG_IGN);
	umask(022);
	if (!make_folders())
		return 99;
	failed = try_child();
	if (failed == 0)
		failed = cmocka_run_group_tests(tests, NULL, NULL);
	else
		fprintf(stderr, "test-verify: no child can be made here (%d)\n", failed);
	remove_folders();
	return failed;
}
