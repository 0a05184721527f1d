/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* drupe plan: what would run; placeholders in braces stand for what a run would make. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/commands.h"
#include "plan/chain.h"
#include "policy/open.h"
#include "run/result.h"
#include "scope/folder.h"
#include "scope/scope.h"
#include "session/session.h"

static const char *const op_names[] = {
	[DRUPE_MOUNT_BIND] = "bind",
	[DRUPE_MOUNT_RO_BIND] = "ro-bind",
	[DRUPE_MOUNT_RO_BIND_TRY] = "ro-bind-try",
	[DRUPE_MOUNT_TMPFS] = "tmpfs",
	[DRUPE_MOUNT_DIR] = "dir",
	[DRUPE_MOUNT_SYMLINK] = "symlink",
	[DRUPE_MOUNT_PROC] = "proc",
	[DRUPE_MOUNT_DEV] = "dev",
	[DRUPE_MOUNT_DATA] = "data",
	[DRUPE_MOUNT_REMOUNT_RO] = "remount-ro",
};

static const struct chain_words placeholders = {
	.control_fd = "{control-fd}",
	.info_fd = "{info-fd}",
	.status_fd = "{status-fd}",
	.block_fd = "{block-fd}",
	.sync_fd = "{sync-fd}",
	.keep = "{descriptors}",
	.cgroup_procs = "{cgroup-fd}",
};

struct planned {
	const struct session *session;
	struct grant grant;
	struct plan plan;
	struct chain chain;
};

static json_t *words_json(const struct drupe_words *words)
{
	json_t *json = json_array();

	for (size_t i = 0; i < words->count; i++)
		json_push(&json, json_text(words->words[i]));
	return json;
}

/* The name of the backend in a segment; the guard and the command have none. */
static const char *backend_of(const struct planned *planned, enum segment segment)
{
	const char *const *backends = (const char *const *)
					      planned->session->sandbox.policy->backends;

	switch (segment) {
	case SEGMENT_SCOPE:
		return backends[SLOT_SCOPE];
	case SEGMENT_LAUNCHER:
		return backends[SLOT_LAUNCHER];
	case SEGMENT_RLIMITS:
		return backends[SLOT_RLIMITS];
	case SEGMENT_GUARD:
	case SEGMENT_COMMAND:
	case N_SEGMENTS:
		break;
	}
	return NULL;
}

static json_t *stages_json(const struct planned *planned)
{
	json_t *json = json_array();

	for (size_t i = 0; i < N_SEGMENTS; i++) {
		json_t *row = json_object();

		json_put(&row, "stage", json_text(segment_names[i]));
		json_put(&row, "backend",
			 json_text_or_null(backend_of(planned, (enum segment)i)));
		json_put(&row, "argv", words_json(&planned->chain.segments[i]));
		json_push(&json, row);
	}
	return json;
}

static json_t *argv_json(const struct planned *planned)
{
	_cleanup_argv_ struct drupe_words words = { 0 };

	chain_join(&planned->chain, &words);
	return words.errnum ? NULL : words_json(&words);
}

static json_t *mounts_json(const struct plan *plan)
{
	json_t *json = json_array();

	for (size_t i = 0; i < plan->n_mounts; i++) {
		const struct drupe_mount *mount = &plan->mounts[i];
		json_t *row = json_object();

		json_put(&row, "op", json_text(op_names[mount->op]));
		json_put(&row, "dest", json_text(mount->dest));
		json_put(&row, "writable", json_boolean(plan->sources[i].writable));
		if (mount->source)
			json_put(&row, "source", json_text(mount->source));
		if (plan->sources[i].data)
			json_put(&row, "data", json_text(plan->sources[i].data));
		if (mount->bytes)
			json_put(&row, "bytes", json_count(mount->bytes));
		json_push(&json, row);
	}
	return json;
}

static json_t *env_json(const struct plan *plan)
{
	json_t *json = json_object();

	for (size_t i = 0; i < plan->n_env; i++)
		json_put(&json, plan->env_names[i], json_text(plan->env_values[i]));
	return json;
}

