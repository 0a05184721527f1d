/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * drupe-netns: inside the pinned namespaces, for the executor.
 *
 *   drupe-netns --control=FD --userns=FD --netns=FD [--tap=NAME]
 * [--deny=ADDRESS/LENGTH]...
 *
 * See netns.h.  It ends when the other end of the control socket is closed.
 */
#include "guard/netns.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_DENY 8192 /* the 1024 of a list, and every address of a large host */

struct cidr {
	unsigned char family; /* AF_INET, AF_INET6 */
	unsigned char length; /* of the prefix, bits */
	unsigned char address[16];
	bool seen; /* when reading back */
};

struct job {
	int control, userns, netns;
	const char *tap;
	struct cidr deny[MAX_DENY];
	size_t n_deny;
};

static void say(const struct job *job, uint32_t event, uint32_t what, int value)
{
	const struct netns_message message = { .event = event,
					       .what = what,
					       .value = value };

	(void)!send(job->control, &message, sizeof(message), MSG_NOSIGNAL);
}

static int fail(const struct job *job, enum netns_step step, int errnum)
{
	say(job, NETNS_FAILED, step, errnum);
	return 1;
}

/* ---- arguments ---- */

static bool parse_cidr(const char *text, struct cidr *cidr)
{
	char address[64];
	const char *slash = strchr(text, '/');
	char *end;
	long length;

	if (!slash || (size_t)(slash - text) >= sizeof(address))
		return false;
	memcpy(address, text, (size_t)(slash - text));
	address[slash - text] = '\0';
	cidr->family = strchr(address, ':') ? AF_INET6 : AF_INET;
	length = strtol(slash + 1, &end, 10);
	if (*end || length < 0 || length > (cidr->family == AF_INET ? 32 : 128))
		return false;
	cidr->length = (unsigned char)length;
	return inet_pton(cidr->family, address, cidr->address) == 1;
}

static bool parse_arguments(struct job *job, char **argv)
{
	for (argv++; *argv; argv++) {
		if (strncmp(*argv, "--control=", 10) == 0)
			job->control = atoi(*argv + 10);
		else if (strncmp(*argv, "--userns=", 9) == 0)
			job->userns = atoi(*argv + 9);
		else if (strncmp(*argv, "--netns=", 8) == 0)
			job->netns = atoi(*argv + 8);
		else if (strncmp(*argv, "--tap=", 6) == 0)
			job->tap = *argv + 6;
		else if (strncmp(*argv, "--deny=", 7) != 0 || job->n_deny == MAX_DENY ||
			 !parse_cidr(*argv + 7, &job->deny[job->n_deny++]))
			return false;
	}
	return job->control > 2 && job->userns > 2 && job->netns > 2;
}

/* ---- the tap ---- */

/* A persistent device: the last close of any other takes the kernel 20 ms, which would
 * delay the helper's end. */
static int make_tap(const struct job *job)
{
	struct ifreq request = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return fail(job, NETNS_STEP_TUN, errno);
	if (strlen(job->tap) >= sizeof(request.ifr_name))
		return fail(job, NETNS_STEP_TAP, ENAMETOOLONG);
	strcpy(request.ifr_name, job->tap);
	if (ioctl(fd, TUNSETIFF, &request) < 0 || ioctl(fd, TUNSETPERSIST, 1) < 0)
		return fail(job, NETNS_STEP_TAP, errno);
	close(fd);
	return 0;
}

/* ---- routes ---- */

struct route_request {
	struct nlmsghdr header;
	struct rtmsg route;
	char attributes[64];
};

static size_t address_size(const struct cidr *cidr)
{
	return cidr->family == AF_INET ? 4 : 16;
}

static int receive_answer(int netlink)
{
	char buffer[8192];
	const struct nlmsghdr *header = (const void *)buffer;
	ssize_t n = recv(netlink, buffer, sizeof(buffer), 0);

	if (n < (ssize_t)NLMSG_LENGTH(sizeof(struct nlmsgerr)))
		return n < 0 ? -errno : -EBADMSG;
	if (header->nlmsg_type != NLMSG_ERROR)
		return -EBADMSG;
	return ((const struct nlmsgerr *)NLMSG_DATA(header))->error;
}

/* rtnetlink(7): an unreachable route to CIDR in the main table. */
static int add_route(int netlink, const struct cidr *cidr)
{
	struct route_request request = {
		.header = { .nlmsg_type = RTM_NEWROUTE,
			    .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE |
					   NLM_F_EXCL },
		.route = { .rtm_family = cidr->family,
			   .rtm_dst_len = cidr->length,
			   .rtm_table = RT_TABLE_MAIN,
			   .rtm_protocol = RTPROT_STATIC,
			   .rtm_scope = RT_SCOPE_UNIVERSE,
			   .rtm_type = RTN_UNREACHABLE },
	};
	struct rtattr *attribute = (void *)request.attributes;

	attribute->rta_type = RTA_DST;
	attribute->rta_len = (unsigned short)RTA_LENGTH(address_size(cidr));
	memcpy(RTA_DATA(attribute), cidr->address, address_size(cidr));
	request.header.nlmsg_len = NLMSG_LENGTH(sizeof(request.route)) +
				   RTA_ALIGN(attribute->rta_len);
	if (send(netlink, &request, request.header.nlmsg_len, 0) < 0)
		return -errno;
	return receive_answer(netlink);
}

