/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/fd.h"

#define FLAGS (O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY)

/* Whether NAME in DIR is a link made by root or the kernel. */
static bool is_link_of_root(int dir, const char *name)
{
	struct statfs fs;
	struct stat st;

	if (fstatfs(dir, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC)
		return true;
	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode) &&
	       st.st_uid == 0;
}

/* *ret_link: NAME was one of root's links. */
static int open_part(int dir, const char *name, int flags, bool *ret_link)
{
	int fd = openat(dir, name, flags | O_NOFOLLOW, 0666);

	*ret_link = false;
	/* O_NOFOLLOW fails with ENOTDIR on a link to a directory, else with ELOOP. */
	if (fd < 0 && (errno == ELOOP || errno == ENOTDIR) &&
	    is_link_of_root(dir, name)) {
		fd = openat(dir, name, flags, 0666);
		*ret_link = true;
	}
	return fd;
}

/* A FIFO planted by a command would block us for ever, at open or at write; one behind
 * root's link (/dev/stdout) is what the caller wants. */
static int open_last(int dir, const char *name)
{
	bool link;
	int fd = fd_above_stdio(open_part(dir, name, FLAGS | O_NONBLOCK, &link));
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0 ||
	    (!link && !S_ISREG(st.st_mode) && !S_ISCHR(st.st_mode))) {
		close(fd);
		return -EINVAL;
	}
	(void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

static int open_checked(const char *file)
{
	char path[PATH_MAX], *rest = path, *part;
	_cleanup_close_ int dir = -1;
	bool link;

	size_t length = strlen(file);

	if (length >= sizeof(path))
		return -ENAMETOOLONG;
	memcpy(path, file, length + 1);
	dir = open(path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	while (dir >= 0 && (part = strsep(&rest, "/")) && rest) {
		int next;

		if (part[0] == '\0')
			continue;
		next = open_part(dir, part, O_PATH | O_DIRECTORY | O_CLOEXEC, &link);
		if (next < 0)
			return -errno;
		close_fd(&dir);
		dir = next;
	}
	if (dir < 0)
		return -errno;
	return open_last(dir, part);
}

int report_open(const char *file, int *ret_fd, struct error *err)
{
	int fd;

	if (!file)
		return 0;
	fd = open_checked(file);
	if (fd >= 0) {
		*ret_fd = fd;
		return 0;
	}
	error_set(err, ERROR_USAGE, -fd, "--report \"%s\": %s", file, strerror(-fd));
	error_hint(err, fd == -ELOOP || fd == -ENOTDIR
				? "give a path without links: drupe follows none that "
				  "a command could have planted"
				: "give a file that can be written");
	return fd;
}
