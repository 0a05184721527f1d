/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "policy/policy.h"

#include <stdlib.h>
#include <string.h>

#include "policy/lists.h"

const char *const slot_names[N_SLOTS] = {
	[SLOT_SCOPE] = "scope",
	[SLOT_LAUNCHER] = "launcher",
	[SLOT_RLIMITS] = "rlimits",
	[SLOT_NETWORK] = "network",
};

const char *const mode_words[] = {
	[MODE_SAFE] = "safe",
	[MODE_ASK] = "ask",
	[MODE_AUTO] = "auto",
	NULL,
};

const char *const access_words[] = {
	[ACCESS_WRITE] = "write",
	[ACCESS_READ] = "read",
	[ACCESS_NONE] = "none",
	NULL,
};

const char *const network_grant_words[] = {
	[NETWORK_NEVER] = "never",
	[NETWORK_ON_REQUEST] = "on-request",
	[NETWORK_ALWAYS] = "always",
	NULL,
};

const char *const home_words[] = {
	[HOME_SCRATCH] = "scratch",
	[HOME_SEALED] = "sealed",
	NULL,
};

const struct profile *policy_profile(const struct policy *policy, const char *name)
{
	for (size_t i = 0; i < policy->n_profiles; i++)
		if (strcmp(policy->profiles[i].name, name) == 0)
			return &policy->profiles[i];
	return NULL;
}

const char *access_name(enum access access)
{
	return access_words[access];
}

static void profile_free(struct profile *profile)
{
	policy_lists_clear(profile);
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
