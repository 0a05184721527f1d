/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "guard/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* R5: the launcher's gate releases on EOF, on a bad descriptor and on one that
 * does not block.  So it must be one blocking pipe, with both ends, the right way round.
 */
static int check_gate(int block, int sync)
{
	struct stat in, out;
	int flags = fcntl(block, F_GETFL);

	if (flags < 0 || fstat(block, &in) < 0 || fstat(sync, &out) < 0)
		return -errno;
	if ((flags & O_ACCMODE) != O_RDONLY || (flags & O_NONBLOCK) ||
	    !S_ISFIFO(in.st_mode))
		return -EBADF;
	flags = fcntl(sync, F_GETFL);
	if ((flags & O_ACCMODE) != O_WRONLY || (flags & O_NONBLOCK) ||
	    in.st_dev != out.st_dev || in.st_ino != out.st_ino)
		return -EBADF;
	return 0;
}

int guard_lay_descriptors(int block, int sync, const int *keep, size_t n_keep)
{
	bool has_block = false, has_sync = false;
	int r = check_gate(block, sync);

	if (r < 0)
		return r;
	if (syscall(SYS_close_range, 3, ~0U, 1U << 2 /* CLOSE_RANGE_CLOEXEC */) < 0)
		return -errno;
	for (size_t i = 0; i < n_keep; i++) {
		if (fcntl(keep[i], F_SETFD, 0) < 0)
			return -errno;
		has_block |= keep[i] == block;
		has_sync |= keep[i] == sync;
	}
	return has_block && has_sync ? 0 : -EBADF;
}
