/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* drupe check: all findings go to stderr, a line for each good policy to stdout. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "base/error.h"
#include "policy/policy.h"
#include "backend/registry.h"

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

/* Options are in the backend's own table.  A backend that is not here, or not fit, is no
 * fault of the policy: preflight tells. */
static bool check_options(const struct policy *policy, const char *dir)
{
	bool good = true;

	for (size_t slot = 0; slot < N_SLOTS; slot++) {
		_cleanup_backend_ struct backend *backend = NULL;
		struct error err = { 0 };

		if (strcmp(policy->backends[slot], "none") == 0 ||
		    registry_load(dir, (enum slot)slot, policy->backends[slot], policy,
				  geteuid(), &backend, &err) == 0 ||
		    err.code != ERROR_OPTION_INVALID)
			continue;
		print_escaped(stderr, err.message);
		fputc('\n', stderr);
		good = false;
	}
	return good;
}

static bool check_file(const char *name, const struct paths *paths, bool quiet)
{
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_policy_ struct policy *policy = NULL;
	struct error err = { 0 };

	if (policy_open(name, paths->policies, &policy, &findings, &err) < 0) {
		if (findings.count > 0) {
			print_findings(&findings);
		} else {
			print_escaped(stderr, err.message);
			fputc('\n', stderr);
		}
		return false;
	}
	if (!check_options(policy, paths->backends))
		return false;
	if (!quiet) {
		print_escaped(stdout, policy->source);
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
