/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which folders may be a workspace, which reads are shown, and whose the private tmp is.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/rmtree.h"
#include "view/place.h"
#include "view/private-tmp.h"
#include "fast-clock.h"

#define NO_TMPS "/nonexistent/tmps"
#define OTHER_UID 54321
#define FILES 250

static char base[] = "/tmp/test-place-XXXXXX";
static char where[] = "/var/tmp/test-place-XXXXXX"; /* which may be shown */

static char *in_base(const char *name)
{
	char *path = NULL;

	assert_true(asprintf(&path, "%s/%s", base, name) > 0);
	return path;
}

static void check_code(const struct error *err, enum error_code code)
{
	if (err->code != code)
		print_message("%s\n", err->message);
	assert_string_equal(error_code_word(err->code), error_code_word(code));
}

/* ---- workspaces ---- */

static enum place_verdict judge(const char *path, const char *tmp_root,
				const struct identity *identity)
{
	struct place place = { .path = (char *)(uintptr_t)path, .fd = -1 };
	struct error err = { 0 };
	enum place_verdict verdict = place_judge(&place, tmp_root, identity, &err);

	check_code(&err, verdict == PLACE_REFUSED ? ERROR_WORKSPACE_REFUSED : ERROR_NONE);
	return verdict;
}

static void test_workspaces(void **state)
{
	static const struct {
		const char *path;
		enum place_verdict verdict;
	} rows[] = {
		{ "/", PLACE_REFUSED },
		{ "/etc", PLACE_REFUSED },
		{ "/etc/drupe", PLACE_REFUSED },
		{ "/proc/self", PLACE_REFUSED },
		{ "/sys/fs/cgroup", PLACE_REFUSED },
		{ "/dev/shm", PLACE_REFUSED },
		{ "/run/user/1000", PLACE_REFUSED },
		{ "/usr", PLACE_REFUSED },
		{ "/home", PLACE_REFUSED },
		{ "/root", PLACE_REFUSED },
		{ "/var", PLACE_REFUSED },
		{ "/tmp", PLACE_REFUSED },
		{ "/var/tmp", PLACE_REFUSED },
		{ "/etcetera", PLACE_MIRROR },
		{ "/var/work", PLACE_MIRROR },
		{ "/srv/work", PLACE_MIRROR },
		{ "/tmp/work", PLACE_FALLBACK },
		{ "/var/tmp/work", PLACE_FALLBACK },
		{ "/usr/src", PLACE_FALLBACK },
		{ "/opt", PLACE_FALLBACK },
		{ "/opt/toolchains/one", PLACE_FALLBACK },
		{ "/opt/work", PLACE_MIRROR },
		{ "/home/sandbox", PLACE_FALLBACK },
		{ "/workspace", PLACE_FALLBACK },
		{ "/lib64", PLACE_FALLBACK },
	};
	const struct identity identity = { .uid = OTHER_UID };

	(void)state;
	setenv("HOME", "/nonexistent/home", 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum place_verdict verdict = judge(rows[i].path, NO_TMPS, &identity);

		if (verdict != rows[i].verdict)
			print_message("%s\n", rows[i].path);
		assert_int_equal(verdict, rows[i].verdict);
	}
}

/* By the user database, by the environment, and for root by what sudo says; where one of
 * them is a link, what it leads to as well. */
static void test_homes(void **state)
{
	char *home = in_base("home"), *link = in_base("link"), path[PATH_MAX];
	const struct passwd *daemon = getpwuid(1);
	struct identity identity = { .uid = OTHER_UID };

	(void)state;
	assert_int_equal(mkdir(home, 0755), 0);
	assert_int_equal(symlink(home, link), 0);
	setenv("HOME", "/srv/homes/me", 1);
	assert_int_equal(judge("/srv/homes/me", NO_TMPS, &identity), PLACE_REFUSED);
	assert_int_equal(judge("/srv/homes", NO_TMPS, &identity), PLACE_REFUSED);
	assert_int_equal(judge("/srv/homes/me/work", NO_TMPS, &identity), PLACE_MIRROR);
	assert_int_equal(judge(home, NO_TMPS, &identity), PLACE_FALLBACK);
	setenv("HOME", link, 1);
	assert_int_equal(judge(home, NO_TMPS, &identity), PLACE_REFUSED);
	setenv("HOME", "/nonexistent/home", 1);
	identity.home = (char *)(uintptr_t) "/srv/homes/you";
	assert_int_equal(judge("/srv/homes/you", NO_TMPS, &identity), PLACE_REFUSED);
	identity.home = NULL;
	/* Root's own is refused in any case; who called sudo may live elsewhere. */
	if (daemon && realpath(daemon->pw_dir, path) && strcmp(path, "/") != 0) {
		setenv("SUDO_UID", "1", 1);
		assert_int_not_equal(judge(path, NO_TMPS, &identity), PLACE_REFUSED);
		identity.drop = true;
		assert_int_equal(judge(path, NO_TMPS, &identity), PLACE_REFUSED);
	}
	unsetenv("SUDO_UID");
	assert_int_equal(unlink(link), 0);
	assert_int_equal(rmdir(home), 0);
	free(home);
	free(link);
}

