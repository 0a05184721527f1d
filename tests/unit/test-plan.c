/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the command sees, from policy, profile and a made-up host: pure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"
#include "policy/open.h"

static struct policy *policy;
static struct profile *profile;
static struct view view;
static struct grant granted;
static char workspace[] = "/srv/w";
static const struct place tmp = { .path = (char[]){ "/t" }, .fd = 7 };

static const char policy_text[] = "version: 1\n"
				  "profiles:\n"
				  "  build: {network: on-request, timeout_max: 60s}\n"
				  "  closed: {}\n"
				  "  online: {network: always}\n";

static int setup(void **state)
{
	_cleanup_findings_ struct findings findings = { 0 };

	(void)state;
	if (policy_parse("test", policy_text, strlen(policy_text), POLICY_YAML, &policy,
			 &findings, NULL) < 0)
		return -1;
	profile = &policy->profiles[0];
	granted = (struct grant)GRANT_NONE;
	view = (struct view){
		.root = { { "/bin", false, "usr/bin" },
			  { "/sbin", true, "" },
			  { "/lib", false, "" },
			  { "/lib32", false, "" },
			  { "/lib64", false, "" },
			  { "/libx32", false, "" } },
		.alternatives = true,
		.group = true,
		.workspace = { .place = { workspace, 5, { 0 } },
			       .dest = workspace,
			       .writable = true },
	};
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	policy_free(policy);
	return 0;
}

static struct plan make(void)
{
	struct plan plan;

	assert_int_equal(plan_make(policy, profile, &view, &granted,
				   profile->ephemeral_tmp ? NULL : &tmp, &plan, NULL),
			 0);
	return plan;
}

/* The last mount of the plan at DEST, -1: none. */
static int find(const struct plan *plan, const char *dest)
{
	for (size_t i = plan->n_mounts; i > 0; i--)
		if (strcmp(plan->mounts[i - 1].dest, dest) == 0)
			return (int)i - 1;
	return -1;
}

static const char *value_of(const struct plan *plan, const char *name)
{
	for (size_t i = 0; i < plan->n_env; i++)
		if (strcmp(plan->env_names[i], name) == 0)
			return plan->env_values[i];
	return NULL;
}

static void seals_come_last(void **state)
{
	struct plan plan = make();
	size_t n = plan.n_mounts;

	(void)state;
	assert_string_equal(plan.mounts[n - 3].dest, "/etc");
	assert_string_equal(plan.mounts[n - 2].dest, "/dev");
	assert_string_equal(plan.mounts[n - 1].dest, "/");
	for (size_t i = n - 3; i < n; i++)
		assert_int_equal(plan.mounts[i].op, DRUPE_MOUNT_REMOUNT_RO);
	plan_free(&plan);
}

static void only_workspace_and_scratch_are_writable(void **state)
{
	static const char *const writable[] = { "/dev/shm", "/tmp", "/home/sandbox",
						"/srv/w" };
	struct plan plan = make();
	size_t count = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(writable) / sizeof(writable[0]); i++)
		assert_true(plan.sources[find(&plan, writable[i])].writable);
	for (size_t i = 0; i < plan.n_mounts; i++)
		count += plan.sources[i].writable;
	assert_int_equal(count, sizeof(writable) / sizeof(writable[0]));
	plan_free(&plan);
}

static void the_layout_is_the_host_s(void **state)
{
	struct plan plan = make();

	(void)state;
	assert_int_equal(plan.mounts[find(&plan, "/bin")].op, DRUPE_MOUNT_SYMLINK);
	assert_string_equal(plan.mounts[find(&plan, "/bin")].source, "usr/bin");
	assert_int_equal(plan.mounts[find(&plan, "/sbin")].op, DRUPE_MOUNT_RO_BIND);
	assert_int_equal(find(&plan, "/lib"), -1);
	assert_int_equal(find(&plan, "/opt/toolchains"), -1);
	plan_free(&plan);

	view.toolchains = true;
	view.alternatives = false;
	plan = make();
	assert_true(find(&plan, "/opt/toolchains") >= 0);
	assert_int_equal(find(&plan, "/etc/alternatives"), -1);
	plan_free(&plan);
}

static void the_workspace_follows_the_profile(void **state)
{
	struct plan plan;

	(void)state;
	view.workspace.writable = false;
	plan = make();
	assert_int_equal(plan.mounts[find(&plan, "/srv/w")].op, DRUPE_MOUNT_RO_BIND);
	plan_free(&plan);

	view.workspace.place.fd = -1;
	view.workspace.dest = (char[]){ "/workspace" };
	plan = make();
	assert_int_equal(plan.mounts[find(&plan, "/workspace")].op, DRUPE_MOUNT_DIR);
	assert_string_equal(plan.chdir, "/workspace");
	plan_free(&plan);
}

static void reads_come_before_corpora_and_outer_before_inner(void **state)
{
	struct shown corpora[] = {
		{ { (char[]){ "/srv" }, 8, { 0 } }, (char[]){ "/srv" }, false },
		{ { (char[]){ "/srv/x" }, 9, { 0 } }, (char[]){ "/srv/x" }, false },
	};
	struct shown reads[] = {
		{ { NULL, -1, { 0 } }, NULL, false },
		{ { (char[]){ "/data" }, 10, { 0 } }, (char[]){ "/data" }, false },
	};
	struct plan plan;

	(void)state;
	view.corpora = corpora;
	view.n_corpora = 2;
	granted.reads = reads;
	granted.n_reads = 2;
	plan = make();
	assert_true(find(&plan, "/data") < find(&plan, "/srv"));
	assert_true(find(&plan, "/srv") < find(&plan, "/srv/w"));
	assert_true(find(&plan, "/srv") < find(&plan, "/srv/x"));
	assert_true(find(&plan, "/srv/x") < (int)plan.n_mounts - 3);
	plan_free(&plan);
}