static void mark_seen(struct job *job, const struct nlmsghdr *header)
{
	const struct rtmsg *route = NLMSG_DATA(header);
	const struct rtattr *attribute = RTM_RTA(route);
	int left = (int)RTM_PAYLOAD(header);
	static const unsigned char zero[16];
	const unsigned char *destination = zero;

	if (route->rtm_type != RTN_UNREACHABLE || route->rtm_table != RT_TABLE_MAIN)
		return;
	for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left))
		if (attribute->rta_type == RTA_DST)
			destination = RTA_DATA(attribute);
	for (size_t i = 0; i < job->n_deny; i++)
		if (job->deny[i].family == route->rtm_family &&
		    job->deny[i].length == route->rtm_dst_len &&
		    memcmp(job->deny[i].address, destination,
			   address_size(&job->deny[i])) == 0)
			job->deny[i].seen = true;
}

/* One dump; false at its end or on an error. */
static bool read_dump(struct job *job, int netlink)
{
	static char buffer[65536];
	ssize_t n = recv(netlink, buffer, sizeof(buffer), 0);
	const struct nlmsghdr *header = (const void *)buffer;
	size_t left = n > 0 ? (size_t)n : 0;

	for (; NLMSG_OK(header, left); header = NLMSG_NEXT(header, left)) {
		if (header->nlmsg_type != RTM_NEWROUTE)
			return false;
		mark_seen(job, header);
	}
	return n > 0;
}

static void read_back(struct job *job, int netlink, unsigned char family)
{
	struct route_request request = {
		.header = { .nlmsg_len = NLMSG_LENGTH(sizeof(request.route)),
			    .nlmsg_type = RTM_GETROUTE,
			    .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.route = { .rtm_family = family },
	};

	if (send(netlink, &request, request.header.nlmsg_len, 0) < 0)
		return;
	while (read_dump(job, netlink))
		;
}

/* A kernel without an address family has nothing of it to deny. */
static bool has_family(unsigned char family)
{
	int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int deny_all(struct job *job)
{
	int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	bool inet6 = has_family(AF_INET6);

	if (netlink < 0)
		return fail(job, NETNS_STEP_ROUTE, errno);
	for (size_t i = 0; i < job->n_deny; i++) {
		int r = 0;

		if (job->deny[i].family == AF_INET6 && !inet6)
			job->deny[i].seen = true;
		else
			r = add_route(netlink, &job->deny[i]);
		if (r < 0 && r != -EEXIST)
			return fail(job, NETNS_STEP_ROUTE, -r);
	}
	read_back(job, netlink, AF_INET);
	if (inet6)
		read_back(job, netlink, AF_INET6);
	close(netlink);
	for (size_t i = 0; i < job->n_deny; i++)
		if (!job->deny[i].seen)
			return fail(job, NETNS_STEP_VERIFY, ENOENT);
	say(job, NETNS_DENIED, 0, 0);
	return 0;
}

/* ---- the order of events ---- */

static int join(const struct job *job)
{
	if (setns(job->userns, CLONE_NEWUSER) < 0)
		return fail(job, NETNS_STEP_USERNS, errno);
	if (setns(job->netns, CLONE_NEWNET) < 0)
		return fail(job, NETNS_STEP_NETNS, errno);
	/* Joining reset both: a helper looks into /proc/PID/ns, and nothing may
	 * survive the executor. */
	(void)prctl(PR_SET_DUMPABLE, 1);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(job->userns);
	close(job->netns);
	return job->tap ? make_tap(job) : 0;
}

int main(int argc, char **argv)
{
	static struct job job = { .control = -1, .userns = -1, .netns = -1 };
	char order;

	(void)argc;
	if (!parse_arguments(&job, argv)) {
		fputs("drupe-netns: this is a part of drupe, not to be run by hand\n",
		      stderr);
		return 125;
	}
	(void)fcntl(job.control, F_SETFD, FD_CLOEXEC);
	if (join(&job) != 0)
		return 1;
	say(&job, NETNS_JOINED, 0, 0);
	while (recv(job.control, &order, 1, 0) == 1)
		if (order == NETNS_DENY && deny_all(&job) != 0)
			return 1;
	/* Nothing to write or to free; it is about to be killed, and the leak checker
	 * of a sanitizer build would be tracing it. */
	_exit(0);
}
