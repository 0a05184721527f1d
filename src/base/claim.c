/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TRIES 1000
#define PAUSE_NS 1000000

static int lock(int fd, int parent, const char *name, int operation)
{
	struct stat held, named;

	if (flock(fd, operation | LOCK_NB) < 0 || fstat(fd, &held) < 0)
		return -errno;
	if (fstatat(parent, name, &named, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? -EAGAIN : -errno;
	return held.st_dev == named.st_dev && held.st_ino == named.st_ino ? 0 : -EAGAIN;
}

int claim_take(int parent, const char *name, int operation)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int r = fd < 0 ? -errno : lock(fd, parent, name, operation);

	if (r == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return r;
}

/* AGAIN: the previous try's folder may remain if a sweeper locked but could not remove
 * it. */
static int try_make(const char *path, mode_t mode, bool again)
{
	struct stat st;
	int fd;

	if (mkdir(path, mode) < 0) {
		if (errno != EEXIST || !again)
			return -errno;
	} else if (chmod(path, mode) < 0) { /* regardless of the umask */
		return errno == ENOENT ? -EAGAIN : -errno;
	}
	fd = claim_take(AT_FDCWD, path, LOCK_SH);
	if (fd < 0)
		return fd == -ENOENT ? -EAGAIN : fd;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid())
		return fd;
	close(fd);
	return -EPERM;
}

int claim_make(const char *path, mode_t mode, int *ret_lock)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	int fd = try_make(path, mode, false);

	for (int i = 1; fd == -EAGAIN && i < TRIES; i++) {
		nanosleep(&pause, NULL);
		fd = try_make(path, mode, true);
	}
	if (fd < 0)
		return fd;
	*ret_lock = fd;
	return 0;
}
