/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mount tables: what is parsed of them, what hides what, and which are refused. */
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
#include <unistd.h>

#include "verify/mountinfo.h"

static void parse(const char *text, struct mountinfo *ret_table)
{
	char *copy = strdup(text);

	assert_non_null(copy);
	assert_int_equal(mountinfo_parse(copy, ret_table), 0);
}

static const char plain[] =
	"20 1 0:21 / / rw,nosuid,nodev,relatime - tmpfs tmpfs rw,uid=1000\n"
	"21 20 8:1 /usr /usr ro,nosuid,nodev master:1 - ext4 /dev/sda1 rw\n"
	"22 20 0:22 / /proc rw,nosuid - proc proc rw\n"
	"23 20 8:1 /srv/w\\040s /srv/w\\040s rw shared:1 master:2 propagate_from:3 - "
	"ext4 "
	"/dev/sda1 rw,errors=remount-ro\n"
	"24 20 0:23 / /etc ro,noatime - tmpfs tmpfs rw\n";

static void test_fields(void **state)
{
	_cleanup_mountinfo_ struct mountinfo table = { 0 };

	(void)state;
	parse(plain, &table);
	assert_int_equal(table.count, 5);
	assert_int_equal(table.lines[0].id, 20);
	assert_int_equal(table.lines[0].parent, 1);
	assert_string_equal(table.lines[0].point, "/");
	assert_string_equal(table.lines[0].type, "tmpfs");
	assert_false(table.lines[0].read_only);
	assert_string_equal(table.lines[1].point, "/usr");
	assert_string_equal(table.lines[1].type, "ext4");
	assert_true(table.lines[1].read_only);
	assert_string_equal(table.lines[2].type, "proc");
	assert_string_equal(table.lines[3].point, "/srv/w s");
	assert_string_equal(table.lines[3].type, "ext4");
	assert_false(table.lines[3].read_only);
	assert_true(table.lines[4].read_only);
	for (size_t i = 0; i < table.count; i++)
		assert_false(table.lines[i].hidden);
}

/* "ro" of the mount, as a whole word, counts; that of the file system does not. */
static const struct {
	const char *options, *super;
	bool read_only;
} read_only_cases[] = {
	{ "ro", "rw", true },
	{ "ro,nosuid", "rw", true },
	{ "nosuid,ro", "rw", true },
	{ "nosuid,ro,nodev", "rw", true },
	{ "rw", "ro", false },
	{ "rw,nosuid", "ro,errors=remount-ro", false },
	{ "rw,errors=remount-ro", "rw", false },
	{ "rodata", "rw", false },
	{ "rw,ro_not", "rw", false },
	{ "rw,not_ro", "rw", false },
};

static void test_read_only(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(read_only_cases) / sizeof(read_only_cases[0]);
	     i++) {
		_cleanup_mountinfo_ struct mountinfo table = { 0 };
		char text[200];

		snprintf(text, sizeof(text), "1 0 0:1 / /x %s - ext4 none %s\n",
			 read_only_cases[i].options, read_only_cases[i].super);
		parse(text, &table);
		assert_int_equal(table.lines[0].read_only, read_only_cases[i].read_only);
	}
}

static const struct {
	const char *text, *point;
} escapes[] = {
	{ "/a\\040b", "/a b" },
	{ "/a\\011b", "/a\tb" },
	{ "/a\\012b", "/a\nb" },
	{ "/a\\134b", "/a\\b" },
	{ "/a\\043", "/a#" },
	{ "/\\040\\040", "/  " },
	{ "/a\\134040", "/a\\040" }, /* an escaped backslash begins no escape */
	{ "/caf\\303\\251", "/caf\303\251" },
	{ "/a\\", "/a\\" },
	{ "/a\\0", "/a\\0" },
};

static void test_escapes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
		_cleanup_mountinfo_ struct mountinfo table = { 0 };
		char text[200];

		snprintf(text, sizeof(text), "1 0 0:1 / %s rw - ext4 none rw",
			 escapes[i].text);
		parse(text, &table);
		assert_int_equal(table.count, 1);
		assert_string_equal(table.lines[0].point, escapes[i].point);
	}
}

