/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The network of a held run: started and awaited, while the run is watched. */
#include <errno.h>
#include <poll.h>

#include "base/clock.h"
#include "base/fd.h"
#include "guard/netns.h"
#include "run/run.h"

/* A helper is ready in milliseconds; this is for machines under heavy load. */
#define READY_MS 20000

int run_join_network(struct run *run, struct error *err)
{
	struct network *network = &run->network;

	network->netns = run->held.netns;
	network->userns = run->held.userns;
	return network_join(network, run->sandbox->paths->netns,
			    &run->sandbox->profile->network_deny, err);
}

/* Wait for EVENT of drupe-netns. */
static int await_joiner(struct run *run, uint32_t event, int64_t deadline,
			struct error *err)
{
	for (;;) {
		struct pollfd control = { .fd = run->network.joiner_control,
					  .events = POLLIN };
		int r = run_wait(run, &control, 1, deadline);

		if (r < 0)
			return network_failed(&run->network, -r,
					      "drupe-netns did not answer", err);
		r = control.revents ? network_joiner_said(&run->network, event, err) : 0;
		if (r != 0)
			return r < 0 ? r : 0;
	}
}

/* Wait until the helper is ready and still alive. */
static int await_helper(struct run *run, int64_t deadline, struct error *err)
{
	struct network *network = &run->network;

	for (;;) {
		struct pollfd fds[] = {
			{ .fd = network->ready, .events = POLLIN },
			{ .fd = network->output, .events = POLLIN },
			{ .fd = run->held.pidfd, .events = POLLIN },
		};
		int r = run_wait(run, fds, 3, deadline);

		if (r < 0)
			return network_helper_failed(
				network,
				r == -ECANCELED ? "cancelled" : "was not ready in time",
				err);
		if (fds[2].revents)
			return run_launcher_failure(run, err);
		if (fds[1].revents)
			network_read_output(network);
		r = fds[0].revents ? network_helper_said(network, err) : 0;
		if (r != 0)
			return r < 0 ? r : 0;
	}
}

static int deny(struct run *run, int64_t deadline, struct error *err)
{
	int r;

	if (run->sandbox->profile->network_deny.count == 0)
		return 0;
	r = network_deny(&run->network, err);
	return r < 0 ? r : await_joiner(run, NETNS_DENIED, deadline, err);
}

int run_attach_network(struct run *run, struct error *err)
{
	struct pollfd child = { .fd = run->held.pidfd, .events = POLLIN };
	struct network *network = &run->network;
	int64_t deadline = deadline_in_ms(READY_MS);
	int r = await_joiner(run, NETNS_JOINED, deadline, err);

	if (r == 0)
		r = network_start(network, err);
	if (r == 0)
		r = await_helper(run, deadline, err);
	if (r == 0)
		r = deny(run, deadline, err);
	network_end_joiner(network);
	/* Not needed once the helper is ready. */
	close_fd(&run->held.netns);
	close_fd(&run->held.userns);
	network->netns = network->userns = -1;
	if (r == 0 && network_helper_is_gone(network))
		r = network_helper_failed(network, "ended right after it was ready", err);
	/* An open handle outlives the processes: look at the child. */
	if (r == 0 && poll(&child, 1, 0) > 0)
		r = run_launcher_failure(run, err);
	return r;
}