static json_t *limits_json(const struct plan *plan)
{
	json_t *json = json_object();

	for (size_t i = 0; i < plan->n_limits; i++)
		json_put(&json, plan->limits[i].name, json_count(plan->limits[i].value));
	return json;
}

static json_t *output_json(const struct profile *profile)
{
	json_t *json = json_object();

	json_put(&json, "output_limit", json_count(profile->output_limit));
	json_put(&json, "stream_limit", json_count(profile->stream_limit));
	return json;
}

static json_t *cgroup_json(const struct plan *plan)
{
	json_t *json = json_object();

	for (size_t i = 0; i < plan->n_cgroup; i++)
		json_put(&json, cgroup_table[plan->cgroup[i].id].name,
			 json_count(plan->cgroup[i].value));
	return json;
}

static const char *network_of(const struct planned *planned)
{
	return planned->grant.network
		       ? planned->session->sandbox.policy->backends[SLOT_NETWORK]
		       : "none";
}

/* As the command would see it: the caller may ask for less than the profile grants. */
static const char *workspace_access(const struct session *session)
{
	bool narrowed = session->sandbox.profile->workspace == ACCESS_WRITE &&
			!session->sandbox.view.workspace.writable;

	return access_name(narrowed ? ACCESS_READ : session->sandbox.profile->workspace);
}

static json_t *plan_json(const struct planned *planned)
{
	const struct session *session = planned->session;
	const struct plan *plan = &planned->plan;
	json_t *json = json_object();

	json_put(&json, "profile", json_text(session->sandbox.profile->name));
	json_put(&json, "user", json_text(session->sandbox.identity.name));
	json_put(&json, "workspace", json_text(workspace_access(session)));
	json_put(&json, "timeout_seconds",
		 json_seconds((double)planned->grant.timeout_ms / 1000));
	json_put(&json, "network", json_text(network_of(planned)));
	json_put(&json, "stages", stages_json(planned));
	json_put(&json, "argv", argv_json(planned));
	json_put(&json, "mounts", mounts_json(plan));
	json_put(&json, "env", env_json(plan));
	json_put(&json, "limits", limits_json(plan));
	json_put(&json, "output", output_json(session->sandbox.profile));
	json_put(&json, "cgroup", cgroup_json(plan));
	return json;
}

/* Quoted as for a shell, so that a line is unambiguous. */
static void print_word(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789/._-+=:,{}@%";

	putchar(' ');
	if (*word && word[strspn(word, plain)] == '\0') {
		fputs(word, stdout);
		return;
	}
	putchar('\'');
	for (; *word; word++) {
		char one[2] = { *word, '\0' };

		if (*word == '\'')
			fputs("'\\''", stdout);
		else if ((unsigned char)*word < 0x20 || *word == 0x7f)
			print_escaped(stdout, one);
		else
			putchar(*word);
	}
	putchar('\'');
}

static void print_text(const struct planned *planned)
{
	const struct plan *plan = &planned->plan;

	printf("profile %s, user %s, timeout %g s, network %s\n",
	       planned->session->sandbox.profile->name,
	       planned->session->sandbox.identity.name,
	       (double)planned->grant.timeout_ms / 1000, network_of(planned));
	for (size_t i = 0; i < N_SEGMENTS; i++) {
		const struct drupe_words *words = &planned->chain.segments[i];
		const char *backend = backend_of(planned, (enum segment)i);

		printf("\n%s%s%s%s\n ", segment_names[i], backend ? " (" : "",
		       backend ? backend : "", backend ? ")" : "");
		for (size_t j = 0; j < words->count; j++)
			print_word(words->words[j]);
		putchar('\n');
	}
	puts("\nmounts");
	for (size_t i = 0; i < plan->n_mounts; i++) {
		printf("  %-10s %s", op_names[plan->mounts[i].op],
		       plan->sources[i].writable ? "rw" : "ro");
		print_word(plan->mounts[i].dest);
		if (plan->mounts[i].source) {
			fputs(" <-", stdout);
			print_word(plan->mounts[i].source);
		}
		putchar('\n');
	}
	puts("\nenvironment");
	for (size_t i = 0; i < plan->n_env; i++) {
		printf("  %s =", plan->env_names[i]);
		print_word(plan->env_values[i]);
		putchar('\n');
	}
	puts("\nlimits");
	for (size_t i = 0; i < plan->n_limits; i++)
		printf("  %s %llu\n", plan->limits[i].name,
		       (unsigned long long)plan->limits[i].value);
	for (size_t i = 0; i < plan->n_cgroup; i++)
		printf("  %s %llu\n", cgroup_table[plan->cgroup[i].id].name,
		       (unsigned long long)plan->cgroup[i].value);
}

