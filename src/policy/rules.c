/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "policy/rules.h"

#include <string.h>

#include "base/path.h"
#include "policy/place.h"

static const struct location start_of_file = { 1, 1 };

static struct policy_seen *seen_of(struct policy_sink *sink, enum policy_section section,
				   size_t index, const char *name)
{
	return policy_place_seen(sink, (struct policy_place){ section, index },
				 policy_key_find(section, name));
}

static void check_presence(struct policy_sink *sink)
{
	struct location profiles = sink->opened[SECTION_PROFILES];

	if (!seen_of(sink, SECTION_TOP, 0, "version")->key.line)
		policy_sink_find(sink, start_of_file, "version is missing; write %s",
				 sink->format == POLICY_YAML ? "version: 1"
							     : "version = 1 in [policy]");
	if (sink->policy->n_profiles == 0 && !sink->lost_profiles)
		policy_sink_find(sink, profiles.line ? profiles : start_of_file,
				 "no profile; write at least one, %s",
				 sink->format == POLICY_YAML ? "profiles: {build: {}}"
							     : "[profile build]");
}

static void check_default_profile(struct policy_sink *sink)
{
	const struct policy *policy = sink->policy;
	struct policy_seen *seen = seen_of(sink, SECTION_TOP, 0, "default_profile");
	const struct profile *first = policy->profiles;

	if (seen->refused || sink->lost_profiles || policy->n_profiles == 0 ||
	    policy_profile(policy, policy->default_profile))
		return;
	policy_sink_find(
		sink, seen->value.line ? seen->value : first->where,
		"default_profile: no profile is called %s; name an existing one, like %s",
		findings_quote(policy->default_profile).text, first->name);
}

static void check_options(struct policy_sink *sink)
{
	char *const *backends = sink->policy->backends;

	for (size_t i = 0; i < sink->n_options; i++) {
		const struct policy_option_section *options = &sink->options[i];
		bool used = false;

		for (size_t slot = 0; slot < N_SLOTS; slot++)
			used |= strcmp(backends[slot], options->backend) == 0 ||
				seen_of(sink, SECTION_BACKENDS, 0, slot_names[slot])
					->refused;
		if (!used)
			policy_sink_find(sink, options->where,
					 "options: %s is not a backend of this policy, "
					 "which names "
					 "%s, %s, %s and %s",
					 findings_quote(options->backend).text,
					 backends[SLOT_SCOPE], backends[SLOT_LAUNCHER],
					 backends[SLOT_RLIMITS], backends[SLOT_NETWORK]);
	}
}

/* The first of a profile's cgroup limits, in the order of the file. */
static const struct policy_key *first_cgroup_limit(struct policy_sink *sink, size_t index,
						   struct location *ret_where)
{
	const struct policy_key *first = NULL;

	for (size_t i = 0; i < policy_keys_count; i++) {
		const struct policy_key *key = &policy_keys[i];
		const struct policy_seen *seen = &sink->profiles[index].keys[i];

		if (key->section != SECTION_CGROUP || !seen->key.line)
			continue;
		if (first && (seen->key.line > ret_where->line ||
			      (seen->key.line == ret_where->line &&
			       seen->key.column > ret_where->column)))
			continue;
		first = key;
		*ret_where = seen->key;
	}
	return first;
}

static void check_cgroup(struct policy_sink *sink, size_t index)
{
	const struct policy_seen *scope = seen_of(sink, SECTION_BACKENDS, 0, "scope");
	struct location where = { 0 };
	const struct policy_key *limit = first_cgroup_limit(sink, index, &where);

	if (limit && !scope->refused &&
	    strcmp(sink->policy->backends[SLOT_SCOPE], "none") == 0)
		policy_sink_find(
			sink, where,
			"%s: a cgroup limit needs a scope, and scope is none; name "
			"one in backends, like systemd, or leave the limit out",
			limit->name);
}

static void check_network(struct policy_sink *sink, size_t index)
{
	const struct policy_seen *network = seen_of(sink, SECTION_PROFILE, index,
						    "network");

	if (sink->policy->profiles[index].network == NETWORK_ALWAYS &&
	    sink->policy->mode == MODE_SAFE)
		policy_sink_find(
			sink, network->value,
			"network: \"always\" is never granted in mode safe; write "
			"never, or set mode to ask or auto");
}

static void check_timeout(struct policy_sink *sink, size_t index)
{
	const struct profile *profile = &sink->policy->profiles[index];
	const struct policy_seen *timeout = seen_of(sink, SECTION_PROFILE, index,
						    "timeout");
	const struct policy_seen *max = seen_of(sink, SECTION_PROFILE, index,
						"timeout_max");

	if (timeout->refused || max->refused ||
	    profile->timeout_ms <= profile->timeout_max_ms)
		return;
	if (timeout->key.line)
		policy_sink_find(
			sink, timeout->value,
			"timeout: is above timeout_max (%g s); lower it, or raise "
			"timeout_max",
			(double)profile->timeout_max_ms / 1000);
	else
		policy_sink_find(
			sink, max->value,
			"timeout_max: is below timeout (%g s); raise it, or lower "
			"timeout",
			(double)profile->timeout_ms / 1000);
}

static void check_host_read(struct policy_sink *sink, size_t index)
{
	const struct strings *prefixes = &sink->policy->profiles[index].host_read;
	const char *tmp = sink->policy->tmp_root;

	for (size_t i = 0; i < prefixes->count; i++)
		if (path_is_within(prefixes->items[i], tmp) ||
		    path_is_within(tmp, prefixes->items[i]))
			policy_sink_find(
				sink, prefixes->where[i],
				"host_read: %s covers private tmps or lies among them "
				"(tmp_root is %s); name another tree",
				findings_quote(prefixes->items[i]).text,
				findings_quote(tmp).text);
}

void policy_rules_check(struct policy_sink *sink)
{
	/* A syntax error may hide what seems to be missing. */
	if (!sink->broken) {
		check_presence(sink);
		check_default_profile(sink);
		check_options(sink);
	}
	for (size_t i = 0; i < sink->policy->n_profiles; i++) {
		if (!sink->broken)
			check_cgroup(sink, i);
		check_network(sink, i);
		check_timeout(sink, i);
		check_host_read(sink, i);
	}
}
