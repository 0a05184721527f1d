/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The Model Context Protocol: one tool, `run`, in one session for the connection. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "serve/serve.h"

/* Closed once it is lost and no call uses it any more. */
struct shared {
	drupe_session *session;
	unsigned calls;
};

struct mcp {
	char *workspace; /* for all sessions; NULL: as the command line has it */
	pthread_mutex_t lock;
	struct shared *shared; /* opened by the first call: a client may never make one */
	bool lost;	       /* there was one, which is gone: */
	char why[1024];
};

static const char *const versions[] = { "2025-06-18", "2025-03-26", "2024-11-05", NULL };

/* ---- the handshake ---- */

static void initialize(struct server *server, struct task *task)
{
	const char *asked = json_string_value(
		json_object_get(task->call.params, "protocolVersion"));
	const char *version = versions[0];
	json_t *result = json_object(), *info = json_object();

	(void)server;
	for (size_t i = 0; asked && versions[i]; i++)
		if (strcmp(asked, versions[i]) == 0)
			version = versions[i];
	json_put(&info, "name", json_text("drupe"));
	json_put(&info, "title", json_text("drupe sandbox"));
	json_put(&info, "version", json_text(PACKAGE_VERSION));
	json_put(&result, "protocolVersion", json_text(version));
	json_put(&result, "capabilities", json_with("tools", json_object()));
	json_put(&result, "serverInfo", info);
	json_put(&result, "instructions",
		 json_text("Run untrusted commands with the tool `run`."));
	answer_result(&task->answer, result);
	task_finish(task);
}

static void ping(struct server *server, struct task *task)
{
	(void)server;
	answer_result(&task->answer, json_object());
	task_finish(task);
}

static void ignore(struct server *server, struct task *task)
{
	ping(server, task);
}

static void list_tools(struct server *server, struct task *task)
{
	json_t *list = json_array();

	(void)server;
	json_push(&list, json_loads(mcp_tool_text, JSON_REJECT_DUPLICATES, NULL));
	answer_result(&task->answer, json_with("tools", list));
	task_finish(task);
}

/* ---- the tool ---- */

static const struct param tool_params[] = {
	{ "command", PARAM_COMMAND, true }, { "timeout", PARAM_DURATION, false },
	{ "stdin", PARAM_TEXT, false },	    { "network", PARAM_BOOL, false },
	{ NULL, PARAM_ANY, false },
};

/* Under the lock. */
static struct shared *open_shared(struct task *task)
{
	struct server *server = task->server;
	const struct serve_options *given = server->options;
	const struct drupe_session_options options = {
		.size = sizeof(options),
		.workspace = server->mcp->workspace ? server->mcp->workspace
						    : given->request->workspace,
		.profile = given->request->profile,
		.user = given->request->user,
		.backend_dir = given->paths->backends,
		.read_only = given->request->read_only,
		.single_root = given->request->single_root,
	};
	struct shared *shared = calloc(1, sizeof(*shared));

	if (!shared) {
		answer_error(&task->answer, RPC_INTERNAL_ERROR, NULL, "out of memory");
		return NULL;
	}
	shared->session = serve_open(server, &options, task->cancel, &task->answer);
	if (shared->session)
		return shared;
	free(shared);
	return NULL;
}

static void close_shared(struct shared *shared)
{
	drupe_error *error = NULL;

	if (drupe_session_close(shared->session, &error) < 0 && error)
		error_print(&error->error);
	drupe_error_free(error);
	free(shared);
}

/* For one call; give it back.  NULL: the answer is the error.  *RET_NOTE (free it): what
 * the client has to know about the session, or NULL. */
static struct shared *take_shared(struct task *task, char **ret_note)
{
	struct mcp *mcp = task->server->mcp;
	struct shared *shared;

	pthread_mutex_lock(&mcp->lock);
	if (!mcp->shared)
		mcp->shared = open_shared(task);
	shared = mcp->shared;
	if (shared)
		shared->calls++;
	if (shared && mcp->lost) {
		mcp->lost = false;
		if (asprintf(ret_note, "%s: this is a new session, and its /tmp is empty",
			     mcp->why) < 0)
			*ret_note = NULL;
	}
	pthread_mutex_unlock(&mcp->lock);
	return shared;
}

/* WHY: no later call shall get it; NULL: all is well. */
static void give_back(struct task *task, struct shared *shared, const char *why)
{
	struct mcp *mcp = task->server->mcp;
	bool last;

	pthread_mutex_lock(&mcp->lock);
	if (why && mcp->shared == shared) {
		mcp->shared = NULL;
		mcp->lost = true;
		snprintf(mcp->why, sizeof(mcp->why), "%s", why);
	}
	last = --shared->calls == 0 && mcp->shared != shared;
	pthread_mutex_unlock(&mcp->lock);
	if (last)
		close_shared(shared);
}

/* A call that gets no session is a refused run. */
static json_t *refused_json(struct task *task, const json_t *arguments)
{
	const struct server *server = task->server;
	_cleanup_free_ const char **argv = params_words(arguments, "command");
	struct result result;
	json_t *json;

	if (!argv)
		return NULL;
	result_init(&result);
	result.has_text = true;
	json = result_json(&result, server->policy->policy,
			   server->options->request->profile,
			   (char *const *)(uintptr_t)argv);
	json_put(&json, "refusal", json_incref(task->answer.json));
	return json;
}