static void test_tmps(void **state)
{
	const struct identity identity = { .uid = OTHER_UID };
	char *tmps = in_base("tmps"), *link = in_base("link");

	(void)state;
	assert_int_equal(mkdir(tmps, 0755), 0);
	assert_int_equal(symlink(tmps, link), 0);
	assert_int_equal(judge("/srv/tmps", "/srv/tmps", &identity), PLACE_REFUSED);
	assert_int_equal(judge("/srv", "/srv/tmps", &identity), PLACE_REFUSED);
	assert_int_equal(judge("/srv/tmps/one", "/srv/tmps", &identity), PLACE_FALLBACK);
	assert_int_equal(judge("/srv/other", "/srv/tmps", &identity), PLACE_MIRROR);
	assert_int_equal(judge(tmps, link, &identity), PLACE_REFUSED);
	assert_int_equal(unlink(link), 0);
	assert_int_equal(rmdir(tmps), 0);
	free(tmps);
	free(link);
}

/* Opened, it is named by what it is, not by how it was called. */
static void test_open(void **state)
{
	char *folder = in_base("folder"), *link = in_base("link"),
	     *gone = in_base("gone");
	struct place place = PLACE_NONE;
	struct error err = { 0 };

	(void)state;
	assert_int_equal(mkdir(folder, 0755), 0);
	assert_int_equal(symlink(folder, link), 0);
	assert_int_equal(place_open(link, true, ERROR_WORKSPACE_MISSING, &place, &err),
			 0);
	assert_string_equal(place.path, folder);
	place_close(&place);
	assert_int_equal(place_open(gone, true, ERROR_WORKSPACE_MISSING, &place, &err),
			 -ENOENT);
	check_code(&err, ERROR_WORKSPACE_MISSING);
	assert_int_equal(place.fd, -1);
	/* A removed one has no path: that of "folder (deleted)" is another's. */
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(unlink(link), 0);
	free(link);
	link = in_base("folder (deleted)");
	assert_int_equal(mkdir(link, 0755), 0);
	assert_int_equal(place_open(".", true, ERROR_WORKSPACE_MISSING, &place, &err),
			 -ENOENT);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(link), 0);
	free(folder);
	free(link);
	free(gone);
}

static void refuse_gone(const struct place *place)
{
	struct error err = { 0 };

	assert_int_equal(
		place_check_present(place, ERROR_WORKSPACE_GONE, "workspace", &err),
		-ESTALE);
	check_code(&err, ERROR_WORKSPACE_GONE);
	assert_non_null(strstr(err.message, place->path));
}

static void test_present(void **state)
{
	char *above = in_base("above"), *folder = in_base("above/folder"),
	     *moved = in_base("moved");
	struct place place = PLACE_NONE;
	struct error err = { 0 };

	(void)state;
	assert_int_equal(mkdir(above, 0755), 0);
	assert_int_equal(mkdir(folder, 0755), 0);
	assert_int_equal(place_open(folder, true, ERROR_WORKSPACE_MISSING, &place, &err),
			 0);
	assert_int_equal(place_check_present(&place, ERROR_WORKSPACE_GONE, "x", &err), 0);
	/* A move, of it or of what it lies in, and another in its place. */
	assert_int_equal(rename(above, moved), 0);
	assert_int_equal(mkdir(above, 0755), 0);
	assert_int_equal(mkdir(folder, 0755), 0);
	assert_int_equal(place_check_present(&place, ERROR_WORKSPACE_GONE, "x", &err), 0);
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(rmdir(above), 0);
	assert_int_equal(rename(moved, above), 0);
	assert_int_equal(rmdir(folder), 0);
	refuse_gone(&place);
	assert_int_equal(mkdir(folder, 0755), 0);
	refuse_gone(&place);
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(rmdir(above), 0);
	refuse_gone(&place);
	place_close(&place);
	free(above);
	free(folder);
	free(moved);
}

