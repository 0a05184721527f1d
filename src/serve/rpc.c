/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "serve/rpc.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/utf8.h"

int rpc_init(struct rpc *rpc, int in, int out)
{
	*rpc = (struct rpc){ .in = in, .out = sink_open(out) };
	rpc->line = malloc(RPC_LINE_MAX + 1);
	return rpc->line ? 0 : -ENOMEM;
}

void rpc_free(struct rpc *rpc)
{
	sink_close(&rpc->out);
	free(rpc->line);
	free(rpc->queue);
	rpc->line = rpc->queue = NULL;
}

/* ---- out ---- */

static char *make_room(struct rpc *rpc, size_t length)
{
	size_t used = rpc->end - rpc->start;

	if (rpc->start > 0 && (used == 0 || rpc->size - rpc->end < length)) {
		memmove(rpc->queue, rpc->queue + rpc->start, used);
		rpc->start = 0;
		rpc->end = used;
	}
	if (rpc->size - rpc->end < length) {
		size_t size = (rpc->end + length) * 2;
		char *queue = realloc(rpc->queue, size);

		if (!queue)
			return NULL;
		rpc->queue = queue;
		rpc->size = size;
	}
	return rpc->queue + rpc->end;
}

static void queue(struct rpc *rpc, json_t *message)
{
	_cleanup_free_ char *line = json_line(message);
	size_t length = line ? strlen(line) : 0;
	char *room = line ? make_room(rpc, length + 1) : NULL;

	json_decref(message);
	if (!room) {
		rpc->lost = true;
		return;
	}
	memcpy(room, line, length);
	room[length] = '\n';
	rpc->end += length + 1;
}

static json_t *answer(json_t *id)
{
	json_t *message = json_object();

	json_put(&message, "jsonrpc", json_text("2.0"));
	json_put(&message, "id", id ? json_incref(id) : json_null());
	return message;
}

void rpc_answer(struct rpc *rpc, json_t *id, json_t *result)
{
	json_t *message;

	if (!result) {
		rpc_refuse(rpc, id, RPC_INTERNAL_ERROR, NULL, "out of memory");
		return;
	}
	message = answer(id);
	json_put(&message, "result", result);
	queue(rpc, message);
}

void rpc_refuse(struct rpc *rpc, json_t *id, enum rpc_code code, json_t *data,
		const char *format, ...)
{
	json_t *message = answer(id), *error = json_object();
	char text[2048];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (code == RPC_REFUSED && !data)
		code = RPC_INTERNAL_ERROR; /* out of memory */
	json_put(&error, "code", json_integer(code));
	json_put(&error, "message", json_text(text));
	if (data)
		json_put(&error, "data", data);
	json_put(&message, "error", error);
	queue(rpc, message);
}

void rpc_notify(struct rpc *rpc, const char *method, json_t *params)
{
	json_t *message = json_object();

	json_put(&message, "jsonrpc", json_text("2.0"));
	json_put(&message, "method", json_text(method));
	json_put(&message, "params", params);
	queue(rpc, message);
}

size_t rpc_waiting(const struct rpc *rpc)
{
	return rpc->end - rpc->start;
}

int rpc_flush(struct rpc *rpc)
{
	if (rpc->lost)
		return -ENOMEM;
	while (rpc->start < rpc->end) {
		ssize_t n = sink_write(&rpc->out, rpc->queue + rpc->start,
				       rpc->end - rpc->start);

		if (n < 0)
			return errno == EAGAIN || errno == EINTR ? 0 : -errno;
		rpc->start += (size_t)n;
	}
	if (rpc->start == rpc->end && rpc->size > RPC_LINE_MAX) {
		free(rpc->queue);
		rpc->queue = NULL;
		rpc->start = rpc->end = rpc->size = 0;
	}
	return 0;
}

/* ---- in ---- */

int rpc_read(struct rpc *rpc)
{
	ssize_t n;

	/* Keep what rpc_next left: the beginning of a message, or nothing. */
	memmove(rpc->line, rpc->line + rpc->begin, rpc->used - rpc->begin);
	rpc->used -= rpc->begin;
	rpc->scanned -= rpc->begin;
	rpc->begin = 0;
	n = read(rpc->in, rpc->line + rpc->used, RPC_LINE_MAX + 1 - rpc->used);
	if (n > 0)
		rpc->used += (size_t)n;
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		return -EPIPE;
	return 0;
}

