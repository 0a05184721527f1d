/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether the program that a backend's words start with may be run. */
#ifndef DRUPE_TOOL_H
#define DRUPE_TOOL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct tool {
	dev_t dev; /* of the program itself, links resolved */
	ino_t ino;
	uint64_t features; /* bit i: FEATURES[i] is one of its string constants */
};

/*
 * PATH must be a regular file that RUN_UID can execute, neither set-id nor with
 * capabilities of its own, and at a path, links included, that only root can change:
 * what the command's user can rewrite, a command can too (once it has escaped, or from
 * another sandbox).  INSIDE: it must be visible to the command, so below /usr.
 * FEATURES is NULL-terminated or NULL.  ERR: tool-missing, tool-untrusted.
 */
int tool_check(const char *path, const char *const *features, uid_t run_uid, bool inside,
	       struct tool *ret_tool, struct error *err);

#endif
