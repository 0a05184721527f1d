/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From a session to a started guard: descriptors, command line, spawn. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/spawn.h"
#include "run/run.h"
#include "scope/folder.h"

/* The launcher's descriptors beyond 0, 1, 2, and their spelling on its command line. */
struct inheritance {
	int fds[RUN_MAX_HANDED];
	size_t count;
	char list[RUN_MAX_HANDED * 8];
	struct drupe_words words; /* each number as a word, in order */
	int data[RUN_MAX_HANDED]; /* those we must close */
	size_t n_data;
};

static const char *hand_over(struct inheritance *inherited, int fd, struct error *err)
{
	size_t length = strlen(inherited->list);

	if (inherited->count == RUN_MAX_HANDED) {
		error_set(err, ERROR_MOUNT_REFUSED, E2BIG,
			  "more than %d descriptors would go to the launcher",
			  RUN_MAX_HANDED);
		return NULL;
	}
	inherited->fds[inherited->count++] = fd;
	snprintf(inherited->list + length, sizeof(inherited->list) - length, "%s%d",
		 length ? "," : "", fd);
	argv_pushf(&inherited->words, "%d", fd);
	if (argv_check(&inherited->words, ERROR_SYSTEM, err) < 0)
		return NULL;
	return inherited->words.words[inherited->words.count - 1];
}

/* Replace the plan's placeholders by descriptors.  A launcher that cannot bind by
 * descriptor must not get any: it would leave them open in the command. */
static int hand_over_mounts(struct run *run, struct inheritance *inherited,
			    struct error *err)
{
	bool by_fd = chain_binds_by_fd(run->sandbox->backends[SLOT_LAUNCHER]);

	for (size_t i = 0; i < run->plan.n_mounts; i++) {
		const struct mount_source *source = &run->plan.sources[i];
		struct drupe_mount *mount = &run->plan.mounts[i];
		bool is_tmp = source->place == &run->sandbox->tmp.place;
		int fd = source->place && by_fd ? source->place->fd : -1;

		mount->fd = NULL;
		if (source->data) {
			int r = fd_data(source->data, strlen(source->data), &fd, err);

			if (r < 0)
				return r;
			inherited->data[inherited->n_data++] = fd;
		}
		if (is_tmp && by_fd && fd < 0) {
			/* Not made yet: a number for the guard to open it as. */
			int r = fd_null(O_PATH, &fd, err);

			if (r < 0)
				return r;
			inherited->data[inherited->n_data++] = fd;
		}
		if (fd < 0)
			continue;
		mount->fd = hand_over(inherited, fd, err);
		if (!mount->fd)
			return -E2BIG;
	}
	return 0;
}

static void inheritance_free(struct inheritance *inherited)
{
	for (size_t i = 0; i < inherited->n_data; i++)
		close_fd(&inherited->data[i]);
	argv_free(&inherited->words);
}

static void close_stdio(int (*stdio)[3])
{
	for (size_t i = 0; i < 3; i++)
		close_fd(&(*stdio)[i]);
}

/* The descriptor of /tmp as a word, "-" where the launcher binds by path. */
static const char *tmp_word(const struct run *run)
{
	for (size_t i = 0; i < run->plan.n_mounts; i++)
		if (run->plan.sources[i].place == &run->sandbox->tmp.place &&
		    run->plan.mounts[i].fd)
			return run->plan.mounts[i].fd;
	return "-";
}

/* OWN: descriptors that stay with the guard: the lifeline and cgroup.procs (-1: none). */
static int build_words(struct run *run, struct inheritance *inherited, const int own[2],
		       struct drupe_words *words, struct error *err)
{
	struct chain_words texts = { .guard = run->sandbox->paths->guard };
	struct chain_input input = {
		.backends = run->sandbox->backends,
		.plan = &run->plan,
		.scope = run->scope.request.size ? &run->scope.request : NULL,
		.words = &texts,
		.command = run->request->command,
	};
	struct chain chain;
	char control_text[16], procs_text[16];
	int r;

	snprintf(control_text, sizeof(control_text), "%d", own[0]);
	texts.control_fd = control_text;
	if (own[1] >= 0) {
		snprintf(procs_text, sizeof(procs_text), "%d", own[1]);
		texts.cgroup = run->scope.setup->folder;
		texts.cgroup_procs = procs_text;
	}
	texts.info_fd = hand_over(inherited, run->gate.info_write, err);
	texts.status_fd = hand_over(inherited, run->gate.status_write, err);
	texts.block_fd = hand_over(inherited, run->gate.block_read, err);
	texts.sync_fd = hand_over(inherited, run->gate.block_write, err);
	if (!texts.info_fd || !texts.status_fd || !texts.block_fd || !texts.sync_fd)
		return -E2BIG;
	run->gate_seen.read = run->gate.block_read;
	run->gate_seen.write = run->gate.block_write;
	if (fstat(run->gate.block_write, &run->gate_seen.st) < 0)
		return error_set(err, ERROR_SYSTEM, errno, "cannot look at the gate: %s",
				 strerror(errno));
	texts.keep = inherited->list;
	texts.leave = !run->scope.request.size; /* with one, the evidence is read first */
	/* In a lasting session the keeper removes it. */
	if (run->sandbox->one_shot) {
		texts.tmp = run->sandbox->tmp.place.path;
		texts.make_tmp = tmp_word(run);
	}
	r = chain_build(&input, &chain, err);
	if (r < 0)
		return r;
	chain_join(&chain, words);
	chain_free(&chain);
	return argv_check(words, ERROR_SYSTEM, err);
}