/* Whether a request may have this ID. */
static bool is_id(const json_t *id)
{
	return json_is_integer(id) ||
	       (json_is_string(id) && json_string_length(id) <= RPC_ID_MAX);
}

/* A member that is a string without a NUL. */
static const char *text_of(const json_t *message, const char *name)
{
	const json_t *value = json_object_get(message, name);
	const char *text = json_string_value(value);

	return text && strlen(text) == json_string_length(value) ? text : NULL;
}

/* Take a message apart.  False: an error was sent. */
static bool take_message(struct rpc *rpc, json_t *message, struct rpc_call *call)
{
	json_t *id = json_object_get(message, "id");
	const char *version = text_of(message, "jsonrpc");
	const char *method = text_of(message, "method");
	json_t *params = json_object_get(message, "params");
	json_t *told = is_id(id) ? id : NULL;

	if (!json_is_object(message))
		rpc_refuse(rpc, NULL, RPC_INVALID_REQUEST, NULL, "%s",
			   json_is_array(message)
				   ? "no batches: send one message per line"
				   : "a request must be an object");
	else if (!version || strcmp(version, "2.0") != 0)
		rpc_refuse(rpc, told, RPC_INVALID_REQUEST, NULL,
			   "jsonrpc must be \"2.0\"");
	else if (id && !told)
		rpc_refuse(rpc, NULL, RPC_INVALID_REQUEST, NULL,
			   "id must be an integer, or a string of at most %d bytes",
			   RPC_ID_MAX);
	else if (!method)
		rpc_refuse(rpc, told, RPC_INVALID_REQUEST, NULL,
			   "method must be a string");
	else if (!id && params && !json_is_object(params))
		return false; /* a notification gets no answer */
	else if (params && json_is_array(params))
		rpc_refuse(rpc, told, RPC_INVALID_PARAMS, NULL,
			   "params must be an object: they have names");
	else if (params && !json_is_object(params))
		rpc_refuse(rpc, told, RPC_INVALID_REQUEST, NULL,
			   "params must be an object");
	else {
		*call = (struct rpc_call){ message, id, method, params };
		return true;
	}
	return false;
}

static bool take_line(struct rpc *rpc, const char *text, size_t length,
		      struct rpc_call *call)
{
	json_error_t error;
	json_t *message;
	size_t offset;

	if (length > 0 && text[length - 1] == '\r')
		length--;
	if (length == 0)
		return false;
	if (!utf8_valid(text, length, &offset)) {
		rpc_refuse(rpc, NULL, RPC_PARSE_ERROR, NULL,
			   "not UTF-8 at byte %zu of the message", offset);
		return false;
	}
	message = json_loadb(text, length,
			     JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL,
			     &error);
	if (!message) {
		rpc_refuse(rpc, NULL, RPC_PARSE_ERROR, NULL, "not JSON at byte %d: %s",
			   error.position, error.text);
		return false;
	}
	if (take_message(rpc, message, call))
		return true;
	json_decref(message);
	return false;
}

/* The end of the message at rpc->begin, or of the part that was read. */
static size_t find_end(const struct rpc *rpc, bool *ret_whole)
{
	const char *end = memchr(rpc->line + rpc->scanned, '\n',
				 rpc->used - rpc->scanned);

	*ret_whole = end != NULL;
	return end ? (size_t)(end - rpc->line) : rpc->used;
}

bool rpc_next(struct rpc *rpc, struct rpc_call *ret_call)
{
	bool whole, taken;

	for (;;) {
		size_t begin = rpc->begin, end = find_end(rpc, &whole);

		rpc->scanned = end;
		if (!whole && !rpc->skipping && end - begin <= RPC_LINE_MAX)
			return false; /* the rest will come */
		if (!whole && !rpc->skipping)
			rpc_refuse(rpc, NULL, RPC_INVALID_REQUEST, NULL,
				   "a message of more than %zu bytes", RPC_LINE_MAX);
		taken = whole && !rpc->skipping &&
			take_line(rpc, rpc->line + begin, end - begin, ret_call);
		rpc->skipping = !whole;
		rpc->begin = rpc->scanned = end + whole;
		if (taken || !whole)
			return taken;
	}
}

void rpc_call_free(struct rpc_call *call)
{
	json_decref(call->message);
	call->message = NULL;
}
