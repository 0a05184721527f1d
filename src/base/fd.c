/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

int fd_above_stdio(int fd)
{
	int moved;

	if (fd < 0) /* never 0, which is a valid descriptor */
		return errno > 0 ? -errno : -EBADF;
	if (fd > STDERR_FILENO)
		return fd;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (moved < 0)
		moved = -errno;
	close(fd);
	return moved;
}

static int raise_both(const int ends[2], int *ret_first, int *ret_second,
		      const char *what, struct error *err)
{
	int first = fd_above_stdio(ends[0]), second = fd_above_stdio(ends[1]);
	int r = first < 0 ? first : second < 0 ? second : 0;

	if (r == 0) {
		*ret_first = first;
		*ret_second = second;
		return 0;
	}
	close_fd(&first);
	close_fd(&second);
	return error_set(err, ERROR_SYSTEM, -r, "cannot make a %s: %s", what,
			 strerror(-r));
}

int fd_pipe(int *ret_read, int *ret_write, struct error *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_set(err, ERROR_SYSTEM, errno, "cannot make a pipe: %s",
				 strerror(errno));
	return raise_both(ends, ret_read, ret_write, "pipe", err);
}

int fd_lifeline(int *ret_ours, int *ret_other, struct error *err)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return error_set(err, ERROR_SYSTEM, errno, "cannot make a socket: %s",
				 strerror(errno));
	return raise_both(ends, ret_ours, ret_other, "socket", err);
}

int fd_null(int flags, int *ret_fd, struct error *err)
{
	int fd = fd_above_stdio(open("/dev/null", flags | O_CLOEXEC));

	if (fd < 0)
		return error_set(err, ERROR_SYSTEM, -fd, "cannot open /dev/null: %s",
				 strerror(-fd));
	*ret_fd = fd;
	return 0;
}

DIR *fd_listing(int dirfd, const char *path)
{
	int fd = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir)
		close_fd(&fd);
	return dir;
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
		/* All lower numbers are open, so open() returns this one. */
		null = open("/dev/null", O_RDONLY);
		if (null < 0)
			return -errno;
	}
	return 0;
}