static json_t *text_block(json_t *text)
{
	json_t *block = json_with("type", json_text("text"));

	json_put(&block, "text", text);
	return block;
}

/* The text repeats the data, for clients that only read text.  NOTE may be NULL. */
static void answer_tool(struct task *task, json_t *json, bool failed, const char *note)
{
	_cleanup_free_ char *line = json_line(json);
	json_t *content = json_array(), *result = json_object();

	json_push(&content, text_block(line ? json_text(line) : NULL));
	if (note)
		json_push(&content, text_block(json_text(note)));
	json_put(&result, "content", content);
	json_put(&result, "structuredContent", json);
	json_put(&result, "isError", json_boolean(failed));
	answer_result(&task->answer, result);
}

/* Only a new session can run the command, which was not started. */
static const char *why_lost(const drupe_result *result)
{
	const struct error *refusal = &result->result.refusal;

	if (result->result.status == RUN_REFUSED &&
	    (refusal->code == ERROR_WORKSPACE_GONE || refusal->code == ERROR_PLACE_GONE))
		return refusal->message;
	return NULL;
}

/* True: the session was lost. */
static bool call_once(struct task *task, const json_t *arguments,
		      drupe_result **ret_result, char **ret_note)
{
	struct shared *shared = take_shared(task, ret_note);
	const char *why;

	if (!shared)
		return false;
	serve_run(task, shared->session, arguments, "command", ret_result);
	why = *ret_result ? why_lost(*ret_result) : NULL;
	give_back(task, shared, why);
	return why != NULL;
}

static void work_call(struct task *task)
{
	const json_t *arguments = json_object_get(task->call.params, "arguments");
	_cleanup_free_ char *note = NULL;
	drupe_result *result = NULL;
	json_t *json;

	if (call_once(task, arguments, &result, &note)) {
		drupe_result_free(result);
		result = NULL;
		free(note);
		note = NULL;
		(void)call_once(task, arguments, &result, &note);
	}
	if (!result) {
		if (task->answer.code != RPC_REFUSED)
			return;
		json = refused_json(task, arguments);
		json_decref(task->answer.json);
		answer_tool(task, json, true, NULL);
		return;
	}
	json = result_json(&result->result, result->policy->policy, result->profile,
			   result->command);
	answer_tool(task, json,
		    result->result.status != RUN_EXITED || result->result.exit_code != 0,
		    note);
	drupe_result_free(result);
}

static bool is_sound(struct task *task)
{
	const json_t *params = task->call.params;
	const json_t *text = json_object_get(params, "name");
	const char *name = json_string_value(text);
	json_t *arguments = json_object_get(params, "arguments");

	if (!name || json_string_length(text) != 3 || strcmp(name, "run") != 0) {
		answer_error(&task->answer, RPC_INVALID_PARAMS, NULL,
			     "there is no tool \"%.100s\": the only one is run",
			     name ? name : "");
		return false;
	}
	if (arguments && !json_is_object(arguments)) {
		answer_error(&task->answer, RPC_INVALID_PARAMS, NULL,
			     "arguments must be an object");
		return false;
	}
	return params_check(tool_params, arguments, &task->answer);
}

static void call_tool(struct server *server, struct task *task)
{
	(void)server;
	if (!is_sound(task)) {
		task_finish(task);
		return;
	}
	task->work = work_call;
	if (task_make_cancel(task) < 0 || task_start(task) < 0)
		task_finish(task);
}

static void cancelled(struct server *server, struct task *task)
{
	const json_t *id = json_object_get(task->call.params, "requestId");

	for (struct task *at = server->tasks; at; at = at->next) {
		if (!id || at->cancel < 0 || !json_equal(at->call.id, id))
			continue;
		at->silent = true;
		task_cancel(at);
	}
	ping(server, task);
}

const struct method mcp_methods[] = {
	{ "initialize", NULL, initialize, NULL, false },
	{ "ping", NULL, ping, NULL, false },
	{ "tools/list", NULL, list_tools, NULL, false },
	{ "tools/call", NULL, call_tool, NULL, false },
	{ "notifications/initialized", NULL, ignore, NULL, true },
	{ "notifications/cancelled", NULL, cancelled, NULL, true },
	{ NULL, NULL, NULL, NULL, false },
};

/* Where NAME (NULL: the current folder) is now: the current folder itself may be removed
 * and made anew.  NULL: as it is given. */
static char *whole_path(const char *name)
{
	_cleanup_free_ char *cwd = NULL;
	char *path = NULL;

	if (name && (name[0] == '/' || name[0] == '\0'))
		return NULL;
	cwd = getcwd(NULL, 0);
	if (!cwd || asprintf(&path, "%s/%s", cwd, name ? name : ".") < 0)
		return NULL;
	return path;
}

int mcp_init(struct server *server)
{
	server->mcp = calloc(1, sizeof(*server->mcp));
	if (!server->mcp)
		return -ENOMEM;
	server->mcp->workspace = whole_path(server->options->request->workspace);
	pthread_mutex_init(&server->mcp->lock, NULL);
	return 0;
}

void mcp_free(struct server *server)
{
	if (!server->mcp)
		return;
	if (server->mcp->shared)
		close_shared(server->mcp->shared);
	pthread_mutex_destroy(&server->mcp->lock);
	free(server->mcp->workspace);
	free(server->mcp);
}
