/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plan/chain.h"

#include <errno.h>
#include <string.h>

#include "backend/call.h"

const char *const segment_names[N_SEGMENTS] = {
	[SEGMENT_SCOPE] = "scope",	 [SEGMENT_GUARD] = "guard",
	[SEGMENT_LAUNCHER] = "launcher", [SEGMENT_RLIMITS] = "rlimits",
	[SEGMENT_COMMAND] = "command",
};

static void add_scope(const struct chain_input *input, struct drupe_words *words)
{
	const struct backend *backend = input->backends[SLOT_SCOPE];

	if (backend && input->scope)
		call_scope_words(backend, input->scope, words);
}

static void add_guard(const struct chain_input *input, struct drupe_words *words)
{
	const struct chain_words *w = input->words;

	argv_push(words, w->guard);
	argv_pushf(words, "--control=%s", w->control_fd);
	argv_pushf(words, "--block=%s", w->block_fd);
	argv_pushf(words, "--sync=%s", w->sync_fd);
	argv_pushf(words, "--keep=%s", w->keep);
	if (w->leave)
		argv_push(words, "--leave");
	if (w->tmp)
		argv_pushf(words, "--tmp=%s", w->tmp);
	if (w->tmp && w->make_tmp)
		argv_pushf(words, "--make-tmp=%s", w->make_tmp);
	if (w->cgroup) {
		argv_pushf(words, "--cgroup=%s", w->cgroup);
		argv_pushf(words, "--cgroup-procs=%s", w->cgroup_procs);
	}
	argv_push(words, "--");
}

static void add_launcher(const struct chain_input *input, struct drupe_words *words)
{
	const struct drupe_launch launch = {
		.size = sizeof(launch),
		.mounts = input->plan->mounts,
		.n_mounts = input->plan->n_mounts,
		.mount_size = sizeof(*input->plan->mounts),
		.env_names = input->plan->env_names,
		.env_values = input->plan->env_values,
		.chdir = input->plan->chdir,
		.nested_userns = input->plan->nested_userns,
		.info_fd = input->words->info_fd,
		.status_fd = input->words->status_fd,
		.block_fd = input->words->block_fd,
		.sync_fd = input->words->sync_fd,
	};

	call_launcher_words(input->backends[SLOT_LAUNCHER], &launch, words);
}

static void add_rlimits(const struct chain_input *input, struct drupe_words *words)
{
	const struct drupe_rlimits limits = {
		.size = sizeof(limits),
		.limits = input->plan->limits,
		.n_limits = input->plan->n_limits,
		.limit_size = sizeof(*input->plan->limits),
	};

	call_rlimits_words(input->backends[SLOT_RLIMITS], &limits, words);
}

static void add_command(const struct chain_input *input, struct drupe_words *words)
{
	for (char *const *word = input->command; *word; word++)
		argv_push(words, *word);
}

/*
 * THE ORDER (R1).  It is this array and nothing else: no key, option or backend can
 * change it.  Every inversion is wrong: rlimits further out would limit the scope's
 * client or the launcher, not the command; a scope further in would be within the
 * command's reach.
 */
static const struct layer {
	enum segment segment;
	enum slot slot; /* N_SLOTS: not a backend's */
	void (*add)(const struct chain_input *input, struct drupe_words *words);
} order[N_SEGMENTS] = {
	{ SEGMENT_SCOPE, SLOT_SCOPE, add_scope },
	{ SEGMENT_GUARD, N_SLOTS, add_guard },
	{ SEGMENT_LAUNCHER, SLOT_LAUNCHER, add_launcher },
	{ SEGMENT_RLIMITS, SLOT_RLIMITS, add_rlimits },
	{ SEGMENT_COMMAND, N_SLOTS, add_command },
};

static int refuse(const struct backend *backend, struct error *err, const char *what,
		  const char *word)
{
	error_set(err, ERROR_BACKEND_FAILED, EINVAL, "%s: its words %s \"%s\"",
		  backend->file, what, word);
	error_backend(err, slot_names[backend->slot], backend->object.name);
	return -EINVAL;
}

/* The program that runs must be the one that was checked, and nothing after its words
 * may be taken for its options (a command may be called "--version"). */
static int check_ends(const struct backend *backend, const struct drupe_words *words,
		      struct error *err)
{
	if (!backend_runs_tool(backend, words))
		return refuse(backend, err, "do not start with its tool",
			      backend_tool(backend));
	if (strcmp(words->words[words->count - 1], "--") != 0)
		return refuse(backend, err, "do not end with", "--");
	return 0;
}

/* Each of the launcher's guarantees must be among the words that are run. */
static int check_guarantees(const struct backend *backend,
			    const struct drupe_words *words, struct error *err)
{
	const struct drupe_launcher_ops *ops = &backend->launcher;

	for (size_t i = 0; i < ops->n_guarantees; i++) {
		const struct drupe_guarantee_word *promise =
			(const void *)((const char *)ops->guarantees +
				       i * ops->guarantee_size);
		size_t at = 1;

		while (at < words->count && strcmp(words->words[at], promise->word) != 0)
			at++;
		if (at == words->count)
			return refuse(backend, err, "lack the mandatory", promise->word);
	}
	return 0;
}

static int check_layer(const struct layer *layer, const struct chain_input *input,
		       const struct drupe_words *words, struct error *err)
{
	const struct backend *backend = layer->slot < N_SLOTS
						? input->backends[layer->slot]
						: NULL;
	int r = argv_check(words, ERROR_BACKEND_FAILED, err);

	if (r < 0 && backend)
		error_backend(err, slot_names[layer->slot], backend->object.name);
	if (r < 0 || !backend || (layer->segment == SEGMENT_SCOPE && words->count == 0))
		return r;
	r = check_ends(backend, words, err);
	if (r == 0 && layer->segment == SEGMENT_LAUNCHER)
		r = check_guarantees(backend, words, err);
	return r;
}

bool chain_binds_by_fd(const struct backend *launcher)
{
	uint64_t needed = launcher->launcher.bind_fd_features;

	return needed && (launcher->call.features & needed) == needed;
}

int chain_build(const struct chain_input *input, struct chain *ret_chain,
		struct error *err)
{
	struct chain chain = { 0 };

	for (size_t i = 0; i < N_SEGMENTS; i++) {
		struct drupe_words *words = &chain.segments[order[i].segment];
		int r;

		order[i].add(input, words);
		r = check_layer(&order[i], input, words, err);
		if (r < 0) {
			chain_free(&chain);
			return r;
		}
	}
	*ret_chain = chain;
	return 0;
}

void chain_join(const struct chain *chain, struct drupe_words *words)
{
	for (size_t i = 0; i < N_SEGMENTS; i++)
		argv_push_all(words, &chain->segments[order[i].segment]);
}

void chain_free(struct chain *chain)
{
	for (size_t i = 0; i < N_SEGMENTS; i++)
		argv_free(&chain->segments[i]);
}
