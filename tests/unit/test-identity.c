/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whom a command runs as (R14).  What root may ask for is tried by root alone. */
#include <errno.h>
#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/identity.h"

#define OTHER_UID 54321 /* of nobody that has a name */

static void refuse(const char *asked, const char *policy, int r, enum error_code code)
{
	struct identity identity = { .uid = OTHER_UID };
	struct error err = { 0 };

	assert_int_equal(identity_resolve(asked, policy, &identity, &err), r);
	assert_string_equal(error_code_word(err.code), error_code_word(code));
	assert_int_equal(identity.uid, OTHER_UID); /* nothing was filled in */
}

static struct identity resolve(const char *asked, const char *policy)
{
	struct identity identity = { 0 };
	struct error err = { 0 };

	if (identity_resolve(asked, policy, &identity, &err) < 0)
		fail_msg("%s", err.message);
	return identity;
}

static bool has_group(const struct identity *identity, gid_t group)
{
	for (size_t i = 0; i < identity->n_groups; i++)
		if (identity->groups[i] == group)
			return true;
	return false;
}

/* As somebody who is not root: only itself, by name or by number. */
static void test_self(void **state)
{
	bool root = geteuid() == 0;
	const struct passwd *entry;
	struct identity identity;
	char number[16];

	(void)state;
	if (root)
		assert_int_equal(seteuid(OTHER_UID), 0);
	snprintf(number, sizeof(number), "%u", geteuid());
	entry = getpwuid(geteuid());
	/* The user of the policy is root's business. */
	identity = resolve(NULL, "nobody");
	assert_int_equal(identity.uid, geteuid());
	assert_int_equal(identity.gid, getegid());
	assert_false(identity.drop);
	assert_string_equal(identity.name, entry ? entry->pw_name : number);
	identity_free(&identity);
	identity = resolve(number, NULL);
	assert_int_equal(identity.uid, geteuid());
	identity_free(&identity);
	refuse("root", NULL, -EPERM, ERROR_USER_UNKNOWN);
	refuse("0", NULL, -EPERM, ERROR_USER_UNKNOWN);
	refuse("no such user", NULL, -EPERM, ERROR_USER_UNKNOWN);
	refuse("54322", NULL, -EPERM, ERROR_USER_UNKNOWN);
	if (root)
		assert_int_equal(seteuid(0), 0);
}

static void test_root_names_one(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	refuse(NULL, NULL, -EPERM, ERROR_USER_REQUIRED);
	refuse("no such user", NULL, -ENOENT, ERROR_USER_UNKNOWN);
	refuse("", NULL, -ENOENT, ERROR_USER_UNKNOWN);
	refuse("-1", NULL, -ENOENT, ERROR_USER_UNKNOWN);
	refuse("4294967296", NULL, -ENOENT, ERROR_USER_UNKNOWN);
}

/* Neither by name nor by number, nor from the policy. */
static void test_never_root(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	refuse("root", NULL, -EPERM, ERROR_USER_UNKNOWN);
	refuse("0", NULL, -EPERM, ERROR_USER_UNKNOWN);
	refuse(NULL, "root", -EPERM, ERROR_USER_UNKNOWN);
	refuse("root", "nobody", -EPERM, ERROR_USER_UNKNOWN);
}

static void test_root_takes_on(void **state)
{
	const struct passwd *entry = getpwnam("nobody");
	struct identity identity;

	(void)state;
	if (geteuid() != 0 || !entry)
		skip();
	identity = resolve(NULL, "nobody");
	assert_int_equal(identity.uid, entry->pw_uid);
	assert_int_equal(identity.gid, entry->pw_gid);
	assert_true(identity.drop);
	assert_true(has_group(&identity, entry->pw_gid));
	assert_false(has_group(&identity, 0));
	identity_free(&identity);
	/* What was asked for counts before the policy; a number needs no name. */
	identity = resolve("54321", "nobody");
	assert_int_equal(identity.uid, OTHER_UID);
	assert_int_equal(identity.gid, OTHER_UID);
	assert_true(identity.drop);
	assert_null(identity.home);
	assert_false(has_group(&identity, 0));
	identity_free(&identity);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_self),
		cmocka_unit_test(test_root_names_one),
		cmocka_unit_test(test_never_root),
		cmocka_unit_test(test_root_takes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
