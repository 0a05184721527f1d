/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The cgroup scope as a folder below one delegated to the caller (a service with
 * Delegate=yes, a container, a batch step): no manager is asked, and the run stays
 * inside its engine's own cgroup.
 */
#include "drupe-backend.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct drupe_option options[] = {
	{ "parent", DRUPE_OPTION_PATH, 0, 0, NULL,
	  "the delegated folder below /sys/fs/cgroup to make groups in (needed)" },
};

/* The limit, and its file. */
#define LIMITS(X)                             \
	X(MEMORY_MAX, "memory.max")           \
	X(MEMORY_HIGH, "memory.high")         \
	X(MEMORY_SWAP_MAX, "memory.swap.max") \
	X(TASKS_MAX, "pids.max")              \
	X(CPU_QUOTA, "cpu.max")               \
	X(CPU_WEIGHT, "cpu.weight")           \
	X(IO_WEIGHT, "io.weight")
#define ROW(id, file) [DRUPE_CGROUP_##id] = file,
#define BIT(id, ...) | UINT64_C(1) << DRUPE_CGROUP_##id

/* Add one write of (file, value), in the format of the kernel's cgroup-v2
 * documentation. */
static int add_write(struct drupe_cgroup_setup *setup,
		     const struct drupe_cgroup_limit *limit)
{
	static const char *const files[] = { LIMITS(ROW) };
	size_t id = (size_t)limit->id, n = setup->n_writes;
	unsigned long long value = limit->value;

	if (id == 0 || id >= sizeof(files) / sizeof(files[0]) ||
	    n == sizeof(setup->writes) / sizeof(setup->writes[0]))
		return -ENOTSUP;
	strcpy(setup->writes[n].file, files[id]);
	if (limit->id == DRUPE_CGROUP_CPU_QUOTA) /* microseconds per period of 100 ms */
		snprintf(setup->writes[n].value, sizeof(setup->writes[n].value),
			 "%llu 100000", value * 1000);
	else
		snprintf(setup->writes[n].value, sizeof(setup->writes[n].value), "%llu",
			 value);
	setup->n_writes++;
	return 0;
}

static int cgroup2_setup(const struct drupe_call *call, const struct drupe_scope *scope,
			 struct drupe_cgroup_setup *ret_setup)
{
	const char *parent = call->host->option_text(call->options, "parent", NULL);
	int n, r = 0;

	if (!parent)
		return -EDESTADDRREQ;
	n = snprintf(ret_setup->folder, sizeof(ret_setup->folder), "%s/%s", parent,
		     scope->unit);
	if (n < 0 || n >= (int)sizeof(ret_setup->folder))
		return -ENAMETOOLONG;
	for (size_t i = 0; r == 0 && i < scope->n_limits; i++)
		r = add_write(ret_setup, (const void *)((const char *)scope->limits +
							i * scope->limit_size));
	return r;
}

static void no_words(const struct drupe_call *call, const struct drupe_scope *scope,
		     struct drupe_words *words)
{
	(void)call;
	(void)scope;
	(void)words;
}

static int cgroup2_cgroup(const struct drupe_call *call, const struct drupe_scope *scope,
			  char *ret, size_t size)
{
	(void)call;
	return snprintf(ret, size, "/%s", scope->unit) < (int)size ? 0 : -ENAMETOOLONG;
}

static const struct drupe_scope_ops ops = {
	.size = sizeof(ops),
	.enforces = 0 LIMITS(BIT),
	.words = no_words,
	.stop_words = no_words,
	.cgroup = cgroup2_cgroup,
	.setup = cgroup2_setup,
};

DRUPE_BACKEND_EXPORT = {
	.size = sizeof(struct drupe_backend),
	.abi = DRUPE_BACKEND_ABI,
	.kind = DRUPE_KIND_SCOPE,
	.name = "cgroup2",
	.version = BACKEND_VERSION,
	.summary = "cgroup limits in a folder that was delegated to the caller",
	.options = options,
	.n_options = sizeof(options) / sizeof(options[0]),
	.option_size = sizeof(options[0]),
	.scope = &ops,
};
