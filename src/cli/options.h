/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command line, parsed by one table. */
#ifndef DRUPE_OPTIONS_H
#define DRUPE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/paths.h"
#include "view/request.h"

#define OPTIONS_MAX_READS 64

/* Which commands an option belongs to. */
enum command_bit {
	FOR_RUN = 1,
	FOR_PLAN = 2,
	FOR_PREFLIGHT = 4,
	FOR_CHECK = 8,
	FOR_BACKENDS = 16,
	FOR_SERVE = 32,
};

struct options {
	const char *policy; /* -p */
	struct request request;
	const char *reads[OPTIONS_MAX_READS];
	struct paths paths; /* with --backend-dir taken in */
	const char *report;
	const char *dump;
	bool json;
	bool mcp;
	bool quiet, verbose;
	bool help, version;
	char **rest; /* what follows the options: the command, or files */
	int n_rest;
};

/*
 * Parse ARGV (argv[0] is the command's name) as options of COMMAND, up to the first
 * word that is not one.  ERR: code usage.  What was parsed before an error stands, and
 * --json is seen wherever it is, so that a caller's program gets its JSON.
 */
int options_parse(int argc, char **argv, enum command_bit command,
		  struct options *options, struct error *err);

/* The options of COMMAND, a line each. */
void options_help(enum command_bit command);

#endif
