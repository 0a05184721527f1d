/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/fd.h"
#include "cli/commands.h"

#define FLAGS (O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
#define MAX_LINKS 8

/* Where a path leads. */
struct place {
	int dir;
	char name[NAME_MAX + 1]; /* in DIR */
	bool linked;		 /* a link of root's led there */
	bool descriptor;	 /* NAME is a descriptor in /proc */
};

static bool is_in_proc(int dir)
{
	struct statfs fs;

	return fstatfs(dir, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/* Whether NAME in DIR is a link made by root or the kernel. */
static bool is_link_of_root(int dir, const char *name)
{
	struct stat st;

	if (is_in_proc(dir))
		return true;
	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode) &&
	       st.st_uid == 0;
}

static int open_folder(int dir, const char *name)
{
	const int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
	int fd = openat(dir, name, flags | O_NOFOLLOW);

	/* On a link to a folder O_NOFOLLOW fails like this. */
	if (fd < 0 && errno == ENOTDIR && is_link_of_root(dir, name))
		fd = openat(dir, name, flags);
	return fd < 0 ? -errno : fd;
}

/* Walk to the folder of PATH, which is taken apart, and leave it in PLACE. */
static int walk(int from, char *path, struct place *place)
{
	char *rest = path, *part;
	int dir = open_folder(from, path[0] == '/' ? "/" : ".");

	while (dir >= 0 && (part = strsep(&rest, "/")) && rest) {
		int next = part[0] ? open_folder(dir, part) : dir;

		if (next != dir)
			close(dir);
		dir = next;
	}
	if (dir < 0)
		return dir;
	if (strlen(part) > NAME_MAX) {
		close(dir);
		return -ENAMETOOLONG;
	}
	strcpy(place->name, part);
	close_fd(&place->dir);
	place->dir = dir;
	return 0;
}

/* Find the place of FILE.  The caller closes place->dir, on -errno too. */
static int resolve(const char *file, struct place *place)
{
	char path[PATH_MAX];
	ssize_t length = (ssize_t)strlen(file);
	int r;

	*place = (struct place){ .dir = -1 };
	if (length >= (ssize_t)sizeof(path))
		return -ENAMETOOLONG;
	memcpy(path, file, (size_t)length + 1);
	for (int i = 0; i < MAX_LINKS; i++) {
		r = walk(place->dir < 0 ? AT_FDCWD : place->dir, path, place);
		if (r < 0)
			return r;
		length = readlinkat(place->dir, place->name, path, sizeof(path) - 1);
		if (length < 0)
			return 0; /* no link */
		if (!is_link_of_root(place->dir, place->name))
			break;
		path[length] = '\0';
		place->linked = true;
		place->descriptor = is_in_proc(place->dir);
		if (place->descriptor)
			return 0;
	}
	return -ELOOP;
}

/* One of ours is shared, with its offset and O_APPEND, not opened anew: what drupe or the
 * caller's shell writes there comes before or after the report, not in its place. */
static int open_descriptor(const struct place *place)
{
	struct stat ours, dir;
	int number = atoi(place->name);
	bool own = stat("/proc/self/fd", &ours) == 0 && fstat(place->dir, &dir) == 0 &&
		   ours.st_dev == dir.st_dev && ours.st_ino == dir.st_ino;

	if (own && (fcntl(number, F_GETFL) & O_ACCMODE) != O_RDONLY)
		return fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return openat(place->dir, place->name, FLAGS | O_APPEND);
}

/* A FIFO planted by a command would block us for ever, at open or at write; one behind
 * root's link is what the caller wants. */
static int open_file(const struct place *place)
{
	int fd = openat(place->dir, place->name, FLAGS | O_CREAT | O_TRUNC | O_NOFOLLOW,
			0666);
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0 ||
	    (!place->linked && !S_ISREG(st.st_mode) && !S_ISCHR(st.st_mode))) {
		close(fd);
		errno = EINVAL;
		return -1;
	}
	(void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

static int open_checked(const char *file, bool *ret_shared)
{
	struct place place;
	int r = resolve(file, &place);

	*ret_shared = place.descriptor;
	if (r == 0)
		r = fd_above_stdio(place.descriptor ? open_descriptor(&place)
						    : open_file(&place));
	close_fd(&place.dir);
	return r;
}

int report_open(const char *file, struct report *report, struct error *err)
{
	int fd;

	if (!file)
		return 0;
	fd = open_checked(file, &report->shared);
	if (fd >= 0) {
		report->file = file;
		report->fd = fd;
		return 0;
	}
	error_set(err, ERROR_USAGE, -fd, "--report \"%s\": %s", file, strerror(-fd));
	error_hint(err, fd == -ELOOP || fd == -ENOTDIR
				? "give a path without links: drupe follows none that "
				  "a command could have planted"
				: "give a file that can be written");
	return fd;
}

/* Whether what is at FILE now is what was opened. */
static bool is_there(const struct report *report)
{
	struct place place;
	struct stat opened, now;
	bool there = resolve(report->file, &place) == 0 &&
		     fstat(report->fd, &opened) == 0 &&
		     fstatat(place.dir, place.name, &now, AT_SYMLINK_NOFOLLOW) == 0 &&
		     opened.st_dev == now.st_dev && opened.st_ino == now.st_ino;

	close_fd(&place.dir);
	return there;
}

/* The command may have written to the file, if it could see it. */
static int rewrite(const struct report *report, const json_t *json)
{
	struct stat st;

	if (!report->shared && fstat(report->fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    ftruncate(report->fd, 0) < 0)
		return -errno;
	return json_write(report->fd, json);
}

int report_write(struct report *report, const json_t *json)
{
	bool there;
	int r;

	if (report->fd < 0)
		return 0;
	r = rewrite(report, json);
	there = report->shared || is_there(report);
	if (close(report->fd) < 0 && r == 0)
		r = -errno;
	report->fd = -1;
	if (r < 0)
		print_unwritten("the report", -r);
	else if (!there)
		fputs("drupe: the report is lost: its file was replaced or removed while "
		      "the command ran\n",
		      stderr);
	return r < 0 || there ? r : -ESTALE;
}
