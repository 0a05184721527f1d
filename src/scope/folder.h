/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A scope that is a folder of ours, not a manager's.  The guard moves the launcher in
 * and removes the folder, even if the executor was killed.  If the guard could not (it
 * was killed too, or does not run as root when root made it), the next run sweeps it.
 */
#ifndef DRUPE_SCOPE_FOLDER_H
#define DRUPE_SCOPE_FOLDER_H

#include "scope/scope.h"

/* The backend's answer to REQUEST; nothing is made.  `folder` is "" if it has words. */
int scope_folder_ask(const struct backend *backend, const struct drupe_scope *request,
		     struct drupe_cgroup_setup *ret_setup, struct error *err);

bool scope_is_folder(const struct scope *scope);

/* Make it with its limits, lock it, and sweep what others left beside it. */
int scope_folder_make(struct scope *scope, struct error *err);

/* The descriptor by which the guard moves the launcher in; -1 if the scope is not a
 * folder. */
int scope_folder_entrance(const struct scope *scope, int *ret_fd, struct error *err);

/* Write VALUE to FILE in FOLDER: 0 or -errno. */
int scope_write(int folder, const char *file, const char *value);

#endif
