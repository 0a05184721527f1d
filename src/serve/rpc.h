/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON-RPC 2.0 on two descriptors, one message per line: framing, queue, messages. */
#ifndef DRUPE_RPC_H
#define DRUPE_RPC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/json.h"
#include "base/sink.h"

#define RPC_LINE_MAX ((size_t)1 << 20) /* bytes of a message; drupe-serve(7) */
#define RPC_ID_MAX 256		       /* bytes of an id that is a string */

/* The standard's codes, then ours. */
enum rpc_code {
	RPC_PARSE_ERROR = -32700,
	RPC_INVALID_REQUEST = -32600,
	RPC_METHOD_NOT_FOUND = -32601,
	RPC_INVALID_PARAMS = -32602,
	RPC_INTERNAL_ERROR = -32603,
	RPC_REFUSED = -32000, /* data: the refusal object */
	RPC_NO_SESSION = -32001,
	RPC_NO_RUN = -32002,
};

struct rpc {
	int in; /* -1: closed */
	struct sink out;
	char *line; /* input up to `used`; the next message starts at `begin` */
	size_t begin, scanned, used;
	bool skipping; /* the rest of a line that is too long */
	char *queue;   /* output that waits */
	size_t start, end, size;
	bool lost; /* a message was lost: out of memory */
};

/* A request of the protocol as it came; the strings belong to MESSAGE. */
struct rpc_call {
	json_t *message; /* owned */
	json_t *id;	 /* NULL: a notification */
	const char *method;
	json_t *params; /* an object, or NULL */
};

int rpc_init(struct rpc *rpc, int in, int out);
void rpc_free(struct rpc *rpc);

/* Read once.  0, or -EPIPE at the end of input. */
int rpc_read(struct rpc *rpc);

/*
 * Take the next request from what was read (free it with rpc_call_free).  Anything else
 * is answered with an error.  False: there is none.
 */
bool rpc_next(struct rpc *rpc, struct rpc_call *ret_call);
void rpc_call_free(struct rpc_call *call);

/* Queue a message; RESULT, DATA and PARAMS are freed.  ID may be NULL, for an error.  A
 * result or a refusal that is NULL (out of memory) becomes an error; when even that
 * fails, rpc_flush says so. */
void rpc_answer(struct rpc *rpc, json_t *id, json_t *result);
void rpc_refuse(struct rpc *rpc, json_t *id, enum rpc_code code, json_t *data,
		const char *format, ...) __attribute__((format(printf, 5, 6)));
void rpc_notify(struct rpc *rpc, const char *method, json_t *params);

/* How many bytes wait to be written. */
size_t rpc_waiting(const struct rpc *rpc);
/* Write what can be written now.  0; -ENOMEM: a message was lost, and the client would
 * wait for it; -EPIPE and the like: the reader is gone. */
int rpc_flush(struct rpc *rpc);

#endif