/* Fill SCOPE for the backend, and SETUP if the scope is a folder that drupe makes. */
static int plan_scope(const struct planned *planned, struct drupe_scope *scope,
		      struct drupe_cgroup_setup *setup, struct chain_words *words,
		      struct error *err)
{
	int r;

	scope_describe(&planned->session->sandbox.identity, &planned->plan, scope);
	r = scope_folder_ask(planned->session->sandbox.backends[SLOT_SCOPE], scope, setup,
			     err);
	if (r == 0 && setup->folder[0])
		words->cgroup = setup->folder;
	return r;
}

static int make(const struct options *options, struct planned *planned, struct error *err)
{
	const struct session *session = planned->session;
	const struct place tmp = { .path = (char[]){ "{tmp}" }, .fd = -1 };
	struct chain_words words = placeholders;
	struct drupe_scope scope = { 0 };
	struct drupe_cgroup_setup setup;
	struct chain_input input = {
		.backends = session->sandbox.backends,
		.plan = &planned->plan,
		.words = &words,
		.command = options->request.command,
	};
	bool fresh_tmp = session->sandbox.profile->ephemeral_tmp;
	int r = plan_make(session->sandbox.policy, session->sandbox.profile,
			  &session->sandbox.view, &planned->grant,
			  fresh_tmp ? NULL : &tmp, &planned->plan, err);

	if (r < 0)
		return r;
	words.guard = session->sandbox.paths->guard;
	words.leave = !session->sandbox.backends[SLOT_SCOPE];
	if (!fresh_tmp)
		words.tmp = tmp.path;
	words.make_tmp = chain_binds_by_fd(session->sandbox.backends[SLOT_LAUNCHER])
				 ? "{tmp-fd}"
				 : "-";
	if (!chain_binds_by_fd(session->sandbox.backends[SLOT_LAUNCHER]))
		for (size_t i = 0; i < planned->plan.n_mounts; i++)
			if (planned->plan.sources[i].place)
				planned->plan.mounts[i].fd = NULL;
	if (session->sandbox.backends[SLOT_SCOPE]) {
		input.scope = &scope;
		r = plan_scope(planned, &scope, &setup, &words, err);
	}
	if (r == 0)
		r = chain_build(&input, &planned->chain, err);
	if (r == 0) {
		if (options->json)
			r = print_json(plan_json(planned));
		else
			print_text(planned);
		chain_free(&planned->chain);
	}
	plan_free(&planned->plan);
	return r;
}

static int plan(const struct options *options, const struct policy *policy,
		struct error *err)
{
	struct request request = options->request;
	struct session session;
	struct planned planned = { .session = &session, .grant = GRANT_NONE };
	int r = session_open(policy, &request, &options->paths, SESSION_LOOK, &session,
			     err);

	if (r < 0)
		return r;
	request.confirmed = true; /* nothing is run */
	r = session_grant(&session, &request, &planned.grant, err);
	if (r == 0)
		r = make(options, &planned, err);
	grant_free(&planned.grant);
	session_close(&session, NULL);
	return r;
}

int cmd_plan(const struct options *options)
{
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_policy_ struct policy *policy = NULL;
	struct error err = { 0 };
	int r = policy_open(options->policy, options->paths.policies, &policy, &findings,
			    &err);

	if (r == 0)
		r = plan(options, policy, &err);
	if (r == 0)
		return EXIT_GOOD;
	if (!err.code) /* the output: print_json has said so */
		return EXIT_MISUSE;
	error_print(&err);
	return EXIT_FINDINGS;
}
