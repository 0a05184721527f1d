/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Per-process limits by prlimit(1).  It runs innermost, as the last program before the
 * command, so that the limits apply to the command and whatever it starts, not to the
 * launcher.
 */
#include "drupe-backend.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* The limits that prlimit has an option for, under the same name. */
static const char *const known[] = { "nofile", "core",	"cpu",	 "fsize",
				     "as",     "nproc", "stack", "memlock" };

static bool is_known(const char *name)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(name, known[i]) == 0)
			return true;
	return false;
}

static void prlimit_words(const struct drupe_call *call,
			  const struct drupe_rlimits *limits, struct drupe_words *words)
{
	const struct drupe_host *host = call->host;

	host->push(words, PRLIMIT_PATH);
	for (size_t i = 0; i < limits->n_limits; i++) {
		const struct drupe_rlimit *limit = drupe_rlimit_at(limits, i);

		if (!is_known(limit->name)) {
			host->fail(words, ENOTSUP, "prlimit has no limit called \"%s\"",
				   limit->name);
			return;
		}
		/* Soft and hard alike, so that the command cannot raise the soft limit.
		 */
		host->pushf(words, "--%s=%" PRIu64 ":%" PRIu64, limit->name, limit->value,
			    limit->value);
	}
	/* Else a command that begins with "-" would be taken for an option. */
	host->push(words, "--");
}

static const struct drupe_rlimits_ops ops = {
	.size = sizeof(ops),
	.words = prlimit_words,
};

DRUPE_BACKEND_EXPORT = {
	.size = sizeof(struct drupe_backend),
	.abi = DRUPE_BACKEND_ABI,
	.kind = DRUPE_KIND_RLIMITS,
	.name = "prlimit",
	.version = BACKEND_VERSION,
	.summary = "per-process limits by prlimit(1) of util-linux",
	.tool = PRLIMIT_PATH,
	.rlimits = &ops,
};