static void scratch_follows_the_profile(void **state)
{
	struct plan plan;

	(void)state;
	profile->ephemeral_tmp = true;
	profile->home = HOME_SEALED;
	profile->scratch_size = 12345;
	profile->hosts = true;
	plan = make();
	assert_int_equal(plan.mounts[find(&plan, "/tmp")].op, DRUPE_MOUNT_TMPFS);
	assert_int_equal(plan.mounts[find(&plan, "/tmp")].bytes, 12345);
	assert_int_equal(plan.mounts[find(&plan, "/dev/shm")].bytes, 12345);
	assert_int_equal(plan.mounts[find(&plan, "/home/sandbox")].op, DRUPE_MOUNT_DIR);
	assert_int_equal(plan.mounts[find(&plan, "/etc/hosts")].op, DRUPE_MOUNT_DATA);
	plan_free(&plan);
}

static void the_environment_is_the_spec_s(void **state)
{
	struct plan plan = make();

	(void)state;
	assert_int_equal(plan.n_env, 5);
	assert_string_equal(value_of(&plan, "PATH"), "/usr/local/bin:/usr/bin:/bin");
	assert_string_equal(value_of(&plan, "LANG"), "en_US.UTF-8");
	assert_string_equal(value_of(&plan, "LC_ALL"), "en_US.UTF-8");
	assert_string_equal(value_of(&plan, "HOME"), "/home/sandbox");
	assert_string_equal(value_of(&plan, "TMPDIR"), "/tmp");
	plan_free(&plan);
}

static void the_language_of_the_policy_counts(void **state)
{
	struct variable lang = { (char[]){ "LANG" }, (char[]){ "C.UTF-8" }, { 0, 0 } };
	struct variable ctype = { (char[]){ "LC_CTYPE" }, (char[]){ "C" }, { 0, 0 } };
	struct variable *before = profile->env;
	struct plan plan;

	(void)state;
	profile->env = &lang;
	profile->n_env = 1;
	plan = make();
	assert_string_equal(value_of(&plan, "LANG"), "C.UTF-8");
	assert_string_equal(value_of(&plan, "LC_ALL"), "C.UTF-8");
	plan_free(&plan);

	profile->env = &ctype;
	plan = make();
	assert_string_equal(value_of(&plan, "LC_CTYPE"), "C");
	assert_null(value_of(&plan, "LC_ALL"));
	plan_free(&plan);
	profile->env = before;
	profile->n_env = 0;
}

static void limits_are_those_that_are_set(void **state)
{
	struct plan plan = make();

	(void)state;
	assert_int_equal(plan.n_limits, 2);
	assert_string_equal(plan.limits[0].name, "nofile");
	assert_int_equal(plan.limits[0].value, 4096);
	assert_string_equal(plan.limits[1].name, "core");
	assert_int_equal(plan.limits[1].value, 0);
	assert_int_equal(plan.n_cgroup, 0);
	plan_free(&plan);
}

/* ---- R12 ---- */

static void grants(const char *name, enum ask network, uint64_t timeout_ms,
		   enum error_code code, bool network_granted)
{
	const struct request request = { .network = network, .timeout_ms = timeout_ms };
	struct error err = { 0 };
	uint64_t timeout;
	bool has_network;
	int r = grant_check(policy, policy_profile(policy, name), &request, &timeout,
			    &has_network, &err);

	assert_int_equal(err.code, code);
	assert_int_equal(r < 0, code != ERROR_NONE);
	if (r == 0)
		assert_int_equal(has_network, network_granted);
}

static void callers_only_narrow(void **state)
{
	(void)state;
	grants("build", ASK_DEFAULT, 60000, ERROR_NONE, false);
	grants("build", ASK_DEFAULT, 60001, ERROR_NOT_GRANTED, false);
	grants("build", ASK_YES, 0, ERROR_NONE, true);
	grants("build", ASK_NO, 0, ERROR_NONE, false);
	grants("closed", ASK_YES, 0, ERROR_NETWORK_DENIED, false);
	grants("online", ASK_DEFAULT, 0, ERROR_NONE, true);
	grants("online", ASK_NO, 0, ERROR_NONE, false);
	policy->mode = MODE_ASK;
	grants("build", ASK_YES, 0, ERROR_NETWORK_DENIED, false);
	grants("build", ASK_DEFAULT, 0, ERROR_NONE, false);
	policy->mode = MODE_SAFE;
	grants("build", ASK_YES, 0, ERROR_NETWORK_DENIED, false);
	grants("online", ASK_DEFAULT, 0, ERROR_NETWORK_DENIED, false);
	grants("online", ASK_NO, 0, ERROR_NONE, false);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(seals_come_last),
		TEST(only_workspace_and_scratch_are_writable),
		TEST(the_layout_is_the_host_s),
		TEST(the_workspace_follows_the_profile),
		TEST(reads_come_before_corpora_and_outer_before_inner),
		TEST(scratch_follows_the_profile),
		TEST(the_environment_is_the_spec_s),
		TEST(the_language_of_the_policy_counts),
		TEST(limits_are_those_that_are_set),
		TEST(callers_only_narrow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
