/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* drupe serve: one poll for the client, the signals and the tasks. */
#include "serve/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/nearest.h"

#define QUEUE_MAX ((size_t)1 << 20) /* output kept for a client that does not read */
#define MAX_TASKS 1024		    /* at once; further requests wait in the pipe */
#define MAX_METHODS 16
#define FLUSH_MS 2000 /* for the last answers, at the end */
#define OWN 4	      /* descriptors of the loop itself */

/* ---- requests ---- */

static void unknown_method(struct server *server, struct rpc_call *call)
{
	const char *names[MAX_METHODS + 1] = { NULL };
	const char *nearest;

	for (size_t i = 0; i < MAX_METHODS && server->methods[i].name; i++)
		names[i] = server->methods[i].name;
	nearest = nearest_name(call->method, names);
	if (call->id)
		rpc_refuse(&server->rpc, call->id, RPC_METHOD_NOT_FOUND, NULL,
			   "there is no method \"%.100s\"%s%s%s", call->method,
			   nearest ? "; did you mean \"" : "", nearest ? nearest : "",
			   nearest ? "\"?" : "");
	rpc_call_free(call);
}

static bool is_used(const struct server *server, const json_t *id)
{
	for (const struct task *at = server->tasks; id && at; at = at->next)
		if (json_equal(at->call.id, id))
			return true;
	return false;
}

static void begin(struct server *server, struct rpc_call *call)
{
	const struct method *method = server->methods;
	struct task *task;

	while (method->name && strcmp(method->name, call->method) != 0)
		method++;
	if (!method->name) {
		unknown_method(server, call);
		return;
	}
	if (!call->id && !method->notification) {
		rpc_call_free(call);
		return;
	}
	if (is_used(server, call->id)) {
		rpc_refuse(&server->rpc, call->id, RPC_INVALID_REQUEST, NULL,
			   "duplicate id: a request with this id is still running");
		rpc_call_free(call);
		return;
	}
	task = task_new(server, call);
	if (!task) {
		rpc_refuse(&server->rpc, call->id, RPC_INTERNAL_ERROR, NULL,
			   "out of memory");
		rpc_call_free(call);
		return;
	}
	task->method = method;
	if (method->params && !params_check(method->params, call->params, &task->answer))
		task_finish(task);
	else
		method->begin(server, task);
}

static size_t count_tasks(const struct server *server)
{
	size_t count = 0;

	for (const struct task *at = server->tasks; at; at = at->next)
		count++;
	return count;
}

static bool may_begin(const struct server *server)
{
	return !server->closing && rpc_waiting(&server->rpc) < QUEUE_MAX &&
	       count_tasks(server) < MAX_TASKS;
}

/* ---- tasks that have ended ---- */

/* The answer follows all output of the command. */
static void finish_if_done(struct task *task)
{
	if (task->ended && task->flows[0].read < 0 && task->flows[1].read < 0)
		task_finish(task);
}

static void take_ended(struct server *server)
{
	struct task *task;

	while (read(server->done, &task, sizeof(task)) == (ssize_t)sizeof(task)) {
		pthread_join(task->thread, NULL);
		task->ended = true;
		for (size_t i = 0; i < 2; i++)
			close_fd(&task->write[i]);
		if (task->method && task->method->end)
			task->method->end(server, task);
		finish_if_done(task);
	}
}

/* ---- the end ---- */

/* Take no more requests, end all runs, close the sessions. */
static void begin_closing(struct server *server)
{
	if (server->closing)
		return;
	server->closing = true;
	server->rpc.in = -1;
	for (struct task *at = server->tasks; at; at = at->next)
		task_cancel(at);
	serve_close_sessions(server);
}

static void flush_last(struct server *server)
{
	int64_t deadline = deadline_in_ms(FLUSH_MS);

	while (server->rpc.out.fd >= 0 && rpc_waiting(&server->rpc) > 0) {
		struct pollfd out = { .fd = server->rpc.out.fd, .events = POLLOUT };
		struct timespec left = clock_left(deadline);

		if (ppoll(&out, 1, &left, NULL) <= 0 || rpc_flush(&server->rpc) < 0)
			return;
	}
}

/* ---- the loop ---- */

struct polled {
	struct pollfd *fds;
	size_t count, size;
};

static int add_poll(struct polled *polled, int fd, short events)
{
	if (polled->count == polled->size) {
		size_t size = polled->size * 2 + 64;
		struct pollfd *fds = reallocarray(polled->fds, size, sizeof(*fds));

		if (!fds)
			return -ENOMEM;
		polled->fds = fds;
		polled->size = size;
	}
	polled->fds[polled->count++] = (struct pollfd){ .fd = fd, .events = events };
	return 0;
}

/* The output of commands waits while the client does not read.  Only open descriptors are
 * polled, so their number stays below RLIMIT_NOFILE. */
static int fill_poll(struct server *server, struct polled *polled, int signals)
{
	size_t waiting = rpc_waiting(&server->rpc);
	bool report = waiting < QUEUE_MAX || server->closing;
	int r;

	polled->count = 0;
	/* Notice the end of input even while no request is taken. */
	r = add_poll(polled, server->rpc.in, may_begin(server) ? POLLIN : POLLRDHUP);
	if (r == 0)
		r = add_poll(polled, server->rpc.out.fd, waiting ? POLLOUT : 0);
	if (r == 0)
		r = add_poll(polled, signals, POLLIN);
	if (r == 0)
		r = add_poll(polled, server->done, POLLIN);
	for (struct task *at = server->tasks; at; at = at->next)
		for (size_t i = 0; i < 2; i++) {
			struct flow *flow = &at->flows[i];

			flow->place = 0;
			if (r < 0 || !report || flow->read < 0)
				continue;
			flow->place = polled->count;
			r = add_poll(polled, flow->read, POLLIN);
		}
	return r;
}

