/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plan/plan.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HOME "/home/sandbox"

/* Mounts that are always present; the lists of a policy can add more. */
#define FIXED_MOUNTS 40

/* glibc's default order asks DNS before the file. */
static const char hosts_text[] = "127.0.0.1 localhost\n::1 localhost\n";
static const char nsswitch_text[] = "passwd: files\ngroup: files\nhosts: files dns\n";

/* ---- mounts ---- */

static struct drupe_mount *add(struct plan *plan, enum drupe_mount_op op,
			       const char *source, const char *dest)
{
	struct drupe_mount *mount = &plan->mounts[plan->n_mounts++];

	*mount = (struct drupe_mount){ .op = op, .source = source, .dest = dest };
	return mount;
}

static struct mount_source *source_of(struct plan *plan, const struct drupe_mount *mount)
{
	return &plan->sources[mount - plan->mounts];
}

static void add_tmpfs(struct plan *plan, const char *dest, unsigned perms, uint64_t bytes)
{
	struct drupe_mount *mount = add(plan, DRUPE_MOUNT_TMPFS, NULL, dest);

	mount->perms = perms;
	mount->bytes = bytes;
	source_of(plan, mount)->writable = true;
}

static void add_data(struct plan *plan, const char *dest, const char *text)
{
	struct drupe_mount *mount = add(plan, DRUPE_MOUNT_DATA, NULL, dest);

	mount->perms = 0444;
	mount->fd = "{data}";
	source_of(plan, mount)->data = text;
}

static void add_place(struct plan *plan, const struct place *place, const char *dest,
		      bool writable, const char *word)
{
	struct drupe_mount *mount = add(plan,
					writable ? DRUPE_MOUNT_BIND : DRUPE_MOUNT_RO_BIND,
					place->path, dest);

	mount->fd = word;
	source_of(plan, mount)->place = place;
	source_of(plan, mount)->writable = writable;
}

static void add_system(struct plan *plan, const struct view *view)
{
	add(plan, DRUPE_MOUNT_RO_BIND, "/usr", "/usr");
	for (size_t i = 0; i < N_ROOT_ENTRIES; i++) {
		const struct root_entry *entry = &view->root[i];

		if (entry->directory)
			add(plan, DRUPE_MOUNT_RO_BIND, entry->path, entry->path);
		else if (entry->link[0])
			add(plan, DRUPE_MOUNT_SYMLINK, entry->link, entry->path);
	}
	add(plan, DRUPE_MOUNT_PROC, NULL, "/proc");
	add(plan, DRUPE_MOUNT_DEV, NULL, "/dev");
}

static void add_scratch(struct plan *plan, const struct profile *profile,
			const struct place *tmp)
{
	/* POSIX semaphores need a writable /dev/shm once /dev is sealed. */
	add_tmpfs(plan, "/dev/shm", 01777, profile->scratch_size);
	if (tmp)
		add_place(plan, tmp, "/tmp", true, "{tmp-fd}");
	else
		add_tmpfs(plan, "/tmp", 01777, profile->scratch_size);
	add(plan, DRUPE_MOUNT_DIR, NULL, "/home")->perms = 0755;
	if (profile->home == HOME_SCRATCH)
		add_tmpfs(plan, HOME, 0700, profile->scratch_size);
	else
		add(plan, DRUPE_MOUNT_DIR, NULL, HOME)->perms = 0755;
}

static void add_etc(struct plan *plan, const struct profile *profile,
		    const struct view *view, const struct grant *grant)
{
	struct drupe_mount *etc = add(plan, DRUPE_MOUNT_TMPFS, NULL, "/etc");

	etc->perms = 0755;
	etc->bytes = 1 << 20; /* sealed: it holds mount points and small files */
	if (view->alternatives)
		add(plan, DRUPE_MOUNT_RO_BIND, "/etc/alternatives", "/etc/alternatives");
	if (view->passwd)
		add_data(plan, "/etc/passwd", view->passwd);
	else
		add(plan, DRUPE_MOUNT_RO_BIND, "/etc/passwd", "/etc/passwd");
	if (view->group)
		add(plan, DRUPE_MOUNT_RO_BIND, "/etc/group", "/etc/group");
	if (profile->hosts || grant->n_files > 0) {
		add_data(plan, "/etc/hosts", hosts_text);
		add_data(plan, "/etc/nsswitch.conf", nsswitch_text);
	}
	for (size_t i = 0; i < grant->n_files; i++)
		if (grant->files[i].text)
			add_data(plan, grant->files[i].dest, grant->files[i].text);
	if (grant->ca.dest)
		add_place(plan, &grant->ca.place, grant->ca.dest, false, "{ca-fd}");
	if (view->toolchains)
		add(plan, DRUPE_MOUNT_RO_BIND, "/opt/toolchains", "/opt/toolchains");
}

/* Reads first, so that a tree under one keeps its access; then the workspace and
 * the corpora, an outer one before an inner one. */
