/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Folders that are in use as long as they are locked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/claim.h"

static char base[64], path[80];
static int parent;

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

/* Sweeps what nobody holds, until it has done so, and then until it cannot. */
static void *sweep(void *data)
{
	int fd;

	(void)data;
	while ((fd = claim_take(parent, "folder", LOCK_EX)) < 0)
		if (fd == -EAGAIN)
			return NULL; /* it is held */
	unlinkat(parent, "folder", AT_REMOVEDIR);
	close(fd);
	return sweep(data);
}

/* Swept between the mkdir and the lock, it is made again: what is held is there. */
static void test_swept(void **state)
{
	(void)state;
	for (int i = 0; i < 300; i++) {
		struct stat held, named;
		pthread_t thread;
		int lock;

		assert_int_equal(pthread_create(&thread, NULL, sweep, NULL), 0);
		assert_int_equal(claim_make(path, 0700, &lock), 0);
		assert_int_equal(fstat(lock, &held), 0);
		assert_int_equal(lstat(path, &named), 0);
		assert_int_equal(held.st_ino, named.st_ino);
		pthread_join(thread, NULL);
		assert_int_equal(rmdir(path), 0);
		close(lock);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_make, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_folder, setup, teardown),
		cmocka_unit_test_setup_teardown(test_swept, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