static void test_access(void **state)
{
	struct identity identity = { .name = (char *)(uintptr_t) "somebody" };
	char *folder = in_base("folder");
	struct place place = PLACE_NONE;
	struct error err = { 0 };
	bool root = geteuid() == 0;

	(void)state;
	assert_int_equal(mkdir(folder, 0), 0);
	assert_int_equal(place_open(folder, true, ERROR_WORKSPACE_MISSING, &place, &err),
			 0);
	if (root)
		assert_int_equal(seteuid(OTHER_UID), 0);
	assert_int_equal(place_check_access(&place, &identity, &err), -EACCES);
	check_code(&err, ERROR_WORKSPACE_REFUSED);
	/* Root would ask for itself: the launcher, as the user, is who finds out. */
	identity.drop = true;
	assert_int_equal(place_check_access(&place, &identity, &err), 0);
	identity.drop = false;
	if (root)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(chmod(folder, 0755), 0);
	assert_int_equal(place_check_access(&place, &identity, &err), 0);
	place_close(&place);
	assert_int_equal(rmdir(folder), 0);
	free(folder);
}

/* ---- outside reads ---- */

static int open_read(const char *path, const char *granted, const char *tmp_root,
		     char **ret_dest, struct error *err)
{
	char *items[] = { (char *)(uintptr_t)granted };
	const struct strings strings = { .items = items, .count = granted ? 1 : 0 };
	struct place place = PLACE_NONE;
	int r;

	*ret_dest = NULL;
	*err = (struct error){ 0 };
	r = place_open_read(path, &strings, tmp_root, &place, ret_dest, err);
	place_close(&place);
	return r;
}

static void refuse_read(const char *path, const char *granted, const char *tmp_root,
			enum error_code code)
{
	struct error err;
	char *dest;
	int r = open_read(path, granted, tmp_root, &dest, &err);

	if (r >= 0)
		print_message("%s is shown where %s is granted\n", path,
			      granted ? granted : "nothing");
	assert_true(r < 0);
	assert_null(dest);
	check_code(&err, code);
}

static void test_reads_by_name(void **state)
{
	static const char *const never[] = {
		"/proc",	"/proc/version", "/sys/kernel", "/dev/null",
		"/run/lock",	"/tmp",		 "/tmp/a/b",	"/home/sandbox/x",
		"/workspace/x", "/home",	 "/",
	};

	(void)state;
	refuse_read("/srv", NULL, NO_TMPS, ERROR_NOT_GRANTED);
	refuse_read("/srv", "/srv/one", NO_TMPS, ERROR_NOT_GRANTED);
	refuse_read("/srvtwo", "/srv", NO_TMPS, ERROR_NOT_GRANTED);
	refuse_read("/srv/../etc", "/", NO_TMPS, ERROR_MOUNT_REFUSED);
	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		refuse_read(never[i], "/", NO_TMPS, ERROR_MOUNT_REFUSED);
	refuse_read("/srv", "/srv", "/srv/tmps", ERROR_MOUNT_REFUSED);
	refuse_read("/srv/tmps/one", "/srv", "/srv/tmps", ERROR_MOUNT_REFUSED);
}

static void test_reads_shown(void **state)
{
	struct error err;
	char *dest;

	(void)state;
	assert_int_equal(open_read("//etc/./passwd", "/etc", NO_TMPS, &dest, &err), 0);
	assert_string_equal(dest, "/etc/passwd");
	free(dest);
	/* Gone, or seen anyway. */
	assert_int_equal(open_read("/etc/no such", "/etc", NO_TMPS, &dest, &err), 0);
	assert_null(dest);
	assert_int_equal(open_read("/usr/bin", "/usr", NO_TMPS, &dest, &err), 0);
	assert_null(dest);
}

