/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The callbacks that backends call, and the options they read through them. */
#ifndef DRUPE_HOST_H
#define DRUPE_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "drupe-backend.h"
#include "policy/policy.h"

struct option_value {
	const char *key; /* points into the backend's table */
	enum drupe_option_type type;
	uint64_t number; /* or the bool */
	char *text;
};

/* Opaque in the ABI: the values set by the policy. */
struct drupe_options {
	struct option_value *values;
	size_t count;
};

extern const struct drupe_host host_callbacks;

/* The I-th option that a backend declares; a newer backend's elements may be larger. */
static inline const struct drupe_option *host_option_at(
	const struct drupe_backend *object, size_t i)
{
	return (const struct drupe_option *)(const void *)((const char *)object->options +
							   i * object->option_size);
}

/* The name of a type of options in messages and listings. */
const char *host_option_type_name(enum drupe_option_type type);

/*
 * Read the policy's options (NULL: none are set) for this backend, as declared in its
 * table.  ERR: option-invalid, "FILE:LINE:COL: …", the first error and the number of
 * others.
 */
int host_options(const struct drupe_backend *object, const struct policy *policy,
		 struct drupe_options **ret_options, struct error *err);
/* Add all errors in them to FINDINGS.  0 or -ENOMEM. */
int host_check_options(const struct drupe_backend *object, const struct policy *policy,
		       struct findings *findings);
void host_options_free(struct drupe_options *options);

#endif
