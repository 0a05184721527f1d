/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing to the caller's descriptor without blocking, and without changing its flags
 * for others that have it open. */
#ifndef DRUPE_SINK_H
#define DRUPE_SINK_H

#include <stdbool.h>
#include <sys/types.h>

enum sink_kind { SINK_NONE, SINK_PIPE, SINK_SOCKET, SINK_TERMINAL, SINK_FILE };

struct sink {
	int fd;	  /* -1: nowhere */
	bool own; /* closed by sink_close */
	enum sink_kind kind;
	bool chunked; /* a long write may block although poll reported room */
};

#define SINK_INIT        \
	{                \
		.fd = -1 \
	}

/* Write to FD, which stays the caller's; -1: nowhere. */
struct sink sink_open(int fd);

/* Write to FD, a pipe end of which the sink takes ownership. */
struct sink sink_take_pipe(int fd);

/* Write what there is room for, and never wait for more: -1 and EAGAIN.  Returns as
 * write(2). */
ssize_t sink_write(const struct sink *sink, const char *data, size_t length);

void sink_close(struct sink *sink);

#endif
