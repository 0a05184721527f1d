/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* drupe check: all findings go to stderr, a line for each good policy to stdout. */
#include <stdio.h>

#include "backend/option-check.h"
#include "base/error.h"
#include "cli/commands.h"
#include "policy/open.h"

static void print_findings(const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];

		print_escaped(stderr, findings->source);
		fprintf(stderr, ":%u:%u: ", finding->where.line, finding->where.column);
		print_escaped(stderr, finding->text);
		fputc('\n', stderr);
	}
}

static bool check_file(const char *name, const struct paths *paths, bool quiet)
{
	_cleanup_findings_ struct findings findings = { 0 };
	struct error err = { 0 };

	if (policy_check(name, paths->policies, option_check_all, paths->backends,
			 &findings, &err) < 0) {
		if (findings.count > 0) {
			print_findings(&findings);
		} else {
			print_escaped(stderr, err.message);
			fputc('\n', stderr);
		}
		return false;
	}
	if (!quiet) {
		print_escaped(stdout, findings.source);
		fputs(": good\n", stdout);
	}
	return true;
}

int cmd_check(const struct options *options)
{
	int status = EXIT_GOOD;

	if (options->n_rest == 0) /* the one that `run` would take */
		return check_file(NULL, &options->paths, options->quiet) ? EXIT_GOOD
									 : EXIT_FINDINGS;
	for (int i = 0; i < options->n_rest; i++)
		if (!check_file(options->rest[i], &options->paths, options->quiet))
			status = EXIT_FINDINGS;
	return status;
}
