/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "backend/option-check.h"

#include <string.h>

#include "backend/host.h"
#include "backend/registry.h"

/* The backend of SLOT if the policy sets options for it, else NULL. */
static struct backend *look(const char *dir, enum slot slot, const struct policy *policy)
{
	struct backend *backend = NULL;
	struct error unfit = { 0 };
	bool any = false;

	for (size_t i = 0; i < policy->n_options; i++)
		any |= strcmp(policy->options[i].backend, policy->backends[slot]) == 0;
	if (any)
		registry_look(dir, slot, policy->backends[slot], &backend, &unfit);
	return backend;
}

int option_check_all(const struct policy *draft, struct findings *findings,
		     const void *dir)
{
	int r = 0;

	for (size_t slot = 0; r == 0 && slot < N_SLOTS; slot++) {
		_cleanup_backend_ struct backend *backend = look(dir, (enum slot)slot,
								 draft);

		if (backend)
			r = host_check_options(&backend->object, draft, findings);
	}
	return r;
}

int option_check_slot(const char *dir, enum slot slot, const struct policy *policy,
		      struct error *err)
{
	_cleanup_backend_ struct backend *backend = look(dir, slot, policy);
	struct drupe_options *options = NULL;
	int r;

	if (!backend)
		return 0;
	r = host_options(&backend->object, policy, &options, err);
	host_options_free(options);
	if (r < 0)
		error_backend(err, slot_names[slot], backend->object.name);
	return r;
}
