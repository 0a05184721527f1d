/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "fd.h"

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

/* A description of our own of the caller's pipe or terminal, so that O_NONBLOCK is
 * set on it alone.  It may belong to another user: then -1. */
static int reopen(int fd, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static int set_nonblocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ? -errno : 0;
}

static int start(struct stream *stream, struct stream fresh, struct error *err)
{
	fresh.buffer = malloc(STREAM_BUFFER);
	if (!fresh.buffer)
		return error_set(err, ERROR_SYSTEM, ENOMEM, "out of memory for a stream");
	*stream = fresh;
	return 0;
}

int stream_take(struct stream *stream, int source, int sink, uint64_t limit,
		struct error *err)
{
	struct stream fresh = STREAM_NONE;

	fresh.source = source;
	fresh.sink = sink;
	fresh.limit = limit;
	fresh.kind = kind_of(sink);
	if (fresh.kind == SINK_PIPE || fresh.kind == SINK_TERMINAL) {
		int own = fd_above_stdio(reopen(sink, O_WRONLY));

		fresh.own_sink = own >= 0;
		fresh.chunked = own < 0;
		if (own >= 0)
			fresh.sink = own;
	}
	(void)set_nonblocking(source);
	return start(stream, fresh, err);
}

int stream_feed(struct stream *stream, int source, int sink, struct error *err)
{
	struct stream fresh = STREAM_NONE;
	int own = fd_above_stdio(reopen(source, O_RDONLY));

	/* A file must be read from the caller's own offset, and does not block. */
	if (own >= 0 && kind_of(source) == SINK_FILE)
		own = close_fd(&own);
	fresh.source = own >= 0 ? own : fcntl(source, F_DUPFD_CLOEXEC, 3);
	if (fresh.source < 0)
		return error_set(err, ERROR_SYSTEM, errno, "cannot read stdin: %s",
				 strerror(errno));
	fresh.sink = sink;
	fresh.own_sink = true;
	fresh.kind = SINK_PIPE;
	(void)set_nonblocking(sink);
	return start(stream, fresh, err);
}

static bool has_pending(const struct stream *stream)
{
	return stream->start < stream->end;
}

struct pollfd stream_poll(const struct stream *stream)
{
	if (has_pending(stream))
		return (struct pollfd){ .fd = stream->sink, .events = POLLOUT };
	return (struct pollfd){ .fd = stream->source, .events = POLLIN };
}

bool stream_done(const struct stream *stream)
{
	return stream->source < 0 && !has_pending(stream);
}

static void drop_sink(struct stream *stream, int errnum)
{
	stream->sink_errno = errnum;
	stream->start = stream->end = 0;
	if (stream->own_sink)
		close_fd(&stream->sink);
	stream->sink = -1;
}

static ssize_t write_some(const struct stream *stream)
{
	const char *data = stream->buffer + stream->start;
	size_t n = stream->end - stream->start;

	if (stream->kind == SINK_SOCKET)
		return send(stream->sink, data, n, MSG_DONTWAIT | MSG_NOSIGNAL);
	/* After POLLOUT a pipe takes PIPE_BUF bytes at once (pipe(7)). */
	if (stream->chunked && stream->kind == SINK_PIPE && n > PIPE_BUF)
		n = PIPE_BUF;
	if (stream->chunked && stream->kind == SINK_TERMINAL && n > TERMINAL_CHUNK)
		n = TERMINAL_CHUNK;
	return write(stream->sink, data, n);
}

static int flush(struct stream *stream)
{
	ssize_t n = write_some(stream);

	if (n > 0) {
		stream->start += (size_t)n;
		return 0;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	drop_sink(stream, n < 0 ? errno : EIO);
	return -stream->sink_errno;
}

static void accept_bytes(struct stream *stream, size_t n)
{
	uint64_t room = stream->limit - stream->passed;

	stream->bytes += n;
	if (stream->capture)
		capture_add(stream->capture, stream->buffer, n);
	if (stream->tap)
		stream->tap(stream->tap_data, stream->number, stream->buffer, n);
	if (n > room)
		n = (size_t)room;
	if (stream->sink < 0)
		return; /* drained, so that the command does not block on it */
	stream->passed += n;
	stream->start = 0;
	stream->end = n;
}

static void at_end(struct stream *stream)
{
	close_fd(&stream->source);
}

int stream_step(struct stream *stream)
{
	ssize_t n;
	int r = 0;

	if (has_pending(stream))
		return flush(stream);
	if (stream->source < 0)
		return 0;
	n = read(stream->source, stream->buffer, STREAM_BUFFER);
	if (n > 0)
		accept_bytes(stream, (size_t)n);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		at_end(stream);
	if (has_pending(stream) && !stream->chunked)
		r = flush(stream);
	return r;
}

void stream_close(struct stream *stream)
{
	close_fd(&stream->source);
	if (stream->own_sink)
		close_fd(&stream->sink);
	stream->sink = -1;
	free(stream->buffer);
	stream->buffer = NULL;
}
