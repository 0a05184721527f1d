/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sessions of a client, and the runs in them. */
#include <errno.h>
#include <string.h>

#include "base/json.h"
#include "run/run.h"
#include "serve/serve.h"

/* ---- served sessions ---- */

static struct served *find_served(const struct server *server, const json_t *params,
				  struct answer *answer)
{
	const char *id = json_string_value(json_object_get(params, "session"));

	for (struct served *served = server->sessions; served; served = served->next)
		if (strcmp(served->id, id) == 0 && !served->closer)
			return served;
	answer_error(answer, RPC_NO_SESSION, NULL, "there is no session \"%.40s\"", id);
	return NULL;
}

static void remember(struct served *served, json_t *id)
{
	json_t **place = &served->known[served->n_known++ % SERVE_KNOWN_RUNS];

	json_decref(*place);
	*place = json_incref(id);
}

static bool remembers(const struct served *served, const json_t *id)
{
	for (size_t i = 0; i < SERVE_KNOWN_RUNS && served->known[i]; i++)
		if (json_equal(served->known[i], id))
			return true;
	return false;
}

static void free_served(struct server *server, struct served *served)
{
	struct served **at = &server->sessions;

	while (*at != served)
		at = &(*at)->next;
	*at = served->next;
	for (size_t i = 0; i < SERVE_KNOWN_RUNS; i++)
		json_decref(served->known[i]);
	free(served);
}

/* ---- open ---- */

drupe_session *serve_open(struct server *server,
			  const struct drupe_session_options *options, int cancel,
			  struct answer *answer)
{
	const int cancels[RUN_CANCELS] = { -1, cancel, -1 };
	struct error err = { 0 };
	drupe_session *session;
	drupe_error *error = NULL;
	int r = drupe_session_open(server->policy, options, &session, &error);

	if (r < 0) {
		answer_failure(answer, r, error);
		return NULL;
	}
	session->session.sandbox.nofile = &server->nofile;
	r = session_preflight(&session->session, cancels, &err);
	if (r == 0)
		return session;
	answer_refused(answer, &err);
	drupe_session_close(session, NULL);
	return NULL;
}

static void work_open(struct task *task)
{
	const json_t *params = task->call.params;
	const struct serve_options *given = task->server->options;
	const char *profile = json_string_value(json_object_get(params, "profile"));
	const struct drupe_session_options options = {
		.size = sizeof(options),
		.workspace = json_string_value(json_object_get(params, "workspace")),
		.profile = profile ? profile : given->request->profile,
		.user = given->request->user,
		.backend_dir = given->paths->backends,
		.read_only = given->request->read_only ||
			     json_is_true(json_object_get(params, "read_only")),
		.single_root = given->request->single_root ||
			       json_is_true(json_object_get(params, "single_root")),
	};

	task->opened = serve_open(task->server, &options, task->cancel, &task->answer);
}

void session_open_begin(struct server *server, struct task *task)
{
	(void)server;
	task->work = work_open;
	if (task_make_cancel(task) < 0 || task_start(task) < 0)
		task_finish(task);
}

static void close_served(struct server *server, struct served *served,
			 struct task *closer);

void session_open_end(struct server *server, struct task *task)
{
	struct served *served;

	if (!task->opened)
		return;
	served = calloc(1, sizeof(*served));
	if (!served) {
		drupe_session_close(task->opened, NULL);
		answer_error(&task->answer, RPC_INTERNAL_ERROR, NULL, "out of memory");
		return;
	}
	snprintf(served->id, sizeof(served->id), "s%lu", ++server->n_opened);
	served->session = task->opened;
	served->next = server->sessions;
	server->sessions = served;
	answer_result(&task->answer, json_with("session", json_text(served->id)));
	if (server->closing)
		close_served(server, served, task_new(server, NULL));
}

/* ---- run ---- */

void serve_run(struct task *task, drupe_session *session, const json_t *params,
	       const char *command, drupe_result **ret_result)
{
	const int stdio[] = { -1, task->write[0], task->write[1] };
	const json_t *network = json_object_get(params, "network");
	const char **argv = params_words(params, command);
	const char **reads = params_words(params, "read");
	struct drupe_run_options options = DRUPE_RUN_OPTIONS;
	char *owned;
	int r;

	options.argv = (char *const *)(uintptr_t)argv;
	options.reads = reads;
	options.timeout_ms = params_duration(params, "timeout");
	options.network = !network		  ? DRUPE_NETWORK_DEFAULT
			  : json_is_true(network) ? DRUPE_NETWORK_ASK
						  : DRUPE_NETWORK_NO;
	options.confirmed = json_is_true(json_object_get(params, "confirmed"));
	options.stdin_data = params_data(params, "stdin", &options.stdin_length, &owned);
	options.stdio = task->write[0] >= 0 ? stdio : NULL;
	options.capture = true;
	options.cancel_fd = task->cancel;
	r = !argv || !reads || (json_object_get(params, "stdin") && !options.stdin_data)
		    ? -ENOMEM
		    : drupe_run(session, &options, ret_result);
	if (r < 0)
		answer_error(&task->answer, RPC_INTERNAL_ERROR, NULL, "cannot run: %s",
			     strerror(-r));
	free(argv);
	free(reads);
	free(owned);
}

