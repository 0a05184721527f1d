/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Connectivity by pasta, from passt.  It closes inherited descriptors, so it attaches
 * through the /proc paths of the process that pins the namespaces.  By default it
 * forwards ports and uses the host's addresses, so all of that is switched off.
 */
#include "drupe-backend.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAP "tap0"

/*
 * The route to the sandbox's own network is more specific than any that denies, and
 * pasta passes on to the host's network what it does not answer itself.  So the default
 * is small, in a block that no network uses (RFC 7335).
 */
#define DEFAULT_CIDR "192.0.0.0/29"

/* Address offsets in that network; the first two as in slirp4netns. */
#define GATEWAY 2
#define RESOLVER 3
#define SANDBOX 4

static const struct drupe_option options[] = {
	{ "mtu", DRUPE_OPTION_COUNT, 576, 65520, NULL, "MTU of the tap device [65520]" },
	{ "cidr", DRUPE_OPTION_CIDR4, 1, 29, NULL,
	  "network of the sandbox, used for nothing else [" DEFAULT_CIDR "]" },
};

/* What the --help of a usable helper contains. */
static const char *const probe[] = { "--help", NULL };
static const char *const probe_needs[] = {
	"--userns",    "--netns ",    "--no-netns-quit", "--config-net",
	"--ns-ifname", "--no-map-gw", "--dns-forward",	 NULL,
};

/* Address number I of the network, and the length of its prefix. */
static int address_at(const struct drupe_call *call, uint32_t i, char *ret, size_t size,
		      unsigned *ret_length)
{
	const char *cidr = call->host->option_text(call->options, "cidr", DEFAULT_CIDR);
	char address[INET_ADDRSTRLEN];
	struct in_addr base;

	if (sscanf(cidr, "%15[0-9.]/%u", address, ret_length) != 2 ||
	    inet_pton(AF_INET, address, &base) != 1)
		return -EINVAL;
	base.s_addr = htonl(ntohl(base.s_addr) + i);
	return inet_ntop(AF_INET, &base, ret, (socklen_t)size) ? 0 : -errno;
}

static void push_address(const struct drupe_call *call, struct drupe_words *words,
			 const char *option, uint32_t i)
{
	char address[INET_ADDRSTRLEN];
	unsigned length;

	if (address_at(call, i, address, sizeof(address), &length) < 0)
		call->host->fail(words, EINVAL, "cidr is not an IPv4 network");
	call->host->push(words, option);
	call->host->push(words, address);
}

static void push_network(const struct drupe_call *call, struct drupe_words *words)
{
	char address[INET_ADDRSTRLEN];
	unsigned length = 0;

	push_address(call, words, "--address", SANDBOX);
	(void)address_at(call, 0, address, sizeof(address), &length);
	call->host->push(words, "--netmask");
	call->host->pushf(words, "%u", length);
	push_address(call, words, "--gateway", GATEWAY);
	push_address(call, words, "--dns-forward", RESOLVER);
}

static void pasta_words(const struct drupe_call *call, const struct drupe_attach *attach,
			struct drupe_words *words)
{
	static const char *const fixed[] = {
		PASTA_PATH, "--foreground", "--quiet", "--config-net", "--ipv4-only",
		/* No access to the host's loopback. */
		"--no-map-gw", "--tcp-ports", "none", "--udp-ports", "none", "--tcp-ns",
		"none", "--udp-ns", "none",
		/* Everything is configured: no requests to answer. */
		"--no-dhcp", "--no-dhcpv6", "--no-ndp", "--no-ra",
		/* The paths are gone once it is attached. */
		"--no-netns-quit", "--ns-ifname", TAP
	};
	const struct drupe_host *host = call->host;
	uint64_t mtu = host->option_number(call->options, "mtu", 0);

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		host->push(words, fixed[i]);
	push_network(call, words);
	if (mtu) {
		host->push(words, "--mtu");
		host->pushf(words, "%llu", (unsigned long long)mtu);
	}
	host->push(words, "--pid");
	host->push(words, attach->ready);
	host->push(words, "--userns");
	host->push(words, attach->userns);
	host->push(words, "--netns");
	host->push(words, attach->netns);
}

static int pasta_file(const struct drupe_call *call, size_t i, char *scratch, size_t size,
		      struct drupe_resolver_file *ret_file)
{
	char address[INET_ADDRSTRLEN];
	unsigned length;
	int r;

	switch (i) {
	case 0:
		r = address_at(call, RESOLVER, address, sizeof(address), &length);
		if (r < 0)
			return r;
		if (snprintf(scratch, size, "nameserver %s\n", address) >= (int)size)
			return -ENOSPC;
		ret_file->dest = "/etc/resolv.conf";
		ret_file->text = scratch;
		return 0;
	case 1:
		ret_file->dest = "/etc/ssl/certs/ca-certificates.crt";
		ret_file->text = NULL;
		return 0;
	default:
		return -ENOENT;
	}
}

static const struct drupe_network_ops ops = {
	.size = sizeof(ops),
	.ready = DRUPE_READY_PIDFILE,
	.stop = DRUPE_STOP_SIGNAL,
	.holder = true,
	.tap = TAP,
	.probe = probe,
	.probe_needs = probe_needs,
	.probe_message = "pasta network backend unavailable: pinned namespace attachment "
			 "requires --userns, --netns, --no-netns-quit, --config-net, "
			 "--ns-ifname, --no-map-gw and --dns-forward",
	.file = pasta_file,
	.words = pasta_words,
};

DRUPE_BACKEND_EXPORT = {
	.size = sizeof(struct drupe_backend),
	.abi = DRUPE_BACKEND_ABI,
	.kind = DRUPE_KIND_NETWORK,
	.name = "pasta",
	.version = BACKEND_VERSION,
	.summary = "user-mode network by pasta, attached to pinned namespaces",
	.tool = PASTA_PATH,
	.options = options,
	.n_options = sizeof(options) / sizeof(options[0]),
	.option_size = sizeof(options[0]),
	.network = &ops,
};
