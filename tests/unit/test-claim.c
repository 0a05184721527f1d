/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Folders that are in use as long as they are locked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/claim.h"

static char base[64], path[80];
static int parent;

/* What another does between the opening of a folder and its lock. */
static enum before { NOTHING, SWEPT, REPLACED, PLANTED } before_lock;

int __real_flock(int fd, int operation);
int __wrap_flock(int fd, int operation);

int __wrap_flock(int fd, int operation)
{
	char aside[90];

	snprintf(aside, sizeof(aside), "%s-aside", path);
	/* Moved first: a new one must have another inode. */
	if (before_lock != NOTHING)
		assert_int_equal(rename(path, aside), 0);
	if (before_lock >= REPLACED)
		assert_int_equal(mkdir(path, 0700), 0);
	if (before_lock == PLANTED)
		assert_int_equal(chown(path, 1, 1), 0);
	if (before_lock != NOTHING)
		assert_int_equal(rmdir(aside), 0);
	before_lock = NOTHING;
	return __real_flock(fd, operation);
}

static int setup(void **state)
{
	(void)state;
	strcpy(base, "/tmp/test-claim-XXXXXX");
	assert_non_null(mkdtemp(base));
	snprintf(path, sizeof(path), "%s/folder", base);
	parent = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return parent < 0;
}

static int teardown(void **state)
{
	(void)state;
	close(parent);
	rmdir(path);
	return rmdir(base);
}

static void test_make(void **state)
{
	mode_t before = umask(0277);
	struct stat st;
	int lock, other;

	(void)state;
	assert_int_equal(claim_make(path, 0700, &lock), 0);
	umask(before);
	assert_int_equal(fstat(lock, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_true(fcntl(lock, F_GETFD) & FD_CLOEXEC);
	/* In use: shared with others, not to be removed. */
	assert_int_equal(claim_take(parent, "folder", LOCK_EX), -EAGAIN);
	other = claim_take(parent, "folder", LOCK_SH);
	assert_true(other >= 0);
	assert_true(fcntl(other, F_GETFD) & FD_CLOEXEC);
	close(lock);
	assert_int_equal(claim_take(parent, "folder", LOCK_EX), -EAGAIN);
	close(other);
	/* Dead. */
	other = claim_take(parent, "folder", LOCK_EX);
	assert_true(other >= 0);
	close(other);
	/* One that was there before is nobody's to make. */
	assert_int_equal(claim_make(path, 0700, &lock), -EEXIST);
}

static void test_no_folder(void **state)
{
	int lock = -7;

	(void)state;
	assert_int_equal(claim_take(parent, "folder", LOCK_EX), -ENOENT);
	assert_int_equal(symlinkat(".", parent, "folder"), 0);
	assert_true(claim_take(parent, "folder", LOCK_EX) < 0);
	assert_int_equal(claim_make(path, 0700, &lock), -EEXIST);
	assert_int_equal(unlinkat(parent, "folder", 0), 0);
	snprintf(path, sizeof(path), "%s/no/folder", base);
	assert_int_equal(claim_make(path, 0700, &lock), -ENOENT);
	assert_int_equal(lock, -7);
}

static void is_held(int lock)
{
	struct stat held, named;

	assert_int_equal(fstat(lock, &held), 0);
	assert_int_equal(lstat(path, &named), 0);
	assert_int_equal(held.st_ino, named.st_ino);
	assert_int_equal(claim_take(parent, "folder", LOCK_EX), -EAGAIN);
	close(lock);
	assert_int_equal(rmdir(path), 0);
}

/* Swept before it was locked, it is made again, by us or by another: what is held is
 * what is there. */
static void test_swept(void **state)
{
	int lock;

	(void)state;
	before_lock = SWEPT;
	assert_int_equal(claim_make(path, 0700, &lock), 0);
	is_held(lock);
	before_lock = REPLACED;
	assert_int_equal(claim_make(path, 0700, &lock), 0);
	is_held(lock);
}

/* By another user: it is not taken for ours. */
static void test_planted(void **state)
{
	int lock;

	(void)state;
	if (geteuid() != 0)
		skip(); /* needs a folder of another user */
	before_lock = PLANTED;
	assert_int_equal(claim_make(path, 0700, &lock), -EPERM);
}

/* One that comes to sweep it as well must not take the next one for it. */
static void test_sweep_twice(void **state)
{
	(void)state;
	for (before_lock = SWEPT; before_lock <= REPLACED;) {
		enum before what = before_lock;

		assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
		assert_int_equal(claim_take(parent, "folder", LOCK_EX), -EAGAIN);
		before_lock = what + 1;
	}
	before_lock = NOTHING;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_make, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_folder, setup, teardown),
		cmocka_unit_test_setup_teardown(test_swept, setup, teardown),
		cmocka_unit_test_setup_teardown(test_planted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sweep_twice, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
