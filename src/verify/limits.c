/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Each rlimit of the plan against the hard limit in force for the child. */
#include <errno.h>
#include <string.h>

#include "base/fd.h"
#include "verify/checks.h"

static const struct rlimit_info *find_limit(int resource)
{
	for (size_t i = 0; i < N_RLIMITS; i++)
		if (rlimit_table[i].resource == resource)
			return &rlimit_table[i];
	return NULL;
}

/* The hard limit, UINT64_MAX for unlimited; false: not in TEXT.  prlimit(2) would need
 * CAP_SYS_RESOURCE where the caller is root and the child is not. */
static bool hard_limit(const char *text, const struct rlimit_info *limit,
		       uint64_t *ret_value)
{
	const char *line = limit ? strstr(text, limit->label) : NULL;
	char hard[32];

	if (!line || sscanf(line + strlen(limit->label), " %*s %31s", hard) != 1)
		return false;
	*ret_value = strcmp(hard, "unlimited") == 0 ? UINT64_MAX
						    : strtoull(hard, NULL, 10);
	return true;
}

int verify_limits(const struct held *held, const struct verify_input *input,
		  struct error *err)
{
	const struct plan *plan = input->plan;
	char text[4096];
	ssize_t n = fd_read_file(held->proc, "limits", text, sizeof(text));

	if (n < 0)
		return verify_bad_child(err, (int)-n, "does not show its limits");
	for (size_t i = 0; i < plan->n_limits; i++) {
		const struct drupe_rlimit *limit = &plan->limits[i];
		const struct rlimit_info *info = find_limit(limit->resource);
		uint64_t hard;

		if (!hard_limit(text, info, &hard))
			return verify_bad_child(err, 0, "does not show all its limits");
		if (limit->value <= hard)
			continue;
		error_set(err, ERROR_LIMIT_ABOVE_HARD, EPERM,
			  "cannot set %s to %llu: the hard limit is %llu", info->constant,
			  (unsigned long long)limit->value, (unsigned long long)hard);
		error_hint(err,
			   "raise the caller's hard limit (limits.conf, LimitXXX= of its "
			   "unit), or lower `%s` in the policy",
			   limit->name);
		return -EPERM;
	}
	return 0;
}
