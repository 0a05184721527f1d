/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/rmtree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

/*
 * One removal in progress.  A directory below a first-level one is moved to the top and
 * given a number as its name before it is emptied, so that two descriptors suffice for
 * a tree of any depth.
 */
struct removal {
	int top;
	unsigned long moved; /* names given so far */
	int error;	     /* first failure, -errno */
	int64_t deadline;
};

/* Asked after each step: one is taken however late it is. */
static bool is_late(const struct removal *removal)
{
	return removal->deadline != INT64_MAX && clock_now() >= removal->deadline;
}

static void note(struct removal *removal, int errnum)
{
	if (!removal->error && errnum != ENOENT)
		removal->error = -errnum;
}

/* Open a directory that may have mode 000, without following a link.  Owner bits
 * are restored through /proc, since fchmod refuses an O_PATH descriptor. */
static int open_writable(int parent, const char *name)
{
	char path[64];
	int fd = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && (st.st_mode & 0700) != 0700) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		(void)chmod(path, 0700); /* the open below fails if this did */
	}
	close(fd);
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static DIR *open_listing(int parent, const char *name)
{
	int fd = open_writable(parent, name);
	DIR *dir;

	if (fd < 0) {
		errno = -fd;
		return NULL;
	}
	dir = fdopendir(fd);
	if (!dir)
		close(fd);
	return dir;
}

static bool is_dot(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* By system call number: not every libc has a wrapper. */
static int move(int from, const char *name, int to, const char *new_name)
{
	return (int)syscall(SYS_renameat2, from, name, to, new_name, 1U << 0
			    /* RENAME_NOREPLACE of linux/fs.h */);
}

/* unlink reports a directory as EISDIR, or EPERM when that check comes first (another
 * user's directory in a sticky folder). */
static bool may_be_directory(int parent, const char *name, int errnum)
{
	struct stat st;

	return errnum == EISDIR ||
	       (errnum == EPERM && fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		S_ISDIR(st.st_mode));
}

/* Move the directory NAME of PARENT to the top under a fresh number. */
static void move_up(struct removal *removal, int parent, const char *name)
{
	for (;;) {
		char to[32];
		int fd;

		snprintf(to, sizeof(to), "%lu", removal->moved++);
		if (move(parent, name, removal->top, to) == 0)
			return;
		if (errno == EEXIST)
			continue;
		/* Moving a directory rewrites its "..", so it must be writable itself. */
		fd = errno == EACCES ? open_writable(parent, name) : -1;
		if (fd < 0) {
			note(removal, errno);
			return;
		}
		close(fd);
		if (move(parent, name, removal->top, to) < 0)
			note(removal, errno);
		return;
	}
}

/* Empty a first-level directory: files go, directories move up. */
static void empty_directory(struct removal *removal, const char *name)
{
	DIR *dir = open_listing(removal->top, name);
	struct dirent *entry;

	if (!dir) {
		note(removal, errno);
		return;
	}
	while ((entry = readdir(dir))) {
		if (is_dot(entry->d_name))
			continue;
		if (unlinkat(dirfd(dir), entry->d_name, 0) < 0) {
			int errnum = errno;

			if (may_be_directory(dirfd(dir), entry->d_name, errnum))
				move_up(removal, dirfd(dir), entry->d_name);
			else
				note(removal, errnum);
		}
		if (is_late(removal))
			break;
	}
	closedir(dir);
}

/* An entry of the top directory.  True: it is gone. */
static bool remove_entry(struct removal *removal, const char *name)
{
	int errnum;

	if (unlinkat(removal->top, name, 0) == 0)
		return true;
	errnum = errno;
	if (!may_be_directory(removal->top, name, errnum)) {
		note(removal, errnum);
		return false;
	}
	empty_directory(removal, name);
	if (unlinkat(removal->top, name, AT_REMOVEDIR) == 0)
		return true;
	note(removal, errno);
	return false;
}

/* One pass over the top directory; returns the number of entries removed. */
static unsigned long remove_entries(struct removal *removal, DIR *top)
{
	unsigned long gone = 0;
	struct dirent *entry;

	rewinddir(top);
	while ((entry = readdir(top))) {
		if (is_dot(entry->d_name))
			continue;
		gone += remove_entry(removal, entry->d_name);
		if (is_late(removal))
			break;
	}
	return gone;
}

int rmtree_until(int parent, const char *name, int64_t deadline)
{
	DIR *top = open_listing(parent, name);
	struct removal removal = { .top = -1, .deadline = deadline };
	unsigned long before;
	bool late;

	if (!top)
		return errno == ENOENT ? 0 : -errno;
	/* Past the names that an earlier call gave and may have left. */
	if (deadline != INT64_MAX)
		removal.moved = (unsigned long)clock_now();
	removal.top = dirfd(top);
	/* A pass may not list the directories that it moved up. */
	do {
		before = removal.moved;
		removal.error = 0;
	} while ((remove_entries(&removal, top) > 0 || removal.moved > before) &&
		 !is_late(&removal));
	late = is_late(&removal);
	closedir(top);
	if (unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
		return 0;
	if (late)
		return -ETIMEDOUT;
	return removal.error ? removal.error : -errno;
}

int rmtree_at(int parent, const char *name)
{
	return rmtree_until(parent, name, INT64_MAX);
}
