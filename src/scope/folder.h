/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The scope that is a folder of ours and not a manager's.  The guard moves the launcher
 * in and removes the folder, even when the executor was killed.  Where the guard could
 * not (it was killed too, or runs as another user than root's), the next run sweeps it.
 */
#ifndef DRUPE_SCOPE_FOLDER_H
#define DRUPE_SCOPE_FOLDER_H

#include "scope/scope.h"

/* What the backend says to REQUEST; nothing is made.  folder is "" where it has words. */
int scope_folder_ask(const struct backend *backend, const struct drupe_scope *request,
		     struct drupe_cgroup_setup *ret_setup, struct error *err);

bool scope_is_folder(const struct scope *scope);

/* Make it with its limits, lock it, and sweep what is left of others beside it. */
int scope_folder_make(struct scope *scope, struct error *err);

/* By what the guard moves the launcher in; -1 where the scope is no folder. */
int scope_folder_entrance(const struct scope *scope, int *ret_fd, struct error *err);

/* Write VALUE to FILE in FOLDER: 0 or -errno. */
int scope_write(int folder, const char *file, const char *value);

#endif
