/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An rlimits backend as it was built against the header of version 0.1. */
#include "drupe-backend-1.h"

static void frozen_words(const struct drupe_call *call,
			 const struct drupe_rlimits *limits, struct drupe_words *words)
{
	call->host->push(words, "/usr/bin/prlimit");
	for (size_t i = 0; i < limits->n_limits; i++) {
		const struct drupe_rlimit *limit = drupe_rlimit_at(limits, i);

		call->host->pushf(words, "--%s=%llu", limit->name,
				  (unsigned long long)limit->value);
	}
	if (call->host->option_bool(call->options, "loud", false))
		call->host->pushf(words, "--loud=%llu",
				  (unsigned long long)call->host->option_number(
					  call->options, "level", 3));
	call->host->push(words, call->host->option_text(call->options, "last", "--"));
}

static const struct drupe_option options[] = {
	{ "loud", DRUPE_OPTION_BOOL, 0, 0, NULL, "say more" },
	{ "level", DRUPE_OPTION_COUNT, 1, 9, NULL, "how much more" },
	{ "last", DRUPE_OPTION_TEXT, 1, 10, NULL, "the last word" },
};

static const struct drupe_rlimits_ops ops = {
	.size = sizeof(ops),
	.words = frozen_words,
};

DRUPE_BACKEND_EXPORT = {
	.size = sizeof(struct drupe_backend),
	.abi = DRUPE_BACKEND_ABI,
	.kind = DRUPE_KIND_RLIMITS,
	.name = "frozen",
	.version = "1",
	.summary = "built against the header of 0.1",
	.tool = "/usr/bin/prlimit",
	.options = options,
	.n_options = sizeof(options) / sizeof(options[0]),
	.option_size = sizeof(options[0]),
	.rlimits = &ops,
};
