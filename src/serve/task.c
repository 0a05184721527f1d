/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A request that takes time: its thread, and the output of its command. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/fd.h"
#include "base/json.h"
#include "base/utf8.h"
#include "serve/serve.h"

#define STACK ((size_t)512 << 10)
#define CHUNK ((size_t)32 << 10) /* of a stream, in one notification */

/* ---- answers ---- */

void answer_result(struct answer *answer, json_t *result)
{
	*answer = (struct answer){ .json = result };
}

void answer_error(struct answer *answer, enum rpc_code code, json_t *data,
		  const char *format, ...)
{
	va_list args;

	*answer = (struct answer){ .code = code, .json = data };
	va_start(args, format);
	vsnprintf(answer->text, sizeof(answer->text), format, args);
	va_end(args);
}

void answer_refused(struct answer *answer, const struct error *err)
{
	answer_error(answer, RPC_REFUSED, refusal_json(err), "%s", err->message);
}

void answer_failure(struct answer *answer, int r, drupe_error *error)
{
	if (error)
		answer_refused(answer, &error->error);
	else
		answer_error(answer, RPC_INTERNAL_ERROR, NULL, "%s", strerror(-r));
	drupe_error_free(error);
}

/* ---- tasks ---- */

struct task *task_new(struct server *server, struct rpc_call *call)
{
	struct task *task = calloc(1, sizeof(*task));

	if (!task)
		return NULL;
	task->server = server;
	if (call)
		task->call = *call;
	task->cancel = -1;
	for (size_t i = 0; i < 2; i++)
		task->flows[i].read = task->write[i] = -1;
	task->next = server->tasks;
	server->tasks = task;
	return task;
}

static void *work(void *data)
{
	struct task *task = data;

	task->work(task);
	/* Atomic: less than PIPE_BUF. */
	(void)!write(task->server->done_write, &task, sizeof(task));
	return NULL;
}

int task_start(struct task *task)
{
	pthread_attr_t attributes;
	int r = pthread_attr_init(&attributes);

	if (r == 0) {
		pthread_attr_setstacksize(&attributes, STACK);
		r = pthread_create(&task->thread, &attributes, work, task);
		pthread_attr_destroy(&attributes);
	}
	if (r != 0)
		answer_error(&task->answer, RPC_INTERNAL_ERROR, NULL,
			     "no thread for the request: %s", strerror(r));
	return -r;
}

int task_make_cancel(struct task *task)
{
	task->cancel = fd_above_stdio(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	if (task->cancel >= 0)
		return 0;
	answer_error(&task->answer, RPC_INTERNAL_ERROR, NULL,
		     "no descriptor for the request: %s", strerror(-task->cancel));
	return task->cancel;
}

void task_cancel(struct task *task)
{
	if (task->cancel >= 0)
		(void)!eventfd_write(task->cancel, 1);
}

static void unlink_task(struct task *task)
{
	struct task **at = &task->server->tasks;

	while (*at != task)
		at = &(*at)->next;
	*at = task->next;
}

void task_finish(struct task *task)
{
	struct server *server = task->server;
	struct answer *answer = &task->answer;

	unlink_task(task);
	if (!task->call.id || task->silent)
		json_decref(answer->json);
	else if (answer->code)
		rpc_refuse(&server->rpc, task->call.id, answer->code, answer->json, "%s",
			   answer->text);
	else
		rpc_answer(&server->rpc, task->call.id, answer->json);
	if (task->served)
		served_leave(server, task->served);
	for (size_t i = 0; i < 2; i++) {
		close_fd(&task->flows[i].read);
		close_fd(&task->write[i]);
	}
	close_fd(&task->cancel);
	rpc_call_free(&task->call);
	free(task);
}

/* ---- flows ---- */

int task_open_flows(struct task *task)
{
	struct error err = { 0 };

	for (size_t i = 0; i < 2; i++) {
		int r = fd_pipe(&task->flows[i].read, &task->write[i], &err);

		if (r < 0) {
			answer_error(&task->answer, RPC_INTERNAL_ERROR, NULL,
				     "no descriptor for the run: %s", strerror(-r));
			return r;
		}
		(void)fcntl(task->flows[i].read, F_SETFL, O_NONBLOCK);
	}
	return 0;
}

static void report(struct task *task, size_t i, const char *bytes, size_t length)
{
	static const char *const names[] = { "stdout", "stderr" };
	json_t *params = json_object();

	json_put(&params, "id", json_incref(task->call.id));
	json_put(&params, "stream", json_text(names[i]));
	json_put_bytes(&params, bytes, length, utf8_valid(bytes, length, NULL));
	rpc_notify(&task->server->rpc, "output", params);
}

/* The length of an incomplete character at the end. */
static size_t cut_character(const char *bytes, size_t length)
{
	for (size_t n = 1; n < 4 && n <= length; n++) {
		size_t whole = utf8_length((unsigned char)bytes[length - n]);

		if (whole > 0)
			return whole > n ? n : 0;
	}
	return 0;
}

bool task_read_flow(struct task *task, size_t i)
{
	struct flow *flow = &task->flows[i];
	char bytes[sizeof(flow->rest) + CHUNK];
	size_t length = flow->n_rest, rest;
	ssize_t n;

	memcpy(bytes, flow->rest, length);
	n = read(flow->read, bytes + length, CHUNK);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (n <= 0) {
		if (length > 0)
			report(task, i, bytes, length);
		close_fd(&flow->read);
		return false;
	}
	length += (size_t)n;
	rest = cut_character(bytes, length);
	memcpy(flow->rest, bytes + length - rest, rest);
	flow->n_rest = rest;
	if (length > rest)
		report(task, i, bytes, length - rest);
	return true;
}
