/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The addresses that network_deny names. */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <string.h>

#include "net/network.h"

/* private: RFC 1918, 6598 and 4193; link-local: RFC 3927. */
static const struct {
	const char *word;
	const char *cidr;
} deny_table[] = {
	{ "private", "10.0.0.0/8" },
	{ "private", "172.16.0.0/12" },
	{ "private", "192.168.0.0/16" },
	{ "private", "100.64.0.0/10" },
	{ "private", "fc00::/7" },
	{ "link-local", "169.254.0.0/16" },
	/* Cloud metadata services over IPv6 (EC2, Compute Engine). */
	{ "link-local", "fd00:ec2::254/128" },
	{ "link-local", "fd20:ce::254/128" },
};

/* Whether a sandbox could reach ADDRESS.  No helper forwards loopback addresses; any
 * other address on lo counts. */
static bool is_reachable(int family, const void *address)
{
	const struct in6_addr *in6 = address;
	const unsigned char *in4 = address;

	return family == AF_INET
		       ? in4[0] != 127
		       : !IN6_IS_ADDR_LOOPBACK(in6) && !IN6_IS_ADDR_LINKLOCAL(in6);
}

static void deny_host(const char *prefix, struct drupe_words *words)
{
	struct ifaddrs *list;

	if (getifaddrs(&list) < 0) {
		argv_fail(words, errno, "the host's addresses cannot be listed: %s",
			  strerror(errno));
		return;
	}
	for (const struct ifaddrs *at = list; at; at = at->ifa_next) {
		int family = at->ifa_addr ? at->ifa_addr->sa_family : AF_UNSPEC;
		const void *address =
			family == AF_INET
				? (const void *)&(
					  (const struct sockaddr_in *)(const void *)
						  at->ifa_addr)
					  ->sin_addr
				: (const void *)&(
					  (const struct sockaddr_in6 *)(const void *)
						  at->ifa_addr)
					  ->sin6_addr;
		char text[INET6_ADDRSTRLEN];

		if ((family != AF_INET && family != AF_INET6) ||
		    !is_reachable(family, address))
			continue;
		if (inet_ntop(family, address, text, sizeof(text)))
			argv_pushf(words, "%s%s/%d", prefix, text,
				   family == AF_INET ? 32 : 128);
	}
	freeifaddrs(list);
}

void network_deny_words(const struct strings *deny, const char *prefix,
			struct drupe_words *words)
{
	for (size_t i = 0; i < deny->count; i++) {
		const char *word = deny->items[i];

		if (strchr(word, '/'))
			argv_pushf(words, "%s%s", prefix, word);
		else if (strcmp(word, "host") == 0)
			deny_host(prefix, words);
		for (size_t j = 0; j < sizeof(deny_table) / sizeof(deny_table[0]); j++)
			if (strcmp(word, deny_table[j].word) == 0)
				argv_pushf(words, "%s%s", prefix, deny_table[j].cidr);
	}
}
