/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "guard/tmp.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TMP_TRIES 1000

/* -EAGAIN: someone who sweeps leftovers came before the lock, and removed it. */
static int try_tmp(const char *path, int *ret_lock)
{
	struct stat made, named;

	if (mkdir(path, 0700) < 0)
		return -errno;
	if (chmod(path, 0700) < 0)
		return errno == ENOENT ? -EAGAIN : -errno;
	*ret_lock = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*ret_lock < 0)
		return errno == ENOENT ? -EAGAIN : -errno;
	if (flock(*ret_lock, LOCK_SH | LOCK_NB) < 0)
		return -errno;
	if (fstat(*ret_lock, &made) < 0 || lstat(path, &named) < 0 ||
	    made.st_ino != named.st_ino)
		return -EAGAIN;
	return made.st_uid == geteuid() ? 0 : -EPERM;
}

/* Made here and not by the executor, so that from its first moment on there is
 * someone who will remove it. */
int guard_tmp_make(const char *path, int place, int *ret_lock)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	int r = -EAGAIN;

	*ret_lock = -1;
	for (int i = 0; i < TMP_TRIES; i++) {
		r = try_tmp(path, ret_lock);
		/* One that is on its way out by a sweeper's hand may still be there. */
		if (r != -EAGAIN && (r != -EEXIST || i == 0))
			break;
		if (*ret_lock >= 0)
			close(*ret_lock);
		*ret_lock = -1;
		nanosleep(&pause, NULL);
	}
	if (r == 0 && place >= 0 && dup2(*ret_lock, place) < 0)
		return -errno;
	return r;
}
