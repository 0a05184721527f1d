/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One standard stream of the command, always a pipe of ours: the caller's descriptor
 * could be reopened from inside through /proc/self/fd.  Bytes are captured, passed on, or
 * both; no step blocks on a slow or stuck peer.
 */
#ifndef DRUPE_STREAM_H
#define DRUPE_STREAM_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/sink.h"
#include "run/capture.h"

#define STREAM_BUFFER ((size_t)64 << 10)

/* Sees the bytes of stream NUMBER (0: stdout, 1: stderr) as they come. */
typedef void (*stream_tap)(void *data, int number, const char *bytes, size_t length);

struct stream {
	int source;		 /* where bytes come from; -1: ended */
	struct sink sink;	 /* where they go when passed on */
	struct capture *capture; /* NULL: not captured */
	stream_tap tap;		 /* NULL: none */
	void *tap_data;
	int number;
	uint64_t limit;	 /* bytes to pass on, UINT64_MAX: all */
	uint64_t left;	 /* bytes to read, UINT64_MAX: until its end */
	uint64_t bytes;	 /* read */
	uint64_t passed; /* accepted for passing on */
	char *buffer;
	size_t start, end; /* the part of the buffer that waits for the sink */
	int sink_errno;	   /* the sink failed for good */
};

#define STREAM_NONE                                                                      \
	{                                                                                \
		.source = -1, .sink = SINK_INIT, .limit = UINT64_MAX, .left = UINT64_MAX \
	}

/* Take what comes from SOURCE (ours; owned), and pass it on to SINK (the caller's; not
 * owned; -1: nowhere).  Capture and tap are set by the caller. */
int stream_take(struct stream *stream, int source, int sink, uint64_t limit,
		struct error *err);
/* Feed SINK (ours; owned) from SOURCE (the caller's; not owned). */
int stream_feed(struct stream *stream, int source, int sink, struct error *err);
/* The one descriptor to wait for, and for what; fd -1: nothing to do. */
struct pollfd stream_poll(const struct stream *stream);

/* Do what can be done now without waiting.  0, or -EPIPE and the like when the sink
 * is gone (sink_errno says it too; what comes later is dropped). */
int stream_step(struct stream *stream);

/* The command is dead: what the pipe holds now is all that is its own.  A process that
 * was given the other end could go on writing. */
void stream_finish(struct stream *stream);

/* Whether the source has ended and all of it was passed on. */
bool stream_done(const struct stream *stream);

void stream_close(struct stream *stream);

#endif