static const char *const malformed[] = {
	"1\n",
	"1 0 0:1 / /x\n",
	"1 0 0:1 / /x rw\n",
	"1 0 0:1 / /x rw ext4 none rw\n",
	"1 0 0:1 / /x rw shared:1\n",
	"1 0 0:1 / /x rw -\n",
	"1 0 0:1 / /x rw - ext4 none rw\ngarbage\n",
	" \n",
};

static void test_malformed(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); i++) {
		struct mountinfo table = { 0 };

		assert_int_equal(mountinfo_parse(strdup(malformed[i]), &table), -EBADMSG);
		assert_null(table.lines);
		assert_null(table.text);
	}
}

static void test_empty(void **state)
{
	_cleanup_mountinfo_ struct mountinfo table = { 0 };

	(void)state;
	parse("", &table);
	assert_int_equal(table.count, 0);
	assert_null(mountinfo_top(&table, "/"));
}

static void test_top(void **state)
{
	_cleanup_mountinfo_ struct mountinfo table = { 0 };
	const struct mount_line *top;

	(void)state;
	/* The order of lines is that of mounting only by chance: parents decide. */
	parse("30 1 0:1 / / rw - tmpfs a rw\n"
	      "33 32 0:4 / /x ro - proc top rw\n"
	      "31 30 0:2 / /x rw - ext4 lowest rw\n"
	      "32 31 0:3 / /x rw - tmpfs middle rw\n"
	      "34 30 0:5 / /xy rw - ext4 other rw\n",
	      &table);
	top = mountinfo_top(&table, "/x");
	assert_non_null(top);
	assert_int_equal(top->id, 33);
	assert_true(table.lines[2].hidden);
	assert_true(table.lines[3].hidden);
	assert_false(table.lines[1].hidden);
	assert_false(table.lines[4].hidden);
	assert_int_equal(mountinfo_top(&table, "/xy")->id, 34);
	assert_int_equal(mountinfo_top(&table, "/")->id, 30);
	assert_null(mountinfo_top(&table, "/y"));
	assert_null(mountinfo_top(&table, "/x/y"));
	assert_null(mountinfo_top(&table, "x"));
}

/* A root over the root: its parent may be itself or lie outside the table. */
static void test_roots(void **state)
{
	_cleanup_mountinfo_ struct mountinfo table = { 0 };

	(void)state;
	parse("40 40 0:1 / / rw - rootfs rootfs rw\n"
	      "41 40 0:2 / / ro - tmpfs tmpfs rw\n",
	      &table);
	assert_true(table.lines[0].hidden);
	assert_false(table.lines[1].hidden);
	assert_true(mountinfo_top(&table, "/")->read_only);
}

static void test_own_table(void **state)
{
	_cleanup_mountinfo_ struct mountinfo table = { 0 };
	int proc = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	assert_int_equal(mountinfo_read(proc, &table), 0);
	assert_non_null(mountinfo_top(&table, "/"));
	assert_non_null(mountinfo_top(&table, "/proc"));
	assert_string_equal(mountinfo_top(&table, "/proc")->type, "proc");
	close(proc);
}

static void test_no_table(void **state)
{
	struct mountinfo table = { 0 };
	int dir = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	assert_int_equal(mountinfo_read(dir, &table), -ENOENT);
	assert_null(table.lines);
	close(dir);
}

/* A table longer than the first buffer is read whole. */
static void test_long_table(void **state)
{
	_cleanup_mountinfo_ struct mountinfo table = { 0 };
	char name[] = "/tmp/test-mountinfo-XXXXXX", path[64];
	int dir, fd;

	(void)state;
	assert_non_null(mkdtemp(name));
	snprintf(path, sizeof(path), "%s/mountinfo", name);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	for (int i = 0; i < 2000; i++)
		dprintf(fd, "%d 1 0:1 / /point/%d rw - ext4 none rw\n", i + 2, i);
	close(fd);
	dir = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(mountinfo_read(dir, &table), 0);
	assert_int_equal(table.count, 2000);
	assert_int_equal(mountinfo_top(&table, "/point/1999")->id, 2001);
	close(dir);
	unlink(path);
	rmdir(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),	 cmocka_unit_test(test_read_only),
		cmocka_unit_test(test_escapes),	 cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_empty),	 cmocka_unit_test(test_top),
		cmocka_unit_test(test_roots),	 cmocka_unit_test(test_own_table),
		cmocka_unit_test(test_no_table), cmocka_unit_test(test_long_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
