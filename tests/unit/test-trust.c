/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whom a file can come from, on real files below /tmp. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fd.h"
#include "base/trust.h"

#define STRANGER 12345 /* neither root nor who runs the tests */

static char top[] = "/tmp/drupe-trust-XXXXXX";

static const char *at(const char *name)
{
	static char paths[4][4096];
	static unsigned turn;
	char *path = paths[turn++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", top, name);
	return path;
}

static void make_file(const char *name, mode_t mode)
{
	int fd = open(at(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "text\n", 5), 5);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void make_dir(const char *name, mode_t mode)
{
	assert_int_equal(mkdir(at(name), 0700), 0);
	assert_int_equal(chmod(at(name), mode), 0);
}

static int open_path(const char *path, struct error *err)
{
	_cleanup_close_ int fd = -1;
	struct stat st;
	int r;

	memset(err, 0, sizeof(*err));
	r = trust_open(path, ERROR_POLICY_NOT_FOUND, ERROR_POLICY_UNTRUSTED, &fd, &st,
		       err);
	if (r < 0) {
		assert_int_equal(fd, -1);
		assert_true(strncmp(err->message, path, strnlen(path, 500)) == 0);
		return r;
	}
	assert_true(S_ISREG(st.st_mode));
	assert_true(fd > STDERR_FILENO);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
	return r;
}

static void expect_good(const char *path)
{
	struct error err;
	int r = open_path(path, &err);

	if (r < 0)
		print_error("%s\n", err.message);
	assert_int_equal(r, 0);
}

static void expect_refused(const char *path, int r, const char *part)
{
	struct error err;

	assert_int_equal(open_path(path, &err), r);
	assert_int_equal(err.code,
			 r == -ENOENT ? ERROR_POLICY_NOT_FOUND : ERROR_POLICY_UNTRUSTED);
	if (!strstr(err.message, part))
		print_error("\"%s\" lacks \"%s\"\n", err.message, part);
	assert_non_null(strstr(err.message, part));
}

static void test_modes(void **state)
{
	(void)state;
	make_file("good", 0644);
	make_file("others", 0646);
	make_file("writable-group", 0664);
	make_file("all", 0666);
	make_file("sticky-file", 01666);
	expect_good(at("good"));
	expect_refused(at("others"), -EPERM,
		       "writable by others (mode 0646); chmod o-w ");
	expect_refused(at("writable-group"), -EPERM,
		       "writable by its group (mode 0664); chmod g-w ");
	expect_refused(at("all"), -EPERM, "writable by others (mode 0666); chmod go-w ");
	/* Only of a directory does the sticky bit promise anything. */
	expect_refused(at("sticky-file"), -EPERM, "chmod go-w ");
	expect_refused(at("missing"), -ENOENT, "there is no such file");
	expect_refused(at("good/more"), -ENOTDIR, "Not a directory");
	expect_refused(at("good/"), -ENOTDIR, "Not a directory");
	expect_refused("", -ENOENT, "empty");
}

static void test_parents(void **state)
{
	(void)state;
	make_dir("open", 0777);
	make_file("open/file", 0644);
	make_dir("open/inner", 0755);
	make_file("open/inner/file", 0644);
	make_dir("group", 0775);
	make_file("group/file", 0644);
	make_dir("sticky", 01777);
	make_file("sticky/file", 0644);
	expect_refused(at("open/file"), -EPERM, "the directory /tmp/drupe-trust-");
	expect_refused(at("open/inner/file"), -EPERM, "/open is writable by others");
	expect_refused(at("open/inner/../../good"), -EPERM,
		       "/open is writable by others");
	expect_refused(at("group/file"), -EPERM,
		       "/group is writable by its group (mode 0775); "
		       "chmod g-w ");
	expect_good(at("sticky/file"));
	expect_good(at("sticky/../sticky/./file"));
	expect_good(at("sticky/../../../../tmp/..//../tmp/.././etc/passwd"));
}

static void test_links(void **state)
{
	(void)state;
	make_dir("links", 0755);
	assert_int_equal(symlink("../good", at("links/relative")), 0);
	assert_int_equal(symlink(at("good"), at("links/absolute")), 0);
	assert_int_equal(symlink("relative", at("links/twice")), 0);
	assert_int_equal(symlink("loop", at("links/loop")), 0);
	assert_int_equal(symlink("nothing", at("links/dangling")), 0);
	assert_int_equal(symlink(at("open/file"), at("links/open")), 0);
	assert_int_equal(symlink("..", at("links/up")), 0);
	assert_int_equal(symlink(at("good"), at("open/link")), 0);
	expect_good(at("links/relative"));
	expect_good(at("links/absolute"));
	expect_good(at("links/twice"));
	expect_good(at("links/up/good"));
	expect_refused(at("links/loop"), -ELOOP, "symbolic links");
	expect_refused(at("links/dangling"), -ENOENT, "no such file");
	expect_refused(at("links/open"), -EPERM, "/open is writable by others");
	/* The file is good, but the directory that holds the link is not. */
	expect_refused(at("open/link"), -EPERM, "/open is writable by others");
}

static void test_types(void **state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)state;
	assert_int_equal(mkfifo(at("fifo"), 0600), 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", at("socket"));
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	assert_int_equal(chmod(at("socket"), 0600), 0);
	/* A FIFO without a writer would block for ever. */
	expect_refused(at("fifo"), -EINVAL, "a FIFO, not a regular file");
	expect_refused(at("socket"), -EINVAL, "a socket, not a regular file");
	expect_refused(at("links"), -EINVAL, "a directory, not a regular file");
	expect_refused("/", -EINVAL, "a directory, not a regular file");
	expect_refused("/dev/zero", -EINVAL, "a device, not a regular file");
}

static void test_owners(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	make_file("foreign", 0644);
	assert_int_equal(chown(at("foreign"), STRANGER, STRANGER), 0);
	expect_refused(at("foreign"), -EPERM,
		       "owned by uid 12345, not by root; chown root ");
	make_dir("theirs", 0755);
	make_file("theirs/file", 0644);
	assert_int_equal(chown(at("theirs"), STRANGER, STRANGER), 0);
	expect_refused(at("theirs/file"), -EPERM, "/theirs is owned by uid 12345");
	assert_int_equal(symlink(at("good"), at("sticky/link")), 0);
	expect_good(at("sticky/link"));
	assert_int_equal(lchown(at("sticky/link"), STRANGER, STRANGER), 0);
	expect_refused(at("sticky/link"), -EPERM, "the link link is owned by uid 12345");
	/* What belongs to the caller is good as well. */
	assert_int_equal(chmod(top, 0755), 0);
	assert_int_equal(seteuid(STRANGER), 0);
	expect_good(at("foreign"));
	expect_good(at("theirs/file"));
	expect_good(at("sticky/link"));
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(seteuid(STRANGER + 1), 0);
	expect_refused(at("foreign"), -EPERM, "neither by root nor by you (uid 12346)");
	assert_int_equal(seteuid(0), 0);
}

static void test_relative(void **state)
{
	int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	assert_int_equal(chdir(at("links")), 0);
	expect_good("relative");
	expect_good("./relative");
	expect_good("../good");
	assert_int_equal(chdir(at("open")), 0);
	expect_refused("file", -EPERM, "/open is writable by others");
	/* The path leads out of it, but whoever rearranges it decides where to. */
	expect_refused("../good", -EPERM, "/open is writable by others");
	assert_int_equal(chdir(at("open/inner")), 0);
	expect_refused("file", -EPERM, "/open is writable by others");
	assert_int_equal(fchdir(here), 0);
	close(here);
}

static void test_directories(void **state)
{
	struct error err = { 0 };
	int dir = -1, file = -1;
	struct stat st;

	(void)state;
	assert_int_equal(trust_open_dir(at("open"), ERROR_BACKEND_MISSING,
					ERROR_BACKEND_UNTRUSTED, &dir, &err),
			 -EPERM);
	assert_int_equal(err.code, ERROR_BACKEND_UNTRUSTED);
	assert_int_equal(trust_open_dir(at("none"), ERROR_BACKEND_MISSING,
					ERROR_BACKEND_UNTRUSTED, &dir, &err),
			 -ENOENT);
	assert_int_equal(err.code, ERROR_BACKEND_MISSING);
	assert_int_equal(trust_open_dir(at("good"), ERROR_BACKEND_MISSING,
					ERROR_BACKEND_UNTRUSTED, &dir, &err),
			 -ENOTDIR);
	assert_int_equal(dir, -1);
	assert_int_equal(trust_open_dir(at("sticky/.."), ERROR_BACKEND_MISSING,
					ERROR_BACKEND_UNTRUSTED, &dir, &err),
			 0);
	assert_int_equal(trust_open_at(dir, top, "good", ERROR_BACKEND_MISSING,
				       ERROR_BACKEND_UNTRUSTED, &file, &st, &err),
			 0);
	close_fd(&file);
	assert_int_equal(trust_open_at(dir, top, "nothing", ERROR_BACKEND_MISSING,
				       ERROR_BACKEND_UNTRUSTED, &file, &st, &err),
			 -ENOENT);
	assert_int_equal(err.code, ERROR_BACKEND_MISSING);
	assert_int_equal(trust_open_at(dir, top, "links/relative", ERROR_BACKEND_MISSING,
				       ERROR_BACKEND_UNTRUSTED, &file, &st, &err),
			 -EINVAL);
	/* Its own folder is what was checked, and no other. */
	make_dir("below", 0777);
	make_file("below/file", 0644);
	assert_int_equal(trust_open_at(dir, top, "below/file", ERROR_BACKEND_MISSING,
				       ERROR_BACKEND_UNTRUSTED, &file, &st, &err),
			 -EINVAL);
	assert_int_equal(trust_open_at(dir, top, "", ERROR_BACKEND_MISSING,
				       ERROR_BACKEND_UNTRUSTED, &file, &st, &err),
			 -EINVAL);
	assert_int_equal(symlink("good", at("alias")), 0);
	assert_int_equal(trust_open_at(dir, top, "alias", ERROR_BACKEND_MISSING,
				       ERROR_BACKEND_UNTRUSTED, &file, &st, &err),
			 -EINVAL);
	assert_non_null(strstr(err.message, "a symbolic link, not a regular file"));
	assert_int_equal(trust_open_at(dir, top, "all", ERROR_BACKEND_MISSING,
				       ERROR_BACKEND_UNTRUSTED, &file, &st, &err),
			 -EPERM);
	assert_int_equal(file, -1);
	close_fd(&dir);
}

static void test_long(void **state)
{
	char path[4000];

	(void)state;
	memset(path, 'a', sizeof(path));
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	expect_refused(path, -ENAMETOOLONG, "aaa");
	path[300] = '\0';
	expect_refused(path, -ENAMETOOLONG, "too long");
}

static int setup(void **state)
{
	(void)state;
	umask(022);
	return mkdtemp(top) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[sizeof(top) + 16];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", top);
	return system(command);
}

int main(void)
{
	/* In this order: later ones use the files of earlier ones. */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_modes),	    cmocka_unit_test(test_parents),
		cmocka_unit_test(test_links),	    cmocka_unit_test(test_types),
		cmocka_unit_test(test_owners),	    cmocka_unit_test(test_relative),
		cmocka_unit_test(test_directories), cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests_name("trust", tests, setup, teardown);
}
