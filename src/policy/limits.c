/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "policy/limits.h"

#include <assert.h>
#include <sys/resource.h>

#define ROW(id, key, type, from, to, fallback, label, help) \
	[LIMIT_##id] = { key, "RLIMIT_" #id, RLIMIT_##id, label },
const struct rlimit_info rlimit_table[N_RLIMITS] = { RLIMITS(ROW) };
#undef ROW

#define ROW(id, key, type, from, to, file, reading, controller, help) \
	[DRUPE_CGROUP_##id] = { key, file, READING_##reading, controller },
const struct cgroup_info cgroup_table[N_CGROUP] = { CGROUP_LIMITS(ROW) };
#undef ROW

#define CHECK(id, ...)                                      \
	static_assert((size_t)DRUPE_CGROUP_##id < N_CGROUP, \
		      #id " leaves a hole in the table");
CGROUP_LIMITS(CHECK)
#undef CHECK
