/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cmd-check.h"

#include <stdio.h>

#include "error.h"
#include "policy.h"

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

static bool check_file(const char *name, const char *confdir, bool quiet)
{
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_policy_ struct policy *policy = NULL;
	struct error err = { 0 };

	if (policy_open(name, confdir, &policy, &findings, &err) < 0) {
		if (findings.count > 0) {
			print_findings(&findings);
		} else {
			print_escaped(stderr, err.message);
			fputc('\n', stderr);
		}
		return false;
	}
	if (!quiet) {
		print_escaped(stdout, policy->source);
		fputs(": good\n", stdout);
	}
	return true;
}

int check_files(char *const *files, size_t n, const char *confdir, bool quiet)
{
	int status = 0;

	if (n == 0)
		return check_file(NULL, confdir, quiet) ? 0 : 1;
	for (size_t i = 0; i < n; i++)
		if (!check_file(files[i], confdir, quiet))
			status = 1;
	return status;
}
