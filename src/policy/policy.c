/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "policy/policy.h"

#include <stdlib.h>
#include <string.h>

#include "policy/keys.h"

const char *const slot_names[N_SLOTS] = {
	[SLOT_SCOPE] = "scope",
	[SLOT_LAUNCHER] = "launcher",
	[SLOT_RLIMITS] = "rlimits",
	[SLOT_NETWORK] = "network",
};

const struct profile *policy_profile(const struct policy *policy, const char *name)
{
	for (size_t i = 0; i < policy->n_profiles; i++)
		if (strcmp(policy->profiles[i].name, name) == 0)
			return &policy->profiles[i];
	return NULL;
}

static void profile_free(struct profile *profile)
{
	policy_keys_clear_lists(profile);
	for (size_t i = 0; i < profile->n_env; i++) {
		free(profile->env[i].name);
		free(profile->env[i].value);
	}
	free(profile->env);
	free(profile->name);
}

void policy_free(struct policy *policy)
{
	if (!policy)
		return;
	for (size_t i = 0; i < policy->n_profiles; i++)
		profile_free(&policy->profiles[i]);
	for (size_t i = 0; i < policy->n_options; i++) {
		free(policy->options[i].backend);
		free(policy->options[i].key);
		free(policy->options[i].value);
	}
	for (size_t i = 0; i < N_SLOTS; i++)
		free(policy->backends[i]);
	free(policy->options);
	free(policy->profiles);
	free(policy->source);
	free(policy->default_profile);
	free(policy->user);
	free(policy->tmp_root);
	free(policy);
}
