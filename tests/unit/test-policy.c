/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The policy as the rest of drupe gets it: defaults, files, names, messages. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fd.h"
#include "policy/env.h"
#include "policy/keys.h"
#include "policy/open.h"

#define N(table) (sizeof(table) / sizeof((table)[0]))
#define SMALLEST "version: 1\nprofiles: {build: {}}\n"
#define SMALLEST_INI "[policy]\nversion = 1\n[profile build]\n"

static char top[] = "/tmp/drupe-policy-XXXXXX";

static const char *at(const char *name)
{
	static char paths[4][4096];
	static unsigned turn;
	char *path = paths[turn++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", top, name);
	return path;
}

static void write_file(const char *name, const char *text, size_t length)
{
	FILE *file = fopen(at(name), "we");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

static struct policy *parse(const char *text)
{
	_cleanup_findings_ struct findings findings = { 0 };
	struct policy *policy = NULL;
	struct error err = { 0 };
	int r = policy_parse("p.yaml", text, strlen(text), POLICY_YAML, &policy,
			     &findings, &err);

	if (r < 0)
		print_error("%s\n", err.message);
	assert_int_equal(r, 0);
	return policy;
}

static void test_builtin(void **state)
{
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_policy_ struct policy *policy = NULL;
	struct error err = { 0 };
	const struct profile *build;

	(void)state;
	assert_int_equal(policy_open(NULL, "/nonexistent", &policy, &findings, &err), 0);
	assert_string_equal(policy->source, "built-in");
	assert_int_equal(strlen(policy->sha256), 64);
	assert_int_equal(policy->version, 1);
	assert_int_equal(policy->mode, MODE_AUTO);
	assert_null(policy->user);
	assert_string_equal(policy->tmp_root, "/var/tmp");
	assert_string_equal(policy->default_profile, "build");
	assert_string_equal(policy->backends[SLOT_SCOPE], "none");
	assert_string_equal(policy->backends[SLOT_LAUNCHER], "bwrap");
	assert_string_equal(policy->backends[SLOT_RLIMITS], "prlimit");
	assert_string_equal(policy->backends[SLOT_NETWORK], "slirp4netns");
	assert_int_equal(policy->n_options, 0);
	assert_int_equal(policy->n_profiles, 1);
	assert_null(policy_profile(policy, "other"));
	build = policy_profile(policy, "build");
	assert_non_null(build);
	assert_int_equal(build->workspace, ACCESS_WRITE);
	assert_int_equal(build->network, NETWORK_NEVER);
	assert_int_equal(build->host_read.count, 0);
	assert_true(build->identity_mount);
	assert_false(build->ephemeral_tmp);
	assert_int_equal(build->home, HOME_SCRATCH);
	assert_int_equal(build->scratch_size, 1 << 30);
	assert_false(build->hosts);
	assert_false(build->nested_userns);
	assert_int_equal(build->network_deny.count, 2);
	assert_string_equal(build->network_deny.items[0], "host");
	assert_string_equal(build->network_deny.items[1], "link-local");
	assert_int_equal(build->n_corpora, 0);
	assert_int_equal(build->n_env, 0);
	for (size_t i = 0; i < N_RLIMITS; i++)
		assert_true(build->limits[i] == (i == LIMIT_NOFILE ? 4096
						 : i == LIMIT_CORE ? 0
								   : UNSET));
	for (size_t i = 1; i < N_CGROUP; i++)
		assert_true(build->cgroup[i] == UNSET);
	assert_int_equal(build->timeout_ms, 45000);
	assert_int_equal(build->timeout_max_ms, 600000);
	assert_int_equal(build->output_limit, 10000);
	assert_true(build->stream_limit == UNSET);
}

/* A profile starts from the built-in default, never from another profile. */
static void test_own_values(void **state)
{
	_cleanup_policy_ struct policy *policy = parse(
		"version: 1\n"
		"default_profile: judge\n"
		"options: {bwrap: {path: \"/x\", n: 3}}\n"
		"profiles:\n"
		"  build: {network_deny: [], limits: {core: 1K}, hosts: true}\n"
		"  judge: {limits: {cpu: 2m}, network_deny: [private],\n"
		"    corpora: [{path: /b, access: write}, {access: read, path: /a}],\n"
		"    env: {B: \"\", A: yes}}\n");
	const struct profile *build = policy_profile(policy, "build");
	const struct profile *judge = policy_profile(policy, "judge");

	(void)state;
	assert_int_equal(build->network_deny.count, 0);
	assert_int_equal(build->limits[LIMIT_CORE], 1024);
	assert_int_equal(build->limits[LIMIT_NOFILE], 4096);
	assert_true(build->hosts);
	assert_false(judge->hosts);
	assert_int_equal(judge->limits[LIMIT_CORE], 0);
	assert_int_equal(judge->limits[LIMIT_CPU], 120);
	assert_int_equal(judge->network_deny.count, 1);
	assert_string_equal(judge->network_deny.items[0], "private");
	assert_int_equal(judge->network_deny.where[0].line, 6);
	assert_int_equal(judge->network_deny.where[0].column, 45);
	assert_int_equal(judge->n_corpora, 2);
	assert_string_equal(judge->corpora[0].path, "/b");
	assert_true(judge->corpora[0].writable);
	assert_string_equal(judge->corpora[1].path, "/a");
	assert_false(judge->corpora[1].writable);
	assert_int_equal(judge->corpora[1].where.line, 7);
	assert_int_equal(judge->n_env, 2);
	assert_string_equal(judge->env[0].name, "B");
	assert_string_equal(judge->env[0].value, "");
	assert_string_equal(judge->env[1].value, "yes");
	assert_int_equal(judge->where.line, 6);
	assert_int_equal(policy->n_options, 2);
	assert_string_equal(policy->options[0].backend, "bwrap");
	assert_string_equal(policy->options[0].key, "path");
	assert_true(policy->options[0].quoted);
	assert_false(policy->options[1].quoted);
	assert_int_equal(policy->options[1].where.line, 3);
	assert_int_equal(policy->options[1].where.column, 34);
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(access_name(ACCESS_WRITE), "write");
	assert_string_equal(access_name(ACCESS_READ), "read");
	assert_string_equal(access_name(ACCESS_NONE), "none");
	for (size_t i = 1; i < N_CGROUP; i++)
		assert_non_null(policy_key_find(SECTION_CGROUP, cgroup_table[i].name));
	for (size_t i = 0; i < N_RLIMITS; i++)
		assert_non_null(policy_key_find(SECTION_LIMITS, rlimit_table[i].name));
	for (size_t i = 0; i < N_SLOTS; i++)
		assert_non_null(policy_key_find(SECTION_BACKENDS, slot_names[i]));
}

/* Each word of a key, and what it is stored as. */
static void test_words(void **state)
{
	_cleanup_policy_ struct policy *safe = parse(
		"version: 1\nmode: safe\ndefault_profile: a\nprofiles:\n"
		"  a: {workspace: write, network: never, home: scratch}\n"
		"  b: {workspace: read, network: on-request, home: sealed}\n"
		"  c: {workspace: none}\n");
	_cleanup_policy_ struct policy *ask = parse(
		"version: 1\nmode: ask\nprofiles: {build: {network: always}}\n");
	_cleanup_policy_ struct policy *automatic = parse(
		"default_profile: build\nversion: 1\nmode: auto\nprofiles: {build: "
		"{}}\n");

	(void)state;
	assert_int_equal(safe->mode, MODE_SAFE);
	assert_int_equal(ask->mode, MODE_ASK);
	assert_int_equal(automatic->mode, MODE_AUTO);
	assert_int_equal(safe->profiles[0].workspace, ACCESS_WRITE);
	assert_int_equal(safe->profiles[1].workspace, ACCESS_READ);
	assert_int_equal(safe->profiles[2].workspace, ACCESS_NONE);
	assert_int_equal(safe->profiles[0].network, NETWORK_NEVER);
	assert_int_equal(safe->profiles[1].network, NETWORK_ON_REQUEST);
	assert_int_equal(ask->profiles[0].network, NETWORK_ALWAYS);
	assert_int_equal(safe->profiles[0].home, HOME_SCRATCH);
	assert_int_equal(safe->profiles[1].home, HOME_SEALED);
}

/* The kernel tells each by that name. */
static void test_labels(void **state)
{
	char text[4096];

	(void)state;
	assert_true(fd_read_file(AT_FDCWD, "/proc/self/limits", text, sizeof(text)) > 0);
	for (size_t i = 0; i < N_RLIMITS; i++)
		assert_non_null(strstr(text, rlimit_table[i].label));
}

static void test_sha256(void **state)
{
	_cleanup_policy_ struct policy *policy = parse(SMALLEST);

	(void)state;
	assert_string_equal(
		policy->sha256,
		"fdc2bf66d7ca181afef86a3997e1e8c41748f37e8e6b59e8745d49482017f289");
}

/* The findings come in the order of the file, also those of the whole. */
static void test_order(void **state)
{
	static const char text[] =
		"mode: x\nprofiles:\n  a: {timeout: 2s, timeout_max: 1s, b: 1}\n"
		"  c: {timeout: 3}\n";
	_cleanup_findings_ struct findings findings = { 0 };
	struct policy *policy = NULL;
	struct error err = { 0 };

	(void)state;
	assert_int_equal(policy_parse("p.yaml", text, strlen(text), POLICY_YAML, &policy,
				      &findings, &err),
			 -EINVAL);
	assert_null(policy);
	assert_int_equal(findings.count, 6);
	for (size_t i = 1; i < findings.count; i++) {
		const struct location *a = &findings.items[i - 1].where;
		const struct location *b = &findings.items[i].where;

		assert_true(a->line < b->line ||
			    (a->line == b->line && a->column <= b->column));
	}
	assert_string_equal(findings.source, "p.yaml");
	assert_int_equal(err.code, ERROR_POLICY_INVALID);
	assert_string_equal(err.message,
			    "p.yaml:1:1: version is missing; write version: 1 (and 5 "
			    "more: drupe check p.yaml shows them)");
}

struct open_case {
	const char *name; /* with a slash at its front: of the folder */
	int r;
	enum error_code code;
	const char *part;
};

static void check_open(const struct open_case *c)
{
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_policy_ struct policy *policy = NULL;
	struct error err = { 0 };
	const char *name = c->name && c->name[0] == '/' ? at(c->name + 1) : c->name;
	int r = policy_open(name, top, &policy, &findings, &err);

	if (r != c->r)
		print_error("%s: %d %s\n", name, r, err.message);
	assert_int_equal(r, c->r);
	if (r == 0) {
		assert_non_null(strstr(policy->source, c->part));
		return;
	}
	assert_null(policy);
	assert_int_equal(err.code, c->code);
	if (!strstr(err.message, c->part))
		print_error("\"%s\" lacks \"%s\"\n", err.message, c->part);
	assert_non_null(strstr(err.message, c->part));
}

static void test_open(void **state)
{
	static const struct open_case cases[] = {
		{ NULL, 0, 0, "built-in" },
		{ "one", 0, 0, "/one.yaml" },
		{ "two", 0, 0, "/two.ini" },
		{ "both", -EEXIST, ERROR_POLICY_INVALID, "both exist" },
		{ "dangling", -ENOENT, ERROR_POLICY_NOT_FOUND, "there is no such file" },
		{ "none", -ENOENT, ERROR_POLICY_NOT_FOUND, "no policy \"none\"" },
		{ "yml", -ENOENT, ERROR_POLICY_NOT_FOUND, "no policy \"yml\"" },
		{ "", -EINVAL, ERROR_POLICY_NOT_FOUND, "empty" },
		{ "/one.yaml", 0, 0, "/one.yaml" },
		{ "/yml.yml", 0, 0, "/yml.yml" },
		{ "/one.conf", -EINVAL, ERROR_POLICY_INVALID,
		  "ends in .yaml, .yml or .ini" },
		{ "/.yaml", 0, 0, "/.yaml" },
		{ "nothing.yaml", -ENOENT, ERROR_POLICY_NOT_FOUND,
		  "nothing.yaml: there is no" },
		{ "/writable.yaml", -EPERM, ERROR_POLICY_UNTRUSTED, "chmod g-w" },
		{ "/full.ini", 0, 0, "/full.ini" },
		{ "/larger.ini", -EFBIG, ERROR_POLICY_INVALID, "larger than 256 KiB" },
		{ "/empty.yaml", -EINVAL, ERROR_POLICY_INVALID,
		  "/empty.yaml:1:1: no policy" },
		{ "/bad.yaml", -EINVAL, ERROR_POLICY_INVALID,
		  "/bad.yaml:1:10: version: \"2\"" },
	};
	char *large = malloc(POLICY_SIZE_MAX + 1);

	(void)state;
	assert_non_null(large);
	memset(large, '\n', POLICY_SIZE_MAX + 1);
	memcpy(large, SMALLEST_INI, strlen(SMALLEST_INI));
	write_file("full.ini", large, POLICY_SIZE_MAX);
	write_file("larger.ini", large, POLICY_SIZE_MAX + 1);
	free(large);
	write_file("one.yaml", SMALLEST, strlen(SMALLEST));
	write_file("one.conf", SMALLEST, strlen(SMALLEST));
	write_file(".yaml", SMALLEST, strlen(SMALLEST));
	write_file("yml.yml", SMALLEST, strlen(SMALLEST));
	write_file("two.ini", SMALLEST_INI, strlen(SMALLEST_INI));
	write_file("both.yaml", SMALLEST, strlen(SMALLEST));
	write_file("both.ini", SMALLEST_INI, strlen(SMALLEST_INI));
	write_file("empty.yaml", "", 0);
	write_file("bad.yaml", "version: 2\nprofiles: {build: {}}\n", 33);
	write_file("writable.yaml", SMALLEST, strlen(SMALLEST));
	assert_int_equal(chmod(at("writable.yaml"), 0664), 0);
	assert_int_equal(symlink("nowhere", at("dangling.yaml")), 0);
	for (size_t i = 0; i < N(cases); i++)
		check_open(&cases[i]);
	/* An installed default.* takes the place of the built-in one, also a bad one. */
	write_file("default.ini", SMALLEST_INI, strlen(SMALLEST_INI));
	check_open(&(struct open_case){ NULL, 0, 0, "/default.ini" });
	write_file("default.yaml", SMALLEST, strlen(SMALLEST));
	check_open(
		&(struct open_case){ NULL, -EEXIST, ERROR_POLICY_INVALID, "both exist" });
	assert_int_equal(unlink(at("default.ini")), 0);
	write_file("default.yaml", "", 0);
	check_open(
		&(struct open_case){ NULL, -EINVAL, ERROR_POLICY_INVALID, "no policy" });
}

/* Each key of the table: the reference has it, and its default is one it accepts. */
static void test_table(void **state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	char item[128];

	(void)state;
	policy_keys_print(file);
	fclose(file);
	for (size_t i = 0; i < policy_keys_count; i++) {
		const struct policy_key *key = &policy_keys[i];

		snprintf(item, sizeof(item), "%s\t%s\t",
			 policy_section_name(key->section, POLICY_INI), key->name);
		assert_non_null(strstr(text, item));
		assert_non_null(key->help);
		assert_ptr_equal(policy_key_find(key->section, key->name), key);
	}
	free(text);
}

static const struct {
	const char *name;
	bool allowed;
} variables[] = {
	{ "A", true },	      { "_a1", true },		{ "LANG", true },
	{ "LC_ALL", true },   { "TZ", true },		{ "PATH", true },
	{ "HOMEPAGE", true }, { "ENVIRONMENT", true },	{ "MALLOC", true },
	{ "LD", true },	      { "IFS2", true },		{ "", false },
	{ "1", false },	      { "A=B", false },		{ "A B", false },
	{ "HOME", false },    { "LD_", false },		{ "LD_LIBRARY_PATH", false },
	{ "MALLOC_", false }, { "BASH_FUNC_x", false }, { "DBUS_X", false },
	{ "DRUPE_", false },
};

static void test_variables(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(variables); i++)
		assert_int_equal(!policy_env_fault(variables[i].name),
				 variables[i].allowed);
}

static double milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Parse what NAME describes and say how long it took; the bound is generous, since
 * sanitizers and loaded machines are slow.  What was quadratic took seconds. */
static void check_time(const char *name, char *text, size_t length,
		       enum policy_format format)
{
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_policy_ struct policy *policy = NULL;
	double start = milliseconds(), spent;

	policy_parse(name, text, length, format, &policy, &findings, NULL);
	spent = milliseconds() - start;
	print_message("%s: %zu findings in %.1f ms\n", name, findings.count, spent);
	assert_true(spent < 2000);
	free(text);
}

static char *repeat(const char *head, const char *body, size_t *ret_length)
{
	char *text = malloc(POLICY_SIZE_MAX);
	size_t n = strlen(head), m = strlen(body);

	assert_non_null(text);
	memcpy(text, head, n);
	while (n + m <= POLICY_SIZE_MAX) {
		memcpy(text + n, body, m);
		n += m;
	}
	*ret_length = n;
	return text;
}

static void test_hostile_sizes(void **state)
{
	static const struct {
		const char *head, *body;
		enum policy_format format;
	} cases[] = {
		{ "", "[", POLICY_YAML },
		{ "", "{a: ", POLICY_YAML },
		{ "version: 1\nprofiles:\n", "  a: {}\n", POLICY_YAML },
		{ "version: 1\n", "x: 1\n", POLICY_YAML },
		{ "a: &a [x]\nb: [", "*a,", POLICY_YAML },
		{ "mode: \"", "x", POLICY_YAML },
		{ "", "\xff\n", POLICY_YAML },
		{ "", "\r", POLICY_YAML },
		{ "[policy]\n", "x\n", POLICY_INI },
		{ "[policy]\n", "mode=x\n", POLICY_INI },
		{ "", "[profile a]\n", POLICY_INI },
		{ "[profile a env]\n", "A=1\n", POLICY_INI },
		{ "[profile a]\n", "host_read=/a\n", POLICY_INI },
		{ "[policy]\nmode=", "x", POLICY_INI },
		{ "", "[", POLICY_INI },
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		char name[32];
		size_t length;
		char *text = repeat(cases[i].head, cases[i].body, &length);

		snprintf(name, sizeof(name), "case %zu", i);
		check_time(name, text, length, cases[i].format);
	}
}

static int setup(void **state)
{
	(void)state;
	umask(022);
	return mkdtemp(top) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[sizeof(top) + 16];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", top);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builtin),	      cmocka_unit_test(test_own_values),
		cmocka_unit_test(test_names),	      cmocka_unit_test(test_words),
		cmocka_unit_test(test_labels),	      cmocka_unit_test(test_sha256),
		cmocka_unit_test(test_order),	      cmocka_unit_test(test_open),
		cmocka_unit_test(test_table),	      cmocka_unit_test(test_variables),
		cmocka_unit_test(test_hostile_sizes),
	};

	return cmocka_run_group_tests_name("policy", tests, setup, teardown);
}
