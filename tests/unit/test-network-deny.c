/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The words of network_deny, as networks. */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/argv.h"
#include "net/network.h"

#define MAX_WORDS 4

static void deny(struct drupe_words *words, const char *const *list)
{
	char *items[MAX_WORDS];
	struct strings deny = { .items = items };

	for (; list[deny.count]; deny.count++)
		items[deny.count] = (char *)(uintptr_t)list[deny.count];
	network_deny_words(&deny, "--deny=", words);
	assert_int_equal(words->errnum, 0);
}

static bool has(const struct drupe_words *words, const char *cidr)
{
	char word[128] = "--deny=";

	strcat(word, cidr);
	for (size_t i = 0; i < words->count; i++)
		if (strcmp(words->words[i], word) == 0)
			return true;
	return false;
}

static void test_nothing(void **state)
{
	static const char *const none[] = { NULL };
	_cleanup_argv_ struct drupe_words words = { 0 };

	(void)state;
	deny(&words, none);
	assert_int_equal(words.count, 0);
}

static void test_private(void **state)
{
	static const char *const list[] = { "private", NULL };
	static const char *const expected[] = { "10.0.0.0/8", "172.16.0.0/12",
						"192.168.0.0/16", "100.64.0.0/10",
						"fc00::/7" };
	_cleanup_argv_ struct drupe_words words = { 0 };

	(void)state;
	deny(&words, list);
	assert_int_equal(words.count, sizeof(expected) / sizeof(expected[0]));
	for (size_t i = 0; i < words.count; i++)
		assert_true(has(&words, expected[i]));
}

/* In their order, and a network as it was written. */
static void test_link_local_and_networks(void **state)
{
	static const char *const list[] = { "192.0.2.0/24", "link-local", "2001:db8::/32",
					    NULL };
	_cleanup_argv_ struct drupe_words words = { 0 };

	(void)state;
	deny(&words, list);
	assert_int_equal(words.count, 5);
	assert_string_equal(words.words[0], "--deny=192.0.2.0/24");
	assert_string_equal(words.words[1], "--deny=169.254.0.0/16");
	assert_string_equal(words.words[2], "--deny=fd00:ec2::254/128");
	assert_string_equal(words.words[3], "--deny=fd20:ce::254/128");
	assert_string_equal(words.words[4], "--deny=2001:db8::/32");
}

static bool is_denied_as_host(const struct ifaddrs *at)
{
	const struct sockaddr_in *v4 = (const void *)at->ifa_addr;
	const struct sockaddr_in6 *v6 = (const void *)at->ifa_addr;

	if (!at->ifa_addr)
		return false;
	return (at->ifa_addr->sa_family == AF_INET &&
		ntohl(v4->sin_addr.s_addr) >> 24 != IN_LOOPBACKNET) ||
	       (at->ifa_addr->sa_family == AF_INET6 &&
		!IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr) &&
		!IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr));
}

/* Every address of this machine but those that only it reaches. */
static void test_host(void **state)
{
	static const char *const list[] = { "host", NULL };
	_cleanup_argv_ struct drupe_words words = { 0 };
	struct ifaddrs *all;
	size_t count = 0;

	(void)state;
	deny(&words, list);
	assert_return_code(getifaddrs(&all), 0);
	for (const struct ifaddrs *at = all; at; at = at->ifa_next) {
		const struct sockaddr_in *v4 = (const void *)at->ifa_addr;
		const struct sockaddr_in6 *v6 = (const void *)at->ifa_addr;
		char address[INET6_ADDRSTRLEN], cidr[INET6_ADDRSTRLEN + 8];
		bool is_v4;

		if (!is_denied_as_host(at))
			continue;
		is_v4 = at->ifa_addr->sa_family == AF_INET;
		assert_non_null(inet_ntop(at->ifa_addr->sa_family,
					  is_v4 ? (const void *)&v4->sin_addr
						: (const void *)&v6->sin6_addr,
					  address, sizeof(address)));
		snprintf(cidr, sizeof(cidr), "%s/%d", address, is_v4 ? 32 : 128);
		assert_true(has(&words, cidr));
		count++;
	}
	freeifaddrs(all);
	assert_int_equal(words.count, count);
	assert_false(has(&words, "127.0.0.1/32"));
	assert_false(has(&words, "::1/128"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_private),
		cmocka_unit_test(test_link_local_and_networks),
		cmocka_unit_test(test_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
