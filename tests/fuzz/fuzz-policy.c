/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Both formats of a policy.  The first byte chooses one, the rest is the text.
 *
 *   clang -fsanitize=fuzzer,address,undefined ...    a fuzzer
 *   cc -DFUZZ_MAIN ...                               replays the files it is given
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/open.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

/* What must hold of whatever was refused: a place in the file, in order, and a text. */
static void check_findings(const struct findings *findings, size_t lines)
{
	require(findings->count > 0);
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];

		require(finding->where.line >= 1 && finding->where.line <= lines + 1);
		require(finding->where.column >= 1);
		require(finding->text && finding->text[0]);
		require(i == 0 ||
			findings->items[i - 1].where.line <= finding->where.line);
	}
}

/* What must hold of whatever was accepted. */
static void check_policy(const struct policy *policy)
{
	require(policy->version == 1 && policy->n_profiles > 0);
	require(policy_profile(policy, policy->default_profile) != NULL);
	for (size_t i = 0; i < N_SLOTS; i++)
		require(policy->backends[i] && policy->backends[i][0]);
	for (size_t i = 0; i < policy->n_profiles; i++) {
		const struct profile *profile = &policy->profiles[i];

		require(profile->timeout_ms <= profile->timeout_max_ms);
		for (size_t j = 0; j < profile->host_read.count; j++)
			require(profile->host_read.items[j][0] == '/' &&
				profile->host_read.items[j][1]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_policy_ struct policy *policy = NULL;
	struct error err = { 0 };
	const char *text = (const char *)data + 1;
	size_t lines = 1;
	int r;

	if (size < 1 || size > POLICY_SIZE_MAX)
		return 0;
	for (size_t i = 1; i < size; i++)
		lines += data[i] == '\n';
	r = policy_parse("fuzz", text, size - 1, data[0] & 1 ? POLICY_INI : POLICY_YAML,
			 &policy, &findings, &err);
	require((r == 0) == (policy != NULL));
	if (policy)
		check_policy(policy);
	else
		check_findings(&findings, lines);
	return 0;
}

#ifdef FUZZ_MAIN
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		static uint8_t data[POLICY_SIZE_MAX];
		FILE *file = fopen(argv[i], "rbe");

		if (!file) {
			perror(argv[i]);
			return 1;
		}
		LLVMFuzzerTestOneInput(data, fread(data, 1, sizeof(data), file));
		fclose(file);
	}
	return 0;
}
#endif