/* By what a link leads to. */
static void test_reads_resolved(void **state)
{
	static const char *const forbidden[] = { "/root", "/etc", "/proc", "/dev/null" };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char link[64], tmps[64];
	struct error err;
	char *dest;
	int fd;

	(void)state;
	snprintf(link, sizeof(link), "%s/link", where);
	for (size_t i = 0; i < sizeof(forbidden) / sizeof(forbidden[0]); i++) {
		assert_int_equal(symlink(forbidden[i], link), 0);
		refuse_read(link, where, NO_TMPS, ERROR_MOUNT_REFUSED);
		/* Granted as well: the first two may then be shown. */
		if (i >= 2)
			refuse_read(link, "/", NO_TMPS, ERROR_MOUNT_REFUSED);
		assert_int_equal(unlink(link), 0);
	}
	snprintf(tmps, sizeof(tmps), "%s/tmps", where);
	assert_int_equal(mkdir(tmps, 0755), 0);
	assert_int_equal(symlink("tmps", link), 0);
	assert_int_equal(open_read(link, where, NO_TMPS, &dest, &err), 0);
	assert_string_equal(dest, link);
	free(dest);
	refuse_read(link, where, tmps, ERROR_MOUNT_REFUSED);
	/* And where the root of the tmps is the link. */
	refuse_read(tmps, where, link, ERROR_MOUNT_REFUSED);
	assert_int_equal(unlink(link), 0);
	assert_int_equal(rmdir(tmps), 0);
	/* Neither a file nor a folder. */
	assert_int_equal(mkfifo(link, 0600), 0);
	refuse_read(link, where, NO_TMPS, ERROR_MOUNT_REFUSED);
	assert_int_equal(unlink(link), 0);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", link);
	assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	refuse_read(link, where, NO_TMPS, ERROR_MOUNT_REFUSED);
	close(fd);
	assert_int_equal(unlink(link), 0);
}

/* ---- the private tmp ---- */

static struct private_tmp choose(const struct identity *identity)
{
	struct private_tmp tmp = PRIVATE_TMP_NONE;
	struct error err = { 0 };

	if (private_tmp_choose(base, identity, &tmp, &err) < 0)
		fail_msg("%s", err.message);
	return tmp;
}

static void refuse_tmp(struct private_tmp *tmp, const struct identity *identity, int r)
{
	struct error err = { 0 };

	assert_int_equal(private_tmp_adopt(tmp, identity, &err), r);
	assert_int_equal(tmp->place.fd, -1);
	check_code(&err, ERROR_TMP_FAILED);
}

static void test_tmp_adopted(void **state)
{
	static const mode_t modes[] = { 0755, 0701, 0710, 0500, 01700, 02700, 0777 };
	const struct identity identity = { .uid = geteuid() };
	const struct identity other = { .uid = geteuid() + 1 };
	struct private_tmp tmp = choose(&identity);
	struct error err = { 0 };
	char *place = in_base("place");
	int fd;

	(void)state;
	refuse_tmp(&tmp, &identity, -ENOENT);
	assert_int_equal(mkdir(place, 0700), 0);
	assert_int_equal(symlink(place, tmp.place.path), 0);
	refuse_tmp(&tmp, &identity, -ENOTDIR);
	assert_int_equal(unlink(tmp.place.path), 0);
	assert_int_equal(rename(place, tmp.place.path), 0);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		assert_int_equal(chmod(tmp.place.path, modes[i]), 0);
		refuse_tmp(&tmp, &identity, -EPERM);
	}
	assert_int_equal(chmod(tmp.place.path, 0700), 0);
	refuse_tmp(&tmp, &other, -EPERM);
	/* Somebody sweeps it. */
	fd = open(tmp.place.path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	refuse_tmp(&tmp, &identity, -EAGAIN);
	close(fd);
	assert_int_equal(private_tmp_adopt(&tmp, &identity, &err), 0);
	assert_true(tmp.place.fd >= 0);
	/* And it is locked from now on. */
	fd = open(tmp.place.path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), -1);
	close(fd);
	assert_int_equal(private_tmp_remove(&tmp, &err), 0);
	free(place);
}

/* Of leftovers what is the user's or ours, and in nobody's use. */
static void test_tmp_sweep(void **state)
{
	const struct identity identity = { .uid = geteuid() };
	const struct identity other = { .uid = OTHER_UID };
	struct private_tmp tmp;
	char *names[4], *foreign;
	int fd;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		char name[64];

		snprintf(name, sizeof(name), "drupe-%u-leftov%s", geteuid(),
			 i == 3 ? "ers" : "");
		name[strlen(name) - 1] = (char)('a' + i);
		names[i] = in_base(name);
		assert_int_equal(mkdir(names[i], 0700), 0);
	}
	foreign = in_base("drupe-54321-strang");
	assert_int_equal(mkdir(foreign, 0700), 0);
	if (geteuid() == 0) /* its own user's, and not of who looks for root's */
		assert_int_equal(chown(names[1], OTHER_UID, (gid_t)-1), 0);
	fd = open(names[0], O_RDONLY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_SH), 0);
	tmp = choose(&identity);
	assert_int_equal(access(names[0], F_OK), 0);
	assert_int_equal(access(names[1], F_OK), geteuid() == 0 ? 0 : -1);
	assert_int_equal(access(names[2], F_OK), -1);
	assert_int_equal(access(names[3], F_OK), 0); /* no name of ours */
	assert_int_equal(access(foreign, F_OK), 0);
	private_tmp_remove(&tmp, &(struct error){ 0 });
	tmp = choose(&other);
	assert_int_equal(access(foreign, F_OK), -1);
	private_tmp_remove(&tmp, &(struct error){ 0 });
	close(fd);
	for (size_t i = 0; i < 4; i++) {
		rmdir(names[i]);
		free(names[i]);
	}
	free(foreign);
}

