/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/fd.h"

/* A terminal may report room and still block on a longer write. */
#define TERMINAL_CHUNK 256

static enum sink_kind kind_of(int fd)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return SINK_NONE;
	if (S_ISFIFO(st.st_mode))
		return SINK_PIPE;
	if (S_ISSOCK(st.st_mode))
		return SINK_SOCKET;
	return isatty(fd) ? SINK_TERMINAL : SINK_FILE;
}

struct sink sink_open(int fd)
{
	struct sink sink = { .fd = fd, .kind = kind_of(fd) };
	char path[64];
	int own;

	if (sink.kind != SINK_PIPE && sink.kind != SINK_TERMINAL)
		return sink;
	/* Reopen the pipe or terminal, so that O_NONBLOCK applies to our description
	 * alone.  This fails if it belongs to another user, as after setpriv or sudo. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	own = fd_above_stdio(open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
	sink.own = own >= 0;
	sink.chunked = own < 0;
	if (own >= 0)
		sink.fd = own;
	return sink;
}

struct sink sink_take_pipe(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags >= 0)
		(void)fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	return (struct sink){ .fd = fd, .own = true, .kind = SINK_PIPE };
}

/* Only poll can tell: an error is for write to report. */
static bool has_room(int fd)
{
	struct pollfd out = { .fd = fd, .events = POLLOUT };

	return poll(&out, 1, 0) > 0;
}

ssize_t sink_write(const struct sink *sink, const char *data, size_t length)
{
	if (sink->kind == SINK_SOCKET)
		return send(sink->fd, data, length, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (!sink->own && !has_room(sink->fd)) {
		errno = EAGAIN;
		return -1;
	}
	/* After POLLOUT a pipe takes PIPE_BUF bytes at once (pipe(7)). */
	if (sink->chunked && sink->kind == SINK_PIPE && length > PIPE_BUF)
		length = PIPE_BUF;
	if (sink->chunked && sink->kind == SINK_TERMINAL && length > TERMINAL_CHUNK)
		length = TERMINAL_CHUNK;
	return write(sink->fd, data, length);
}

void sink_close(struct sink *sink)
{
	if (sink->own)
		close_fd(&sink->fd);
	sink->fd = -1;
	sink->own = false;
}
