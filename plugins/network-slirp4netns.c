/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Connectivity by slirp4netns, attached to the pinned namespaces.  No word here can
 * name a process, and there is no fallback.
 */
#include "drupe-backend.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAP "tap0"
#define DEFAULT_CIDR "10.0.2.0/24" /* slirp4netns(1) */

static const struct drupe_option options[] = {
	{ "mtu", DRUPE_OPTION_COUNT, 576, 65521, NULL, "MTU of the tap device [1500]" },
	{ "cidr", DRUPE_OPTION_CIDR4, 1, 25, NULL,
	  "network of the sandbox [" DEFAULT_CIDR "]" },
	{ "enable_ipv6", DRUPE_OPTION_BOOL, 0, 0, NULL, "IPv6 as well [false]" },
	{ "enable_seccomp", DRUPE_OPTION_BOOL, 0, 0, NULL,
	  "the helper restricts its own system calls [false]" },
};

/* What the --help of a usable helper contains. */
static const char *const probe[] = { "--help", NULL };
static const char *const probe_needs[] = { "--netns-type", "--userns-path", NULL };

static void slirp_words(const struct drupe_call *call, const struct drupe_attach *attach,
			struct drupe_words *words)
{
	const struct drupe_host *host = call->host;
	uint64_t mtu = host->option_number(call->options, "mtu", 0);
	const char *cidr = host->option_text(call->options, "cidr", NULL);

	host->push(words, SLIRP4NETNS_PATH);
	host->push(words, "--configure");
	host->push(words, "--disable-host-loopback");
	host->push(words, "--netns-type=path");
	host->pushf(words, "--userns-path=%s", attach->userns);
	if (mtu)
		host->pushf(words, "--mtu=%llu", (unsigned long long)mtu);
	if (cidr)
		host->pushf(words, "--cidr=%s", cidr);
	if (host->option_bool(call->options, "enable_ipv6", false))
		host->push(words, "--enable-ipv6");
	if (host->option_bool(call->options, "enable_seccomp", false))
		host->push(words, "--enable-seccomp");
	host->push(words, "--ready-fd");
	host->push(words, attach->ready);
	host->push(words, "--exit-fd");
	host->push(words, attach->exit);
	host->push(words, attach->netns);
	host->push(words, TAP);
}

/* The resolver is the fourth address of the network: 10.0.2.3 by default. */
static int resolver_text(const char *cidr, char *text, size_t size)
{
	char address[INET_ADDRSTRLEN], *slash;
	struct in_addr base;

	if (snprintf(text, size, "%s", cidr) >= (int)size)
		return -EINVAL;
	slash = strchr(text, '/');
	if (slash)
		*slash = '\0';
	if (inet_pton(AF_INET, text, &base) != 1)
		return -EINVAL;
	base.s_addr = htonl(ntohl(base.s_addr) + 3);
	if (!inet_ntop(AF_INET, &base, address, sizeof(address)))
		return -EINVAL;
	snprintf(text, size, "nameserver %s\n", address);
	return 0;
}

static int slirp_file(const struct drupe_call *call, size_t i, char *scratch, size_t size,
		      struct drupe_resolver_file *ret_file)
{
	const char *cidr = call->host->option_text(call->options, "cidr", DEFAULT_CIDR);
	int r;

	switch (i) {
	case 0:
		r = resolver_text(cidr, scratch, size);
		if (r < 0)
			return r;
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
	.ready = DRUPE_READY_FD,
	.stop = DRUPE_STOP_EXIT_FD,
	.tap = TAP,
	.probe = probe,
	.probe_needs = probe_needs,
	.probe_message = "slirp4netns network backend unavailable: pinned namespace "
			 "attachment requires --netns-type and --userns-path",
	.file = slirp_file,
	.words = slirp_words,
};

DRUPE_BACKEND_EXPORT = {
	.size = sizeof(struct drupe_backend),
	.abi = DRUPE_BACKEND_ABI,
	.kind = DRUPE_KIND_NETWORK,
	.name = "slirp4netns",
	.version = BACKEND_VERSION,
	.summary = "user-mode network by slirp4netns, attached to pinned namespaces",
	.tool = SLIRP4NETNS_PATH,
	.options = options,
	.n_options = sizeof(options) / sizeof(options[0]),
	.option_size = sizeof(options[0]),
	.network = &ops,
};
