/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* drupe backends: what is installed, and whether a run would take it. */
#ifndef DRUPE_CMD_BACKENDS_H
#define DRUPE_CMD_BACKENDS_H

#include <jansson.h>
#include <stdbool.h>

#include "error.h"

/*
 * Print the backends of DIR (NULL: the configured folder) as a table, or with DUMP
 * ("NAME" or "KIND-NAME") everything about that one; as JSON where JSON is set.
 * The exit status: 0, 1 when one of those shown is refused, 2 when DUMP names none.
 */
int backends_list(const char *dir, const char *dump, bool json);

/* What `drupe backends --json` prints, for the server.  *ret_refused (may be NULL):
 * how many of them a run would refuse. */
int backends_json(const char *dir, json_t **ret_json, size_t *ret_refused,
		  struct error *err);

#endif
