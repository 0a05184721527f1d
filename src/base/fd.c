/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

int fd_above_stdio(int fd)
{
	int moved;

	if (fd < 0) /* never 0, which would be a descriptor */
		return errno > 0 ? -errno : -EBADF;
	if (fd > STDERR_FILENO)
		return fd;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (moved < 0)
		moved = -errno;
	close(fd);
	return moved;
}

int fd_pipe(int *ret_read, int *ret_write, struct error *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_set(err, ERROR_SYSTEM, errno, "cannot make a pipe: %s",
				 strerror(errno));
	ends[0] = fd_above_stdio(ends[0]);
	ends[1] = fd_above_stdio(ends[1]);
	if (ends[0] < 0 || ends[1] < 0) {
		int errnum = ends[0] < 0 ? -ends[0] : -ends[1];

		close_fd(&ends[0]);
		close_fd(&ends[1]);
		return error_set(err, ERROR_SYSTEM, errnum, "cannot make a pipe: %s",
				 strerror(errnum));
	}
	*ret_read = ends[0];
	*ret_write = ends[1];
	return 0;
}

int fd_data(const char *text, size_t length, int *ret_fd, struct error *err)
{
	_cleanup_close_ int fd = fd_above_stdio(memfd_create("drupe", MFD_CLOEXEC));
	size_t done = 0;

	if (fd < 0)
		return error_set(err, ERROR_SYSTEM, -fd, "cannot make a memory file: %s",
				 strerror(-fd));
	while (done < length) {
		ssize_t n = write(fd, text + done, length - done);

		if (n < 0 && errno != EINTR)
			return error_set(err, ERROR_SYSTEM, errno,
					 "cannot fill a memory file: %s",
					 strerror(errno));
		if (n > 0)
			done += (size_t)n;
	}
	if (lseek(fd, 0, SEEK_SET) < 0)
		return error_set(err, ERROR_SYSTEM, errno,
				 "cannot rewind a memory file: %s", strerror(errno));
	*ret_fd = take_fd(&fd);
	return 0;
}

ssize_t fd_pread(int fd, char *buffer, size_t size)
{
	size_t done = 0;

	while (done + 1 < size) {
		ssize_t n = pread(fd, buffer + done, size - 1 - done, (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	buffer[done] = '\0';
	return (ssize_t)done;
}

ssize_t fd_read_file(int dirfd, const char *path, char *buffer, size_t size)
{
	_cleanup_close_ int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return -errno;
	return fd_pread(fd, buffer, size);
}

int fd_sanitize_stdio(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		int null;

		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		/* The lowest free number is this one, since those below are open. */
		null = open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY);
		if (null < 0)
			return -errno;
	}
	return 0;
}
