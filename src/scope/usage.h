/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a run used. */
#ifndef DRUPE_USAGE_H
#define DRUPE_USAGE_H

#include <stdint.h>

/* UINT64_MAX or NAN: unknown. */
struct usage {
	double user_seconds, system_seconds;
	uint64_t memory_peak, pids_peak, oom_kills;
};

#endif
