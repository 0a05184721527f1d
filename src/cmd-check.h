/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* drupe check: validate policies. */
#ifndef DRUPE_CMD_CHECK_H
#define DRUPE_CMD_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "paths.h"

/*
 * Check the N policies that FILES names (as -p does), or with none the one that `run`
 * would take; PATHS says where names and the backends' options are looked up.  All
 * findings go to stderr, and unless QUIET a line for each good one to stdout.  0: all are
 * good, 1: not so.
 */
int check_files(char *const *files, size_t n, const struct paths *paths, bool quiet);

#endif
