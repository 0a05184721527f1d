/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing to a descriptor of the caller's without blocking on it, and without changing
 * it for others that have it open. */
#ifndef DRUPE_SINK_H
#define DRUPE_SINK_H

#include <stdbool.h>
#include <sys/types.h>

enum sink_kind { SINK_NONE, SINK_PIPE, SINK_SOCKET, SINK_TERMINAL, SINK_FILE };

struct sink {
	int fd;	  /* -1: nowhere */
	bool own; /* closed by sink_close */
	enum sink_kind kind;
	bool chunked; /* it may block: small writes, each after a poll */
};

#define SINK_INIT        \
	{                \
		.fd = -1 \
	}

/* Write to FD, which stays the caller's; -1: nowhere. */
struct sink sink_open(int fd);

/* Write to FD, a pipe's end that is ours from now on. */
struct sink sink_take_pipe(int fd);

/* What write(2) returns, for as much of DATA as can be written after a poll. */
ssize_t sink_write(const struct sink *sink, const char *data, size_t length);

void sink_close(struct sink *sink);

#endif
