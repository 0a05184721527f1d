/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Deadlines on the monotonic clock, in nanoseconds. */
#ifndef DRUPE_CLOCK_H
#define DRUPE_CLOCK_H

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <time.h>

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_SECOND INT64_C(1000000000)

static inline int64_t clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_SECOND + now.tv_nsec;
}

static inline int64_t deadline_in_ms(uint64_t ms)
{
	return clock_now() + (int64_t)ms * NS_PER_MS;
}

/* Time left until DEADLINE, never negative. */
static inline struct timespec clock_left(int64_t deadline)
{
	int64_t left = deadline - clock_now();

	if (left < 0)
		left = 0;
	return (struct timespec){ .tv_sec = left / NS_PER_SECOND,
				  .tv_nsec = left % NS_PER_SECOND };
}

/* poll(2) until DEADLINE, restarted after signals. */
static inline int poll_until(struct pollfd *fds, nfds_t n, int64_t deadline)
{
	for (;;) {
		struct timespec left = clock_left(deadline);
		int r = ppoll(fds, n, &left, NULL);

		if (r >= 0 || errno != EINTR)
			return r;
	}
}

#endif
