/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The commands of drupe: each takes its options and returns the exit status. */
#ifndef DRUPE_COMMANDS_H
#define DRUPE_COMMANDS_H

#include "base/json.h"
#include "cli/options.h"

#define EXIT_GOOD 0
#define EXIT_FINDINGS 1
#define EXIT_MISUSE 2

int cmd_run(const struct options *options);
int cmd_plan(const struct options *options);
int cmd_preflight(const struct options *options);
int cmd_check(const struct options *options);
int cmd_backends(const struct options *options);
int cmd_serve(const struct options *options);

/* Print JSON as one line on stdout, and free it.  A failure is reported. */
int print_json(json_t *json);

/* Say on stderr that WHAT cannot be written, unless its reader went away (EPIPE). */
void print_unwritten(const char *what, int errnum);

#endif
