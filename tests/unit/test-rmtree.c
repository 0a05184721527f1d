/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Trees that someone hostile made are removed, and nothing outside them is touched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/rmtree.h"

#define NOBODY 65534
#define DEPTH 3000
#define ENTRIES 3000
#define STEPS 20

/* One folder with the tree "t" and something outside it: "keep". */
struct place {
	char name[64];
	int dir;  /* the folder */
	int tree; /* t, gone after the removal */
};

static void put_file(int dir, const char *name)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	close(fd);
}

static int put_dir(int dir, const char *name)
{
	int fd;

	assert_int_equal(mkdirat(dir, name, 0700), 0);
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static int set_up(void **state)
{
	struct place *place = calloc(1, sizeof(*place));
	int keep;

	strcpy(place->name, "/tmp/test-rmtree-XXXXXX");
	assert_non_null(mkdtemp(place->name));
	place->dir = open(place->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	place->tree = put_dir(place->dir, "t");
	keep = put_dir(place->dir, "keep");
	put_file(keep, "file");
	close(keep);
	*state = place;
	return 0;
}

static int tear_down(void **state)
{
	struct place *place = *state;

	/* What lies outside is there as it was. */
	assert_int_equal(faccessat(place->dir, "keep/file", F_OK, 0), 0);
	unlinkat(place->dir, "keep/file", 0);
	assert_int_equal(unlinkat(place->dir, "keep", AT_REMOVEDIR), 0);
	assert_int_equal(rmdir(place->name), 0); /* and nothing else */
	close(place->tree);
	close(place->dir);
	free(place);
	return 0;
}

static void remove_it(const struct place *place)
{
	assert_int_equal(rmtree_at(place->dir, "t"), 0);
	assert_int_equal(faccessat(place->dir, "t", F_OK, AT_SYMLINK_NOFOLLOW), -1);
}

static void test_empty(void **state)
{
	remove_it(*state);
	remove_it(*state); /* what is not there is gone */
}

static void test_kinds(void **state)
{
	const struct place *place = *state;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	put_file(place->tree, "file");
	put_file(place->tree, "-rf");
	put_file(place->tree, "new\nline");
	put_file(place->tree, "\377\376");
	put_file(place->tree, "...");
	assert_int_equal(mkfifoat(place->tree, "fifo", 0600), 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/t/socket", place->name);
	assert_int_equal(bind(sock, (struct sockaddr *)&address, sizeof(address)), 0);
	close(sock);
	assert_int_equal(symlinkat("nowhere", place->tree, "dangling"), 0);
	assert_int_equal(symlinkat("loop", place->tree, "loop"), 0);
	remove_it(place);
}

static void test_links_out(void **state)
{
	const struct place *place = *state;
	int inner = put_dir(place->tree, "inner");

	assert_int_equal(symlinkat("../keep", place->tree, "folder"), 0);
	assert_int_equal(symlinkat("../keep/file", place->tree, "file"), 0);
	assert_int_equal(symlinkat("../../keep", inner, "folder"), 0);
	assert_int_equal(symlinkat("/", inner, "root"), 0);
	assert_int_equal(symlinkat("..", inner, "up"), 0);
	close(inner);
	remove_it(place);
}

/* The tree's own name is a link: that is not followed, and not removed either. */
static void test_link_instead(void **state)
{
	const struct place *place = *state;
	struct stat st;

	remove_it(place);
	assert_int_equal(symlinkat("keep", place->dir, "t"), 0);
	/* Nor is the mode of what it leads to changed. */
	assert_int_equal(fchmodat(place->dir, "keep", 0500, 0), 0);
	assert_true(rmtree_at(place->dir, "t") < 0);
	assert_int_equal(fstatat(place->dir, "keep", &st, 0), 0);
	assert_int_equal(st.st_mode & 0777, 0500);
	assert_int_equal(fchmodat(place->dir, "keep", 0700, 0), 0);
	assert_int_equal(faccessat(place->dir, "keep/file", F_OK, 0), 0);
	assert_int_equal(unlinkat(place->dir, "t", 0), 0);
}

static void test_file_instead(void **state)
{
	const struct place *place = *state;

	remove_it(place);
	put_file(place->dir, "t");
	assert_true(rmtree_at(place->dir, "t") < 0);
	assert_int_equal(unlinkat(place->dir, "t", 0), 0);
}

static void test_modes(void **state)
{
	static const mode_t modes[] = { 0, 0100, 0200, 0300, 0400, 0500, 0600 };
	const struct place *place = *state;

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		char name[] = { 'a', (char)('0' + (char)i), '\0' };
		int outer = put_dir(place->tree, name), inner = put_dir(outer, "inner");
		int innermost = put_dir(inner, "innermost");

		put_file(outer, "file");
		put_file(inner, "file");
		put_file(innermost, "file");
		assert_int_equal(fchmod(innermost, modes[i]), 0);
		assert_int_equal(fchmod(inner, modes[i]), 0);
		assert_int_equal(fchmod(outer, modes[i]), 0);
		close(innermost);
		close(inner);
		close(outer);
	}
	assert_int_equal(fchmod(place->tree, 0), 0);
	remove_it(place);
}

/* Deeper than any path may be long, and with few descriptors. */
static void test_depth(void **state)
{
	const struct place *place = *state;
	char name[] = "a-name-that-is-long-enough-to-make-the-path-too-long-for-PATH_MAX";
	struct rlimit before, few;
	int at = dup(place->tree);

	for (int i = 0; i < DEPTH; i++) {
		int next = put_dir(at, name);

		put_file(next, "file");
		close(at);
		at = next;
	}
	assert_int_equal(fchmod(at, 0), 0);
	close(at);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = 12;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	remove_it(place);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

static void test_breadth(void **state)
{
	const struct place *place = *state;
	int inner = put_dir(place->tree, "inner");
	char name[16];

	for (int i = 0; i < ENTRIES; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		put_file(place->tree, name);
		snprintf(name, sizeof(name), "d%d", i);
		close(put_dir(inner, name));
	}
	close(inner);
	remove_it(place);
}

static int count_files(int dir)
{
	int n = 0;
	char name[16];

	for (int i = 0; i < STEPS; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		n += faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
	}
	return n;
}

/* One that is always late does a step a call, and a tree with folders has an end too. */
static void test_deadline(void **state)
{
	const struct place *place = *state;
	int at = dup(place->tree), calls = 0, r;
	char name[16];

	for (int i = 0; i < STEPS; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		put_file(place->tree, name);
	}
	for (int left = STEPS; left > 0; left--) {
		assert_int_equal(count_files(place->tree), left);
		r = rmtree_until(place->dir, "t", 0);
		assert_int_equal(r, left > 1 ? -ETIMEDOUT : 0);
	}
	close(at);
	at = put_dir(place->dir, "t");
	for (int i = 0; i < STEPS; i++) {
		int next = put_dir(at, i % 2 ? "inner" : "0");

		put_file(at, "file");
		close(at);
		at = next;
	}
	close(at);
	while ((r = rmtree_until(place->dir, "t", 0)) == -ETIMEDOUT)
		assert_true(++calls < 10 * STEPS);
	assert_int_equal(r, 0);
	assert_true(calls > STEPS / 2);
	remove_it(place);
}

/* Names like those that the removal gives itself. */
static void test_numbers(void **state)
{
	const struct place *place = *state;
	char name[16];

	for (int i = 0; i < 50; i++) {
		int outer, inner;

		snprintf(name, sizeof(name), "%d", i);
		if (i % 2) {
			put_file(place->tree, name);
			continue;
		}
		outer = put_dir(place->tree, name);
		snprintf(name, sizeof(name), "%d", 49 - i);
		inner = put_dir(outer, name);
		put_file(inner, name);
		close(inner);
		close(outer);
	}
	remove_it(place);
}

static void test_descriptors(void **state)
{
	int before = 0, after = 0, inner = put_dir(((struct place *)*state)->tree, "d");

	close(inner);
	for (int fd = 0; fd < 256; fd++)
		before += fcntl(fd, F_GETFD) >= 0;
	remove_it(*state);
	for (int fd = 0; fd < 256; fd++)
		after += fcntl(fd, F_GETFD) >= 0;
	assert_int_equal(before, after);
}

/* Of what cannot be removed the first reason is told, and all else is removed. */
static void test_unremovable(void **state)
{
	const struct place *place = *state;
	int inner = put_dir(place->tree, "foreign");
	uid_t uid = geteuid();

	if (getuid() != 0) {
		close(inner);
		remove_it(place);
		skip(); /* needs a folder of root */
	}
	put_file(place->tree, "file");
	put_file(inner, "file");
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(fchown(inner, 0, 0), 0);
	assert_int_equal(seteuid(uid), 0);
	assert_true(rmtree_at(place->dir, "t") < 0);
	assert_int_equal(faccessat(place->dir, "t/file", F_OK, 0), -1);
	assert_int_equal(faccessat(place->dir, "t", F_OK, 0), 0);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(fchown(inner, uid, NOBODY), 0);
	assert_int_equal(seteuid(uid), 0);
	close(inner);
	remove_it(place);
}

/* A file that unlink does not permit is no folder, and the reason is told as it is. */
static void test_not_permitted(void **state)
{
	const struct place *place = *state;
	uid_t uid = geteuid();

	if (getuid() != 0) {
		remove_it(place);
		skip(); /* needs a file of root */
	}
	assert_int_equal(seteuid(0), 0);
	put_file(place->tree, "file");
	assert_int_equal(fchown(place->tree, 0, 0), 0);
	assert_int_equal(fchmod(place->tree, 01777), 0);
	assert_int_equal(seteuid(uid), 0);
	assert_int_equal(rmtree_at(place->dir, "t"), -EPERM);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(unlinkat(place->tree, "file", 0), 0);
	assert_int_equal(fchown(place->tree, uid, NOBODY), 0);
	assert_int_equal(seteuid(uid), 0);
	remove_it(place);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_empty),	 TEST(test_kinds),
		TEST(test_links_out),	 TEST(test_link_instead),
		TEST(test_file_instead), TEST(test_modes),
		TEST(test_depth),	 TEST(test_breadth),
		TEST(test_numbers),	 TEST(test_descriptors),
		TEST(test_unremovable),	 TEST(test_not_permitted),
		TEST(test_deadline),
	};

	int failed;

	/* To root modes mean nothing. */
	if (geteuid() == 0 &&
	    (setgroups(0, NULL) < 0 || setegid(NOBODY) < 0 || seteuid(NOBODY) < 0))
		return 99;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	/* What changes of the user took away, and the leak check at the exit needs. */
	if (getuid() == 0 && seteuid(0) == 0)
		prctl(PR_SET_DUMPABLE, 1);
	return failed;
}
