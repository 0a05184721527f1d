/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds, checks and loads backends: trust of folder and file, ELF, dlopen, ABI,
 * kind, name, options, tool.  There is no list and no second try (R3).
 */
#ifndef DRUPE_REGISTRY_H
#define DRUPE_REGISTRY_H

#include <stdbool.h>
#include <sys/types.h>

#include "backend/host.h"
#include "base/error.h"
#include "drupe-backend.h"
#include "policy/policy.h"

/* A loaded backend.  `object` and the ops are the executor's own copies, zero where an
 * older backend has no such field. */
struct backend {
	enum slot slot;
	char *file; /* absolute path of the shared object */
	struct drupe_backend object;
	union {
		struct drupe_scope_ops scope;
		struct drupe_launcher_ops launcher;
		struct drupe_rlimits_ops rlimits;
		struct drupe_network_ops network;
	};
	struct drupe_options *options;
	struct drupe_call call; /* what its functions receive */
	dev_t tool_dev;		/* the tool that was checked */
	ino_t tool_ino;
};

/*
 * Load KIND-NAME.so from the folder DIR (NULL: the configured one) for this policy
 * (NULL: no options are set), and check its tool.  RUN_UID is the user that will run the
 * command: a tool that this user could write is refused.  One handle per file for the
 * life of the process: never unloaded.
 */
int registry_load(const char *dir, enum slot slot, const char *name,
		  const struct policy *policy, uid_t run_uid,
		  struct backend **ret_backend, struct error *err);
void registry_unref(struct backend *backend);

/* The same without options and tool: only to look at its tables. */
int registry_look(const char *dir, enum slot slot, const char *name,
		  struct backend **ret_backend, struct error *err);

/* The name of a backend in messages: its tool, or its own file if it has none (a scope
 * that is a folder).  Never NULL. */
const char *backend_tool(const struct backend *backend);

/* Whether WORDS start with the tool, so that what runs is what was checked. */
bool backend_runs_tool(const struct backend *backend, const struct drupe_words *words);

static inline void registry_unrefp(struct backend **backend)
{
	registry_unref(*backend);
}
#define _cleanup_backend_ __attribute__((cleanup(registry_unrefp)))

/* The folder that will be searched. */
const char *registry_dir(const char *dir);

/* For `drupe backends`: each KIND-NAME.so, sorted by slot, then by name.  The tools are
 * checked for the caller's own user. */
struct registry_entry {
	enum slot slot;
	char name[40];
	struct backend *backend; /* NULL: not loaded, for the reason in `error` */
	struct error error;	 /* ERROR_NONE, or why a run would be refused: also set
				  * for a backend that is good but whose tool is not */
};
int registry_list(const char *dir, struct registry_entry **ret_entries, size_t *ret_count,
		  struct error *err);
void registry_list_free(struct registry_entry *entries, size_t count);

#endif
