/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a caller asks for against what the policy grants (R12). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "view/grant.h"

static const struct profile plain = {
	.name = (char[]){ "build" },
	.timeout_ms = 1000,
	.timeout_max_ms = 5000,
};

static void test_timeout(void **state)
{
	static const struct {
		uint64_t asked, granted; /* 0: refused */
	} rows[] = {
		{ 0, 1000 }, { 1, 1 }, { 5000, 5000 }, { 5001, 0 }, { UINT64_MAX, 0 }
	};
	const struct policy policy = { .mode = MODE_AUTO };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct request request = { .timeout_ms = rows[i].asked };
		struct error err = { 0 };
		uint64_t timeout = 0;
		bool network;
		int r = grant_check(&policy, &plain, &request, &timeout, &network, &err);

		assert_int_equal(r, rows[i].granted ? 0 : -EPERM);
		assert_true(timeout == rows[i].granted);
		if (r < 0)
			assert_string_equal(error_code_word(err.code), "not-granted");
	}
}

/* Every mode with every grant and every wish; CONFIRMED is what a person says. */
static void test_network(void **state)
{
	static const struct {
		enum mode mode;
		enum network_grant grant;
		enum ask ask;
		bool confirmed;
		int r;
		bool network;
	} rows[] = {
		{ MODE_AUTO, NETWORK_NEVER, ASK_DEFAULT, true, 0, false },
		{ MODE_AUTO, NETWORK_NEVER, ASK_NO, true, 0, false },
		{ MODE_AUTO, NETWORK_NEVER, ASK_YES, true, -EPERM, false },
		{ MODE_AUTO, NETWORK_ON_REQUEST, ASK_DEFAULT, false, 0, false },
		{ MODE_AUTO, NETWORK_ON_REQUEST, ASK_NO, false, 0, false },
		{ MODE_AUTO, NETWORK_ON_REQUEST, ASK_YES, false, 0, true },
		{ MODE_AUTO, NETWORK_ALWAYS, ASK_DEFAULT, false, 0, true },
		{ MODE_AUTO, NETWORK_ALWAYS, ASK_NO, false, 0, false },
		{ MODE_SAFE, NETWORK_ON_REQUEST, ASK_DEFAULT, true, 0, false },
		{ MODE_SAFE, NETWORK_ON_REQUEST, ASK_YES, true, -EPERM, false },
		{ MODE_SAFE, NETWORK_ALWAYS, ASK_DEFAULT, true, -EPERM, false },
		{ MODE_SAFE, NETWORK_ALWAYS, ASK_NO, true, 0, false },
		{ MODE_ASK, NETWORK_NEVER, ASK_YES, true, -EPERM, false },
		{ MODE_ASK, NETWORK_ON_REQUEST, ASK_DEFAULT, false, 0, false },
		{ MODE_ASK, NETWORK_ON_REQUEST, ASK_YES, false, -EAGAIN, false },
		{ MODE_ASK, NETWORK_ON_REQUEST, ASK_YES, true, 0, true },
		{ MODE_ASK, NETWORK_ALWAYS, ASK_DEFAULT, false, -EAGAIN, false },
		{ MODE_ASK, NETWORK_ALWAYS, ASK_DEFAULT, true, 0, true },
		{ MODE_ASK, NETWORK_ALWAYS, ASK_NO, false, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct policy policy = { .mode = rows[i].mode };
		const struct request request = { .network = rows[i].ask,
						 .confirmed = rows[i].confirmed };
		struct profile profile = plain;
		struct error err = { 0 };
		bool network = false;
		uint64_t timeout;

		profile.network = rows[i].grant;
		assert_int_equal(grant_check(&policy, &profile, &request, &timeout,
					     &network, &err),
				 rows[i].r);
		assert_int_equal(network, rows[i].network);
		if (rows[i].r < 0)
			assert_string_equal(error_code_word(err.code), "network-denied");
	}
}

/* Of several reads one that is not granted is enough to refuse, and nothing stays open.
 */
static void test_reads(void **state)
{
	static const char *const good[] = { "/etc/passwd", "/etc" };
	static const char *const bad[] = { "/etc/passwd", "/srv" };
	char *items[] = { (char[]){ "/etc" } };
	const struct policy policy = { .tmp_root = (char[]){ "/nonexistent" } };
	struct request request = { .reads = good, .n_reads = 2 };
	struct grant grant = GRANT_NONE;
	struct profile profile = plain;
	struct error err = { 0 };

	(void)state;
	profile.host_read = (struct strings){ .items = items, .count = 1 };
	assert_int_equal(grant_gather(&policy, &profile, &request, &grant, &err), 0);
	assert_int_equal(grant.n_reads, 2);
	assert_string_equal(grant.reads[0].dest, "/etc"); /* the outer one first */
	assert_string_equal(grant.reads[1].dest, "/etc/passwd");
	grant_free(&grant);
	request.reads = bad;
	assert_int_equal(grant_gather(&policy, &profile, &request, &grant, &err), -EPERM);
	assert_string_equal(error_code_word(err.code), "not-granted");
	grant_free(&grant);
	profile.host_read.count = 0;
	request.reads = good;
	assert_int_equal(grant_gather(&policy, &profile, &request, &grant, &err), -EPERM);
	grant_free(&grant);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_timeout),
		cmocka_unit_test(test_network),
		cmocka_unit_test(test_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