static int spawn_guard(struct run *run, struct inheritance *inherited, int control,
		       const int stdio[3], struct error *err)
{
	_cleanup_argv_ struct drupe_words words = { 0 };
	_cleanup_close_ int entrance = -1;
	/* R8: empty, or the address that the scope's tool needs; the guard passes nothing
	 * on.  A system scope's tool needs root, then switches to the user itself; it
	 * leaves the groups as they are. */
	bool by_tool = run->scope.request.size && !scope_is_folder(&run->scope);
	struct spawn spawn = {
		.envp = run->scope.environment,
		.stdio = { stdio[0], stdio[1], stdio[2] },
		.nofile = run->sandbox->nofile,
		/* Killed while its manager moves it into the scope, the tool would leave
		 * an empty scope behind for ever.  The guard that it becomes sees the
		 * closed lifeline. */
		.lives_on = by_tool,
		.identity = &run->sandbox->identity,
		.keeps_ids = by_tool,
	};
	int fds[RUN_MAX_HANDED + 2];
	int r = scope_folder_entrance(&run->scope, &entrance, err);

	if (r == 0)
		r = build_words(run, inherited, (int[]){ control, entrance }, &words,
				err);
	if (r < 0)
		return r;
	memcpy(fds, inherited->fds, inherited->count * sizeof(fds[0]));
	spawn.argv = words.words;
	spawn.inherit = fds;
	spawn.n_inherit = inherited->count;
	fds[spawn.n_inherit++] = control;
	if (entrance >= 0)
		fds[spawn.n_inherit++] = entrance;
	return spawn_process(&spawn, &run->guard, &run->guard_pidfd, err);
}

static int launch(struct run *run, struct inheritance *inherited, int control,
		  int (*stdio)[3], struct error *err)
{
	int r = run_open_input(run, &(*stdio)[0], err);

	if (r == 0)
		r = run_open_output(run, 0, &(*stdio)[1], err);
	if (r == 0)
		r = run_open_output(run, 1, &(*stdio)[2], err);
	if (r == 0)
		r = gate_open(&run->gate, err);
	if (r == 0)
		r = hand_over_mounts(run, inherited, err);
	if (r == 0)
		r = spawn_guard(run, inherited, control, *stdio, err);
	return r;
}

/* A launcher would only say that it cannot find the source of a mount. */
static int check_places(const struct sandbox *sandbox, struct error *err)
{
	const struct view *view = &sandbox->view;
	int r = 0;

	if (view->workspace.place.fd >= 0)
		r = place_check_present(&view->workspace.place, ERROR_WORKSPACE_GONE,
					"workspace", err);
	for (size_t i = 0; r == 0 && i < view->n_corpora; i++)
		r = place_check_present(&view->corpora[i].place, ERROR_PLACE_GONE,
					"corpus", err);
	if (r == 0 && sandbox->tmp.place.fd >= 0)
		r = place_check_present(&sandbox->tmp.place, ERROR_PLACE_GONE,
					"private tmp", err);
	return r;
}

int run_launch(struct run *run, struct error *err)
{
	struct sandbox *sandbox = run->sandbox;
	const struct place *tmp = sandbox->tmp.place.path ? &sandbox->tmp.place : NULL;
	struct inheritance inherited = { 0 };
	_cleanup_close_ int control = -1;
	int stdio[3] = { -1, -1, -1 };
	int r = check_places(sandbox, err);

	if (r == 0)
		r = plan_make(sandbox->policy, sandbox->profile, &sandbox->view,
			      run->grant, tmp, &run->plan, err);
	if (r == 0 && sandbox->backends[SLOT_SCOPE])
		r = scope_prepare(&run->scope, sandbox->backends[SLOT_SCOPE],
				  &sandbox->identity, &run->plan, err);
	if (r == 0)
		r = fd_lifeline(&run->control, &control, err);
	if (r == 0)
		r = launch(run, &inherited, control, &stdio, err);
	/* Close our copies of the guard's ends: one kept open would prevent EOF. */
	gate_close_child_ends(&run->gate);
	close_stdio(&stdio);
	inheritance_free(&inherited);
	return r;
}
