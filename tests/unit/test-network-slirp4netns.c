/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The helper's words are those of the spec (5.4.3), to the letter. */
#include "network-words.h"

static const struct drupe_attach attach = {
	.size = sizeof(attach),
	.netns = "/proc/self/fd/9",
	.userns = "/proc/self/fd/8",
	.ready = "5",
	.exit = "6",
};

#define HEAD                                                                       \
	SLIRP4NETNS_PATH " --configure --disable-host-loopback --netns-type=path " \
			 "--userns-path=/proc/self/fd/8 "
#define TAIL "--ready-fd 5 --exit-fd 6 /proc/self/fd/9 tap0"

static void test_words(void **state)
{
	(void)state;
	assert_words(NULL, &attach, HEAD TAIL);
}

static void test_options(void **state)
{
	static const struct setting all[] = { { "mtu", "1500" },
					      { "cidr", "10.9.8.0/24" },
					      { "enable_ipv6", "true" },
					      { "enable_seccomp", "true" },
					      { NULL, NULL } };
	static const struct setting off[] = { { "enable_ipv6", "false" },
					      { "enable_seccomp", "false" },
					      { NULL, NULL } };

	(void)state;
	assert_words(all, &attach,
		     HEAD "--mtu=1500 --cidr=10.9.8.0/24 --enable-ipv6 "
			  "--enable-seccomp " TAIL);
	assert_words(off, &attach, HEAD TAIL);
}

static void test_files(void **state)
{
	static const struct setting cidr[] = { { "cidr", "10.9.8.0/24" },
					       { NULL, NULL } };
	static const struct setting half[] = { { "cidr", "172.20.255.128/25" },
					       { NULL, NULL } };

	(void)state;
	assert_files(NULL, "nameserver 10.0.2.3\n");
	assert_files(cidr, "nameserver 10.9.8.3\n");
	assert_files(half, "nameserver 172.20.255.131\n");
}

static void test_bad_options(void **state)
{
	static const char *const cidrs[] = { "10.9.8.0/33", "10.9.8.0/31", "10.9.8.0/26",
					     "10.9.8.0/0",  "10.9.8.0",	   "::/64",
					     "10.9.8.7/24", "10.9.8/24",   "10.9.8.0/",
					     "10.9.8.0/24 " };

	(void)state;
	for (size_t i = 0; i < sizeof(cidrs) / sizeof(cidrs[0]); i++)
		assert_refused("cidr", cidrs[i]);
	assert_refused("enable_ipv6", "maybe");
	assert_refused("enable_ipv6", "yes");
	assert_refused("mtu", "575");
	assert_refused("mtu", "65522");
	assert_refused("disable_host_loopback", "false");
	assert_refused("enable_sandbox", "true"); /* fails with pinned namespaces */
}

/* It attaches to the handles themselves: no process that holds them, no pid. */
static void test_manner(void **state)
{
	const struct drupe_network_ops *ops = drupe_backend_v1.network;

	(void)state;
	assert_int_equal(ops->ready, DRUPE_READY_FD);
	assert_int_equal(ops->stop, DRUPE_STOP_EXIT_FD);
	assert_false(ops->holder);
	assert_string_equal(ops->tap, "tap0");
	assert_string_equal(ops->probe[0], "--help");
	assert_string_equal(ops->probe_needs[0], "--netns-type");
	assert_string_equal(ops->probe_needs[1], "--userns-path");
	assert_null(ops->probe_needs[2]);
	assert_string_equal(ops->probe_message,
			    "slirp4netns network backend unavailable: pinned namespace "
			    "attachment requires --netns-type and --userns-path");
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