static void work_run(struct task *task)
{
	drupe_result *result = NULL;

	serve_run(task, task->served->session, task->call.params, "argv", &result);
	if (!result)
		return;
	task->cancelled = result->result.status == RUN_CANCELLED;
	answer_result(&task->answer, result_json(&result->result, result->policy->policy,
						 result->profile, result->command));
	drupe_result_free(result);
}

void session_run_begin(struct server *server, struct task *task)
{
	const json_t *params = task->call.params;
	int r;

	task->served = find_served(server, params, &task->answer);
	if (!task->served) {
		task_finish(task);
		return;
	}
	task->served->tasks++;
	r = task_make_cancel(task);
	if (r == 0 && task->call.id && json_is_true(json_object_get(params, "stream")))
		r = task_open_flows(task);
	task->work = work_run;
	if (r < 0 || task_start(task) < 0) {
		task_finish(task);
		return;
	}
	if (task->call.id)
		remember(task->served, task->call.id);
}

/* ---- cancel ---- */

static void answer_cancel(struct task *task, bool cancelled)
{
	answer_result(&task->answer, json_with("cancelled", json_boolean(cancelled)));
	task_finish(task);
}

void session_run_end(struct server *server, struct task *task)
{
	struct task *next;

	for (struct task *at = server->tasks; at; at = next) {
		next = at->next;
		if (at->run == task)
			answer_cancel(at, task->cancelled);
	}
}

static struct task *find_run(const struct server *server, const struct served *served,
			     const json_t *id)
{
	for (struct task *at = server->tasks; at; at = at->next)
		if (at->served == served && !at->ended && json_equal(at->call.id, id))
			return at;
	return NULL;
}

/* Only the end of a run tells whether it was cancelled: it may have come to its end by
 * itself meanwhile. */
void session_cancel_begin(struct server *server, struct task *task)
{
	json_t *id = json_object_get(task->call.params, "id");
	struct served *served = find_served(server, task->call.params, &task->answer);
	struct task *run = served ? find_run(server, served, id) : NULL;

	if (run) {
		task_cancel(run);
		task->run = run;
	} else if (served && remembers(served, id)) {
		answer_cancel(task, false); /* it has ended */
	} else {
		if (served)
			answer_error(&task->answer, RPC_NO_RUN, NULL,
				     "the session has had no run with this id");
		task_finish(task);
	}
}

/* ---- close ---- */

static void work_close(struct task *task)
{
	drupe_error *error = NULL;
	int r = drupe_session_close(task->opened, &error);

	if (r < 0)
		answer_failure(&task->answer, r, error);
	else
		answer_result(&task->answer, json_object());
}

/* Once no task uses the session any more. */
static void start_closer(struct server *server, struct served *served)
{
	struct task *closer = served->closer;

	closer->work = work_close;
	closer->opened = served->session;
	free_served(server, served);
	if (task_start(closer) == 0)
		return;
	work_close(closer); /* no thread: do it here */
	task_finish(closer);
}

void served_leave(struct server *server, struct served *served)
{
	if (--served->tasks == 0 && served->closer)
		start_closer(server, served);
}

static void close_served(struct server *server, struct served *served,
			 struct task *closer)
{
	served->closer = closer;
	for (struct task *at = server->tasks; at; at = at->next)
		if (at->served == served)
			task_cancel(at);
	if (served->tasks == 0 && closer)
		start_closer(server, served);
}

void session_close_begin(struct server *server, struct task *task)
{
	struct served *served = find_served(server, task->call.params, &task->answer);

	if (served)
		close_served(server, served, task);
	else
		task_finish(task);
}

void serve_close_sessions(struct server *server)
{
	struct served *next;

	for (struct served *at = server->sessions; at; at = next) {
		next = at->next;
		if (!at->closer)
			close_served(server, at, task_new(server, NULL));
	}
}
