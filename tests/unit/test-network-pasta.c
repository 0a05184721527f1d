/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What pasta does by default, and must not, is switched off. */
#include "network-words.h"

static const struct drupe_attach attach = {
	.size = sizeof(attach),
	.netns = "/proc/77/ns/net",
	.userns = "/proc/77/ns/user",
	.ready = "/proc/self/fd/0",
	.exit = "6",
};

#define HEAD                                                                             \
	PASTA_PATH " --foreground --quiet --config-net --ipv4-only --no-map-gw "         \
		   "--tcp-ports none --udp-ports none --tcp-ns none --udp-ns none "      \
		   "--no-dhcp --no-dhcpv6 --no-ndp --no-ra --no-netns-quit --ns-ifname " \
		   "tap0 "
#define TAIL                                                       \
	"--pid /proc/self/fd/0 --userns /proc/77/ns/user --netns " \
	"/proc/77/ns/net"

static void test_words(void **state)
{
	(void)state;
	assert_words(NULL, &attach,
		     HEAD "--address 192.0.0.4 --netmask 29 --gateway 192.0.0.2 "
			  "--dns-forward 192.0.0.3 " TAIL);
}

static void test_options(void **state)
{
	static const struct setting all[] = { { "mtu", "1500" },
					      { "cidr", "10.0.2.0/24" },
					      { NULL, NULL } };

	(void)state;
	assert_words(all, &attach,
		     HEAD "--address 10.0.2.4 --netmask 24 --gateway 10.0.2.2 "
			  "--dns-forward 10.0.2.3 --mtu 1500 " TAIL);
}

static void test_files(void **state)
{
	static const struct setting cidr[] = { { "cidr", "10.9.8.248/29" },
					       { NULL, NULL } };

	(void)state;
	assert_files(NULL, "nameserver 192.0.0.3\n");
	assert_files(cidr, "nameserver 10.9.8.251\n");
}

static void test_bad_options(void **state)
{
	(void)state;
	assert_refused("cidr", "10.9.8.0/30"); /* too small for all of its addresses */
	assert_refused("cidr", "10.9.8.1/24");
	assert_refused("cidr", "fd00::/64");
	assert_refused("mtu", "575");
	assert_refused("mtu", "65521");
	assert_refused("enable_ipv6", "true");
}

static void test_manner(void **state)
{
	const struct drupe_network_ops *ops = drupe_backend_v1.network;

	(void)state;
	assert_int_equal(ops->ready, DRUPE_READY_PIDFILE);
	assert_int_equal(ops->stop, DRUPE_STOP_SIGNAL);
	assert_true(ops->holder);
	assert_string_equal(ops->tap, "tap0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),  cmocka_unit_test(test_options),
		cmocka_unit_test(test_files),  cmocka_unit_test(test_bad_options),
		cmocka_unit_test(test_manner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
