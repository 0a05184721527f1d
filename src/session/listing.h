/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What backends are installed, and whether a run would take them. */
#ifndef DRUPE_LISTING_H
#define DRUPE_LISTING_H

#include "backend/registry.h"
#include "base/json.h"

/* `none`, for the layers that a policy may leave out. */
#define N_LISTING_BUILTINS 2
extern const struct listing_builtin {
	enum slot slot;
	const char *summary;
} listing_builtins[N_LISTING_BUILTINS];

/* The backends in DIR (NULL: the configured folder), network helpers probed.  Free with
 * registry_list_free. */
int listing_make(const char *dir, struct registry_entry **ret_entries, size_t *ret_count,
		 struct error *err);

/* Whether DUMP (NAME, KIND-NAME, or NULL for all) matches. */
bool listing_wants(const char *dump, enum slot slot, const char *name);

/* "yes" or "no"; "ok" or the code of the refusal. */
const char *listing_trust(const struct registry_entry *entry);
const char *listing_probe(const struct registry_entry *entry);

/* How many backends that DUMP matches would be refused by a run. */
size_t listing_refused(const struct registry_entry *entries, size_t count,
		       const char *dump);

json_t *listing_json(const char *dir, const struct registry_entry *entries, size_t count,
		     const char *dump);

/* The listing of all in DIR.  *ret_json is NULL when out of memory. */
int backends_json(const char *dir, json_t **ret_json, struct error *err);

#endif
