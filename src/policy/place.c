/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "policy/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/value.h"

/* Bounds on the names that an admin chooses keep the search for duplicates cheap. */
#define PROFILES_MAX 256
#define BACKENDS_MAX 64

void *policy_place_base(const struct policy_sink *sink, struct policy_place place)
{
	return policy_sections[place.section].in_profile
		       ? (void *)&sink->policy->profiles[place.index]
		       : (void *)sink->policy;
}

struct policy_seen *policy_place_seen(struct policy_sink *sink, struct policy_place place,
				      const struct policy_key *key)
{
	size_t i = (size_t)(key - policy_keys);

	return policy_sections[place.section].in_profile
		       ? &sink->profiles[place.index].keys[i]
		       : &sink->keys[i];
}

static struct location *place_opened(struct policy_sink *sink, struct policy_place place)
{
	if (place.section == SECTION_OPTION)
		return &sink->options[place.index].opened;
	return policy_sections[place.section].in_profile
		       ? &sink->profiles[place.index].opened[place.section]
		       : &sink->opened[place.section];
}

void policy_place_open(struct policy_sink *sink, struct policy_place place,
		       const char *shown, struct location where)
{
	struct location *opened = place_opened(sink, place);

	if (opened->line)
		policy_sink_again(sink, where, shown, *opened);
	else
		*opened = where;
}

static int profile_defaults(struct profile *profile)
{
	int r = policy_keys_default(SECTION_PROFILE, profile);

	if (r == 0)
		r = policy_keys_default(SECTION_LIMITS, profile);
	return r == 0 ? policy_keys_default(SECTION_CGROUP, profile) : r;
}

static bool find_profile(struct policy_sink *sink, const char *name,
			 struct location where, size_t *ret_index)
{
	struct policy *policy = sink->policy;
	size_t n = policy->n_profiles;
	struct profile *profiles;
	struct policy_profile_seen *seen;

	for (*ret_index = 0; *ret_index < n; (*ret_index)++)
		if (strcmp(policy->profiles[*ret_index].name, name) == 0)
			return true;
	if (n >= PROFILES_MAX) {
		policy_sink_find(sink, where, "profiles: at most %d of them",
				 PROFILES_MAX);
		return false;
	}
	profiles = reallocarray(policy->profiles, n + 1, sizeof(*profiles));
	if (profiles)
		policy->profiles = profiles;
	seen = reallocarray(sink->profiles, n + 1, sizeof(*seen));
	if (seen)
		sink->profiles = seen;
	if (!profiles || !seen) {
		sink->exhausted = true;
		return false;
	}
	memset(&seen[n], 0, sizeof(seen[n]));
	profiles[n] = (struct profile){ .name = strdup(name), .where = where };
	policy->n_profiles++;
	if (!profiles[n].name || profile_defaults(&profiles[n]) < 0) {
		sink->exhausted = true;
		return false;
	}
	return true;
}

static bool find_options(struct policy_sink *sink, const char *backend,
			 struct location where, size_t *ret_index)
{
	size_t n = sink->n_options;
	struct policy_option_section *options;

	for (*ret_index = 0; *ret_index < n; (*ret_index)++)
		if (strcmp(sink->options[*ret_index].backend, backend) == 0)
			return true;
	if (n >= BACKENDS_MAX) {
		policy_sink_find(sink, where, "options: at most %d backends",
				 BACKENDS_MAX);
		return false;
	}
	options = reallocarray(sink->options, n + 1, sizeof(*options));
	if (options) {
		sink->options = options;
		options[n] = (struct policy_option_section){ .backend = strdup(backend),
							     .where = where };
	}
	if (!options || !options[n].backend) {
		sink->exhausted = true;
		return false;
	}
	sink->n_options++;
	return true;
}

bool policy_place_named(struct policy_sink *sink, enum policy_section section,
			const char *name, struct location where, size_t *ret_index)
{
	if (sink->exhausted)
		return false;
	if (!value_name(name)) {
		sink->lost_profiles |= section == SECTION_PROFILES;
		policy_sink_find(sink, where,
				 "%s: %s is not a name; write a-z, then a-z, 0-9 "
				 "and - (32 at most)",
				 policy_section_name(section, POLICY_YAML),
				 findings_quote(name).text);
		return false;
	}
	if (section == SECTION_PROFILES)
		return find_profile(sink, name, where, ret_index);
	return find_options(sink, name, where, ret_index);
}

bool policy_place_enter(struct policy_sink *sink, const struct policy_entry *entry,
			struct policy_place *ret_place)
{
	struct policy_place place = { 0 };

	if (entry->key) {
		place.section = entry->key->child;
		place.index = entry->place.index;
	} else {
		place.section = policy_sections[entry->place.section].each;
		if (!policy_place_named(sink, entry->place.section, entry->name,
					entry->where, &place.index))
			return false;
	}
	policy_place_open(sink, place, entry->name, entry->where);
	*ret_place = place;
	return true;
}
