/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Each rlimit of the plan against the hard limit in force for the child. */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "base/fd.h"
#include "verify/checks.h"

/* What getrlimit(2) calls it and what /proc/PID/limits does.  prlimit(2) would need
 * CAP_SYS_RESOURCE where the caller is root and the child is not. */
static const struct {
	int resource;
	const char *label;
} limit_labels[] = {
	{ RLIMIT_NOFILE, "Max open files" }, { RLIMIT_CORE, "Max core file size" },
	{ RLIMIT_CPU, "Max cpu time" },	     { RLIMIT_FSIZE, "Max file size" },
	{ RLIMIT_AS, "Max address space" },  { RLIMIT_NPROC, "Max processes" },
	{ RLIMIT_STACK, "Max stack size" },  { RLIMIT_MEMLOCK, "Max locked memory" },
};

/* The hard limit, UINT64_MAX for unlimited; false: not told. */
static bool hard_limit(const char *text, int resource, uint64_t *ret_value)
{
	const char *label = NULL, *line;
	char hard[32];

	for (size_t i = 0; i < sizeof(limit_labels) / sizeof(limit_labels[0]); i++)
		if (limit_labels[i].resource == resource)
			label = limit_labels[i].label;
	line = label ? strstr(text, label) : NULL;
	if (!line || sscanf(line + strlen(label), " %*s %31s", hard) != 1)
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
		return verify_bad_child(err, (int)-n, "does not tell its limits");
	for (size_t i = 0; i < plan->n_limits; i++) {
		const struct drupe_rlimit *limit = &plan->limits[i];
		uint64_t hard;

		if (!hard_limit(text, limit->resource, &hard))
			return verify_bad_child(err, 0, "does not tell all its limits");
		if (limit->value <= hard)
			continue;
		error_set(err, ERROR_LIMIT_ABOVE_HARD, EPERM,
			  "cannot set RLIMIT %s to %llu: the hard limit is %llu",
			  limit->name, (unsigned long long)limit->value,
			  (unsigned long long)hard);
		error_hint(err,
			   "raise the caller's hard limit (limits.conf, LimitXXX= of its "
			   "unit), or lower `%s` in the policy",
			   limit->name);
		return -EPERM;
	}
	return 0;
}
