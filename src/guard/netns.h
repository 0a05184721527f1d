/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the executor and drupe-netns say to each other.
 *
 * drupe-netns is a process that has joined the pinned user and network namespaces.
 * It makes the tap device there before the helper starts, installs the routes of
 * network_deny once it is ready, and, for a helper that cannot inherit descriptors,
 * holds both namespaces under its own /proc/PID/ns.  Only a whole process can join
 * namespaces, and drupe itself must stay where it is.
 */
#ifndef DRUPE_NETNS_H
#define DRUPE_NETNS_H

#include <stdint.h>

/* drupe-netns to executor. */
enum netns_event {
	NETNS_JOINED =
		1, /* in both namespaces; the tap, if one was asked for, is there */
	NETNS_DENIED = 2, /* all routes are installed and were read back */
	NETNS_FAILED = 3, /* value: errno; what: enum netns_step */
};

enum netns_step {
	NETNS_STEP_ARGUMENTS = 1,
	NETNS_STEP_USERNS = 2,
	NETNS_STEP_NETNS = 3,
	NETNS_STEP_TUN = 4,    /* /dev/net/tun could not be opened */
	NETNS_STEP_TAP = 5,    /* the device could not be made */
	NETNS_STEP_ROUTE = 6,  /* a route could not be installed */
	NETNS_STEP_VERIFY = 7, /* a route was not there when read back */
};

struct netns_message {
	uint32_t event;
	uint32_t what;
	int32_t value;
};

/* Executor to drupe-netns, one byte. */
#define NETNS_DENY 'D' /* install the routes now */

#endif