static void add_places(struct plan *plan, const struct view *view,
		       const struct grant *grant)
{
	const struct shown *workspace = &view->workspace;
	bool workspace_done = false;

	for (size_t i = 0; i < grant->n_reads; i++)
		if (grant->reads[i].dest)
			add_place(plan, &grant->reads[i].place, grant->reads[i].dest,
				  false, "{read-fd}");
	for (size_t i = 0; i <= view->n_corpora; i++) {
		const struct shown *corpus = i < view->n_corpora ? &view->corpora[i]
								 : NULL;

		if (!workspace_done &&
		    (!corpus || strcmp(workspace->dest, corpus->dest) <= 0)) {
			workspace_done = true;
			if (workspace->place.fd >= 0)
				add_place(plan, &workspace->place, workspace->dest,
					  workspace->writable, "{workspace-fd}");
			else
				add(plan, DRUPE_MOUNT_DIR, NULL, workspace->dest)->perms =
					0755;
		}
		if (corpus)
			add_place(plan, &corpus->place, corpus->dest, corpus->writable,
				  "{corpus-fd}");
	}
}

static void add_seals(struct plan *plan)
{
	/* Last: no mount point can be made below a sealed mount. */
	add(plan, DRUPE_MOUNT_REMOUNT_RO, NULL, "/etc");
	add(plan, DRUPE_MOUNT_REMOUNT_RO, NULL, "/dev");
	add(plan, DRUPE_MOUNT_REMOUNT_RO, NULL, "/");
}

/* ---- variables ---- */

static const char *variable_of(const struct profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->n_env; i++)
		if (strcmp(profile->env[i].name, name) == 0)
			return profile->env[i].value;
	return NULL;
}

static void set(struct plan *plan, const char *name, const char *value)
{
	for (size_t i = 0; i < plan->n_env; i++)
		if (strcmp(plan->env_names[i], name) == 0) {
			plan->env_values[i] = value;
			return;
		}
	plan->env_names[plan->n_env] = name;
	plan->env_values[plan->n_env++] = value;
}

static bool has_category(const struct profile *profile)
{
	for (size_t i = 0; i < profile->n_env; i++)
		if (strncmp(profile->env[i].name, "LC_", 3) == 0)
			return true;
	return false;
}

static_assert(POLICY_ENV_MAX + 5 <= PLAN_MAX_ENV, "a policy may set more than fits");

static int make_env(struct plan *plan, const struct policy *policy,
		    const struct profile *profile, struct error *err)
{
	const char *lang = variable_of(profile, "LANG");

	if (profile->n_env + 5 > PLAN_MAX_ENV)
		return error_set(err, ERROR_POLICY_INVALID, E2BIG,
				 "%s: profile %s sets more than %d variables",
				 policy->source, profile->name, PLAN_MAX_ENV - 5);
	set(plan, "PATH", "/usr/local/bin:/usr/bin:/bin");
	set(plan, "LANG", "en_US.UTF-8");
	/* LC_ALL overrides LANG and every category: it follows the policy's LANG, and
	 * is left out if the policy sets categories. */
	if (!has_category(profile))
		set(plan, "LC_ALL", lang ? lang : "en_US.UTF-8");
	set(plan, "HOME", HOME);
	set(plan, "TMPDIR", "/tmp");
	for (size_t i = 0; i < profile->n_env; i++)
		set(plan, profile->env[i].name, profile->env[i].value);
	return 0;
}

/* ---- limits ---- */

static void make_limits(struct plan *plan, const struct profile *profile)
{
	for (size_t i = 0; i < N_RLIMITS; i++)
		if (profile->limits[i] != UNSET)
			plan->limits[plan->n_limits++] = (struct drupe_rlimit){
				.name = rlimit_table[i].name,
				.resource = rlimit_table[i].resource,
				.value = profile->limits[i],
			};
	for (size_t i = 1; i < N_CGROUP; i++)
		if (profile->cgroup[i] != UNSET)
			plan->cgroup[plan->n_cgroup++] = (struct drupe_cgroup_limit){
				.id = (enum drupe_cgroup_limit_id)i,
				.value = profile->cgroup[i],
			};
}

int plan_make(const struct policy *policy, const struct profile *profile,
	      const struct view *view, const struct grant *grant, const struct place *tmp,
	      struct plan *ret_plan, struct error *err)
{
	size_t capacity = FIXED_MOUNTS + grant->n_files + grant->n_reads +
			  view->n_corpora;
	struct plan plan = { 0 };
	int r;

	plan.mounts = calloc(capacity, sizeof(*plan.mounts));
	plan.sources = calloc(capacity, sizeof(*plan.sources));
	if (!plan.mounts || !plan.sources) {
		plan_free(&plan);
		return error_set(err, ERROR_SYSTEM, ENOMEM, "out of memory");
	}
	add_system(&plan, view);
	add_scratch(&plan, profile, tmp);
	add_etc(&plan, profile, view, grant);
	add_places(&plan, view, grant);
	add_seals(&plan);
	make_limits(&plan, profile);
	plan.timeout_ms = grant->timeout_ms;
	plan.chdir = view->workspace.dest;
	plan.nested_userns = profile->nested_userns;
	r = make_env(&plan, policy, profile, err);
	if (r < 0) {
		plan_free(&plan);
		return r;
	}
	*ret_plan = plan;
	return 0;
}

void plan_free(struct plan *plan)
{
	free(plan->mounts);
	free(plan->sources);
	*plan = (struct plan){ 0 };
}
