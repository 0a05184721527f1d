/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "base/fd.h"

/* Reopen the caller's pipe or terminal for an open file description of our own, as in
 * sink_open.  A file must be read at the caller's offset, and does not block. */
static int reopen(int fd)
{
	char path[64];
	struct stat st;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
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
	fresh.sink = sink_open(sink);
	fresh.limit = limit;
	(void)set_nonblocking(source);
	return start(stream, fresh, err);
}

int stream_feed(struct stream *stream, int source, int sink, struct error *err)
{
	struct stream fresh = STREAM_NONE;
	int own = reopen(source);

	if (own >= 0)
		own = fd_above_stdio(own);
	fresh.source = own >= 0 ? own : fcntl(source, F_DUPFD_CLOEXEC, 3);
	if (fresh.source < 0)
		return error_set(err, ERROR_SYSTEM, errno, "cannot read stdin: %s",
				 strerror(errno));
	fresh.sink = sink_take_pipe(sink);
	return start(stream, fresh, err);
}

static bool has_pending(const struct stream *stream)
{
	return stream->start < stream->end;
}

struct pollfd stream_poll(const struct stream *stream)
{
	if (has_pending(stream))
		return (struct pollfd){ .fd = stream->sink.fd, .events = POLLOUT };
	return (struct pollfd){ .fd = stream->source, .events = POLLIN };
}

bool stream_done(const struct stream *stream)
{
	return stream->source < 0 && !has_pending(stream);
}

static void drop_sink(struct stream *stream, int errnum)
{
	stream->sink_errno = errnum;
	stream->passed -= stream->end - stream->start;
	stream->start = stream->end = 0;
	sink_close(&stream->sink);
}

static int flush(struct stream *stream)
{
	ssize_t n = sink_write(&stream->sink, stream->buffer + stream->start,
			       stream->end - stream->start);

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
	if (stream->sink.fd < 0)
		return; /* drained, so that the command does not block on it */
	stream->passed += n;
	stream->start = 0;
	stream->end = n;
}

static void at_end(struct stream *stream)
{
	close_fd(&stream->source);
}

void stream_finish(struct stream *stream)
{
	int held;

	if (stream->source < 0 || ioctl(stream->source, FIONREAD, &held) < 0)
		return;
	stream->left = (uint64_t)held;
	if (held == 0)
		at_end(stream);
}

/* At most one buffer; 0 at the end. */
static ssize_t read_source(struct stream *stream)
{
	size_t room = stream->left < STREAM_BUFFER ? (size_t)stream->left : STREAM_BUFFER;
	ssize_t n = room ? read(stream->source, stream->buffer, room) : 0;

	if (n > 0 && stream->left != UINT64_MAX)
		stream->left -= (uint64_t)n;
	return n;
}

int stream_step(struct stream *stream)
{
	ssize_t n;
	int r = 0;

	if (has_pending(stream))
		return flush(stream);
	if (stream->source < 0)
		return 0;
	n = read_source(stream);
	if (n > 0)
		accept_bytes(stream, (size_t)n);
	else if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0 || stream->left == 0)
		at_end(stream);
	if (has_pending(stream))
		r = flush(stream);
	return r;
}

void stream_close(struct stream *stream)
{
	close_fd(&stream->source);
	sink_close(&stream->sink);
	free(stream->buffer);
	stream->buffer = NULL;
}
