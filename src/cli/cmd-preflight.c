/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* drupe preflight: a line for each check, and the fix for one that failed. */
#include <signal.h>

#include "cli/commands.h"
#include "run/result.h"
#include "session/preflight.h"

struct lines {
	bool quiet;
	bool failed;
};

static void print_check(void *data, const struct preflight_check *check)
{
	struct lines *lines = data;

	lines->failed |= check->verdict == PREFLIGHT_BAD;
	if (lines->quiet && check->verdict == PREFLIGHT_GOOD)
		return;
	printf("%-5s %s%s", preflight_words[check->verdict], check->name,
	       *check->detail ? ": " : "");
	print_escaped(stdout, check->detail);
	putchar('\n');
	if (*check->fix) {
		fputs("      fix: ", stdout);
		print_escaped(stdout, check->fix);
		putchar('\n');
	}
}

int cmd_preflight(const struct options *options)
{
	struct lines lines = { .quiet = options->quiet };
	const struct preflight_sink sink = { print_check, &lines, NULL, NULL };

	/* A sandbox may die at the gate while we write to it. */
	signal(SIGPIPE, SIG_IGN);
	if (!options->json)
		preflight_all(options->policy, &options->request, &options->paths, &sink);
	else if (print_json(preflight_json(options->policy, &options->request,
					   &options->paths, NULL, &lines.failed)) < 0)
		return EXIT_MISUSE;
	return lines.failed ? EXIT_FINDINGS : EXIT_GOOD;
}
