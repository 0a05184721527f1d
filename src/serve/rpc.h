/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON-RPC 2.0 on two descriptors, one message a line: framing, queue, messages. */
#ifndef DRUPE_RPC_H
#define DRUPE_RPC_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/sink.h"

#define RPC_LINE_MAX ((size_t)1 << 20) /* bytes of a message; drupe-serve(7) */
#define RPC_ID_MAX 256		       /* bytes of an id that is a string */

/* The standard's codes (section 5.1), and ours. */
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
	int in; /* -1: at its end */
	struct sink out;
	char *line; /* what was read, up to `used`; the next message begins at `begin` */
	size_t begin, scanned, used;
	bool skipping; /* the rest of one that is too long */
	char *queue;   /* what waits to be written */
	size_t start, end, size;
};

/* A request as it came; the strings belong to MESSAGE. */
struct rpc_request {
	json_t *message; /* owned */
	json_t *id;	 /* NULL: a notification */
	const char *method;
	json_t *params; /* an object, or NULL */
};

int rpc_init(struct rpc *rpc, int in, int out);
void rpc_free(struct rpc *rpc);

/* Read once what is there.  0; -EPIPE at the end of the input. */
int rpc_read(struct rpc *rpc);

/*
 * The next request of what was read (free it with rpc_request_free).  What is not one is
 * answered with an error.  False: there is none.
 */
bool rpc_next(struct rpc *rpc, struct rpc_request *ret_request);
void rpc_request_free(struct rpc_request *request);

/* Queue a message, and release it. */
void rpc_send(struct rpc *rpc, json_t *message);
/* ID may be NULL: the error of what had none.  RESULT and DATA are released. */
void rpc_answer(struct rpc *rpc, json_t *id, json_t *result);
void rpc_refuse(struct rpc *rpc, json_t *id, enum rpc_code code, json_t *data,
		const char *format, ...) __attribute__((format(printf, 5, 6)));
void rpc_notify(struct rpc *rpc, const char *method, json_t *params);

/* How many bytes wait to be written. */
size_t rpc_waiting(const struct rpc *rpc);
/* Write what can be written now.  0, or -EPIPE and the like: nobody reads any more. */
int rpc_flush(struct rpc *rpc);

#endif