static void read_flows(struct server *server, const struct polled *polled)
{
	struct task *next;

	for (struct task *at = server->tasks; at; at = next) {
		bool ended = false;

		next = at->next;
		for (size_t i = 0; i < 2; i++) {
			size_t place = at->flows[i].place;

			if (place > 0 && polled->fds[place].revents &&
			    !task_read_flow(at, i))
				ended = true;
		}
		if (ended)
			finish_if_done(at);
	}
}

/* Start what was read, as long as the answers have room. */
static void begin_calls(struct server *server)
{
	struct rpc_call call;

	while (may_begin(server) && rpc_next(&server->rpc, &call))
		begin(server, &call);
}

/* The last requests are started even if their answers have to wait. */
static void take_end_of_input(struct server *server)
{
	struct rpc_call call;

	while (count_tasks(server) < MAX_TASKS && rpc_next(&server->rpc, &call))
		begin(server, &call);
	begin_closing(server);
}

static void read_calls(struct server *server, short events)
{
	bool ended = events && !(events & POLLIN);

	if ((events & POLLIN) && may_begin(server))
		ended = rpc_read(&server->rpc) < 0;
	if (ended && !server->closing)
		take_end_of_input(server);
	else
		begin_calls(server);
}

/* When poll fails for lack of memory, what needs no poll still gets its turn. */
static void wait_for_events(struct server *server, struct polled *polled, int signals)
{
	const struct timespec pause = { .tv_nsec = 10 * NS_PER_MS };

	if (fill_poll(server, polled, signals) == 0 &&
	    ppoll(polled->fds, polled->count, NULL, NULL) >= 0)
		return;
	for (size_t i = 0; i < polled->count; i++)
		polled->fds[i].revents = 0;
	nanosleep(&pause, NULL);
}

/* 0, or the exit status after a signal or the loss of the client. */
static int turn(struct server *server, struct polled *polled, int signals)
{
	struct signalfd_siginfo info;
	int status = 0, r;

	r = rpc_flush(&server->rpc);
	if (r < 0)
		return r == -ENOMEM ? EXIT_REFUSED : EXIT_PIPE;
	begin_calls(server); /* there may be room now */
	wait_for_events(server, polled, signals);
	if (polled->count >= OWN) {
		if (polled->fds[1].revents & (POLLERR | POLLNVAL))
			status = EXIT_PIPE;
		read_flows(server, polled);
		read_calls(server, polled->fds[0].revents);
	}
	take_ended(server);
	if (read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
		status = EXIT_SIGNAL + (int)info.ssi_signo;
	return status;
}

static void stop_writing(struct rpc *rpc)
{
	sink_close(&rpc->out);
	rpc->out = (struct sink)SINK_INIT;
	rpc->start = rpc->end = 0;
	rpc->lost = false;
}

static int loop(struct server *server, int signals)
{
	struct polled polled = { NULL, 0, 0 };
	int status = 0;

	while (!server->closing || server->tasks) {
		int r = turn(server, &polled, signals);

		if (r == 0)
			continue;
		if (!server->closing)
			status = r;
		if (r == EXIT_REFUSED && server->rpc.out.fd >= 0)
			fputs("drupe: out of memory: a message to the client is lost\n",
			      stderr);
		begin_closing(server);
		if (r == EXIT_REFUSED || r == EXIT_PIPE)
			stop_writing(&server->rpc);
	}
	flush_last(server);
	free(polled.fds);
	return status;
}

/* ---- the command ---- */

/* A signal that the caller ignores (nohup) stays ignored. */
static int watch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction before;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE); /* a lost client is an error of write(2) */
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], NULL, &before) == 0 &&
		    before.sa_handler != SIG_IGN)
			sigaddset(&set, signals[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return fd_above_stdio(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

/* A run takes some twenty descriptors.  The commands keep the old limit. */
static void raise_nofile(struct server *server)
{
	struct rlimit all;

	if (getrlimit(RLIMIT_NOFILE, &server->nofile) < 0)
		return;
	all = server->nofile;
	all.rlim_cur = all.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &all);
}

static int open_server(struct server *server, struct error *err)
{
	drupe_error *error = NULL;
	int r;

	r = drupe_policy_open(server->options->policy, &server->policy, &error);
	if (r < 0) {
		if (error)
			*err = error->error;
		drupe_error_free(error);
		return r;
	}
	r = fd_pipe(&server->done, &server->done_write, err);
	if (r < 0)
		return r;
	(void)fcntl(server->done, F_SETFL, O_NONBLOCK);
	r = rpc_init(&server->rpc, STDIN_FILENO, STDOUT_FILENO);
	if (r == 0 && server->options->mcp)
		r = mcp_init(server);
	return r < 0 ? error_set(err, ERROR_SYSTEM, -r, "cannot serve: %s", strerror(-r))
		     : 0;
}

int serve(const struct serve_options *options, struct error *err)
{
	struct server server = {
		.options = options,
		.methods = options->mcp ? mcp_methods : serve_methods,
		.done = -1,
		.done_write = -1,
	};
	_cleanup_close_ int signals = watch_signals();
	int r;

	raise_nofile(&server);
	r = signals < 0 ? error_set(err, ERROR_SYSTEM, -signals, "cannot serve: %s",
				    strerror(-signals))
			: open_server(&server, err);
	if (r == 0)
		r = loop(&server, signals);
	mcp_free(&server);
	rpc_free(&server.rpc);
	close_fd(&server.done);
	close_fd(&server.done_write);
	drupe_policy_free(server.policy);
	return r;
}