static int count_files(const char *folder)
{
	char path[PATH_MAX];
	int n = 0;

	for (int i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "%s/%d", folder, i);
		n += access(path, F_OK) == 0;
	}
	return n;
}

static void fill(const char *folder)
{
	char path[PATH_MAX];

	assert_int_equal(mkdir(folder, 0700), 0);
	for (int i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "%s/%d", folder, i);
		assert_int_equal(mknod(path, S_IFREG | 0600, 0), 0);
	}
}

/* However large a leftover is, a start does not wait for all of it to go; the next ones
 * go on, and what is in use stays whole. */
static void test_tmp_sweep_deadline(void **state)
{
	const struct identity identity = { .uid = geteuid() };
	char names[2][64], *large, *live;
	int lock, left = FILES;

	(void)state;
	for (int i = 0; i < 2; i++)
		snprintf(names[i], sizeof(names[i]), "drupe-%u-large%d", geteuid(), i);
	large = in_base(names[0]);
	live = in_base(names[1]);
	fill(large);
	fill(live);
	lock = open(live, O_RDONLY | O_CLOEXEC);
	assert_int_equal(flock(lock, LOCK_SH), 0);
	while (access(large, F_OK) == 0) {
		struct private_tmp tmp;
		int before = left;

		look_ms = 1;
		tmp = choose(&identity);
		look_ms = 0;
		left = count_files(large);
		assert_true(left < before && left >= before - 100);
		assert_int_equal(private_tmp_remove(&tmp, &(struct error){ 0 }), 0);
	}
	assert_int_equal(count_files(live), FILES);
	close(lock);
	assert_int_equal(rmtree_at(AT_FDCWD, live), 0);
	free(large);
	free(live);
}

/* Nor does the end of a session, and it says so. */
static void test_tmp_remove_deadline(void **state)
{
	const struct identity identity = { .uid = geteuid() };
	struct private_tmp tmp = choose(&identity);
	struct error err = { 0 };
	char *path = strdup(tmp.place.path);

	(void)state;
	fill(path);
	look_ms = 1000;
	assert_int_equal(private_tmp_remove(&tmp, &err), -ETIMEDOUT);
	look_ms = 0;
	check_code(&err, ERROR_TMP_FAILED);
	assert_non_null(strstr(err.message, path));
	assert_true(count_files(path) > 0);
	tmp = choose(&identity);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(private_tmp_remove(&tmp, &err), 0);
	free(path);
}

/* A root that others could replace what lies in. */
static void test_tmp_root(void **state)
{
	const struct identity identity = { .uid = geteuid() };
	struct private_tmp tmp = PRIVATE_TMP_NONE;
	struct error err = { 0 };

	(void)state;
	assert_int_equal(chmod(base, 0777), 0);
	assert_true(private_tmp_choose(base, &identity, &tmp, &err) < 0);
	check_code(&err, ERROR_TMP_FAILED);
	assert_int_equal(chmod(base, 01777), 0);
	tmp = choose(&identity);
	assert_int_equal(private_tmp_remove(&tmp, &err), 0);
	assert_int_equal(chmod(base, 0755), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_workspaces),
		cmocka_unit_test(test_homes),
		cmocka_unit_test(test_tmps),
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_access),
		cmocka_unit_test(test_reads_by_name),
		cmocka_unit_test(test_reads_shown),
		cmocka_unit_test(test_reads_resolved),
		cmocka_unit_test(test_tmp_adopted),
		cmocka_unit_test(test_tmp_sweep),
		cmocka_unit_test(test_tmp_root),
		cmocka_unit_test(test_present),
		cmocka_unit_test(test_tmp_sweep_deadline),
		cmocka_unit_test(test_tmp_remove_deadline),
	};
	int failed;

	umask(022);
	if (!mkdtemp(base) || chmod(base, 0755) < 0 || !mkdtemp(where))
		return 99;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	(void)rmtree_at(AT_FDCWD, base);
	(void)rmtree_at(AT_FDCWD, where);
	return failed;
}
