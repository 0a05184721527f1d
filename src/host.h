/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The callbacks that backends call, and the options they read through them. */
#ifndef DRUPE_HOST_H
#define DRUPE_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "drupe-backend.h"
#include "error.h"
#include "policy.h"

struct option_value {
	const char *key; /* of the backend's table */
	enum drupe_option_type type;
	uint64_t number; /* also a bool */
	char *text;
};

/* The opaque structure of the ABI: the values that the policy gave. */
struct drupe_options {
	struct option_value *values;
	size_t count;
};

extern const struct drupe_host host_callbacks;

/*
 * Check the policy's options for the backend of that name against the table that
 * it declares.  ERR: option-invalid, "FILE:LINE:COL: …" with the nearest key.
 */
int host_options(const struct drupe_backend *object, const struct policy *policy,
		 struct drupe_options **ret_options, struct error *err);
void host_options_free(struct drupe_options *options);

#endif
