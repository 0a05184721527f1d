/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The methods of drupe's own protocol: drupe-serve(7). */
#include "base/json.h"
#include "run/run.h"
#include "serve/serve.h"
#include "session/listing.h"
#include "session/preflight.h"

#define PROTOCOL 1

static void initialize(struct server *server, struct task *task)
{
	json_t *result = json_with("name", json_text("drupe"));

	(void)server;
	json_put(&result, "version", json_text(PACKAGE_VERSION));
	json_put(&result, "protocol", json_integer(PROTOCOL));
	answer_result(&task->answer, result);
	task_finish(task);
}

static void work_preflight(struct task *task)
{
	const json_t *params = task->call.params;
	const struct serve_options *options = task->server->options;
	const int cancels[RUN_CANCELS] = { -1, task->cancel, -1 };
	struct request request = *options->request;
	const char *profile = json_string_value(json_object_get(params, "profile"));

	if (profile)
		request.profile = profile;
	request.workspace = json_string_value(json_object_get(params, "workspace"));
	request.network = json_is_true(json_object_get(params, "network")) ? ASK_YES
									   : ASK_DEFAULT;
	request.read_only |= json_is_true(json_object_get(params, "read_only"));
	request.single_root |= json_is_true(json_object_get(params, "single_root"));
	answer_result(&task->answer, preflight_json(options->policy, &request,
						    options->paths, cancels, NULL));
}

static void work_backends(struct task *task)
{
	struct error err = { 0 };
	json_t *json;

	if (backends_json(task->server->options->paths->backends, &json, &err) < 0)
		answer_refused(&task->answer, &err);
	else
		answer_result(&task->answer, json);
}

static void start(struct task *task, void (*work)(struct task *task))
{
	task->work = work;
	if (task_make_cancel(task) < 0 || task_start(task) < 0)
		task_finish(task);
}

static void preflight(struct server *server, struct task *task)
{
	(void)server;
	start(task, work_preflight);
}

static void backends(struct server *server, struct task *task)
{
	(void)server;
	start(task, work_backends);
}

static const struct param nothing[] = { { NULL, PARAM_ANY, false } };

static const struct param open_params[] = {
	{ "workspace", PARAM_TEXT, true },  { "profile", PARAM_TEXT, false },
	{ "read_only", PARAM_BOOL, false }, { "single_root", PARAM_BOOL, false },
	{ NULL, PARAM_ANY, false },
};

static const struct param run_params[] = {
	{ "session", PARAM_TEXT, true },  { "argv", PARAM_COMMAND, true },
	{ "stdin", PARAM_DATA, false },	  { "timeout", PARAM_DURATION, false },
	{ "network", PARAM_BOOL, false }, { "confirmed", PARAM_BOOL, false },
	{ "read", PARAM_WORDS, false },	  { "stream", PARAM_BOOL, false },
	{ NULL, PARAM_ANY, false },
};

static const struct param cancel_params[] = {
	{ "session", PARAM_TEXT, true },
	{ "id", PARAM_ID, true },
	{ NULL, PARAM_ANY, false },
};

static const struct param close_params[] = {
	{ "session", PARAM_TEXT, true },
	{ NULL, PARAM_ANY, false },
};

static const struct param preflight_params[] = {
	{ "workspace", PARAM_TEXT, false },   { "profile", PARAM_TEXT, false },
	{ "network", PARAM_BOOL, false },     { "read_only", PARAM_BOOL, false },
	{ "single_root", PARAM_BOOL, false }, { NULL, PARAM_ANY, false },
};

const struct method serve_methods[] = {
	{ "initialize", NULL, initialize, NULL, false },
	{ "session.open", open_params, session_open_begin, session_open_end, false },
	{ "session.run", run_params, session_run_begin, session_run_end, false },
	{ "session.cancel", cancel_params, session_cancel_begin, NULL, true },
	{ "session.close", close_params, session_close_begin, NULL, true },
	{ "preflight", preflight_params, preflight, NULL, false },
	{ "backends", nothing, backends, NULL, false },
	{ NULL, NULL, NULL, NULL, false },
};
