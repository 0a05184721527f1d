/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/listing.h"

#include <stdio.h>
#include <string.h>

#include "base/fd.h"
#include "base/json.h"
#include "net/network.h"

const struct listing_builtin listing_builtins[N_LISTING_BUILTINS] = {
	{ SLOT_SCOPE, "no cgroup limits" },
	{ SLOT_NETWORK, "no network but the private loopback" },
};

bool listing_wants(const char *dump, enum slot slot, const char *name)
{
	size_t n = strlen(slot_names[slot]);

	if (!dump || strcmp(dump, name) == 0)
		return true;
	return strncmp(dump, slot_names[slot], n) == 0 && dump[n] == '-' &&
	       strcmp(dump + n + 1, name) == 0;
}

const char *listing_trust(const struct registry_entry *entry)
{
	return entry->error.code == ERROR_BACKEND_UNTRUSTED ? "no" : "yes";
}

const char *listing_probe(const struct registry_entry *entry)
{
	return entry->error.code ? error_code_word(entry->error.code) : "ok";
}

size_t listing_refused(const struct registry_entry *entries, size_t count,
		       const char *dump)
{
	size_t refused = 0;

	for (size_t i = 0; i < count; i++)
		if (entries[i].error.code &&
		    listing_wants(dump, entries[i].slot, entries[i].name))
			refused++;
	return refused;
}

/* A helper that cannot attach to pinned namespaces is useless. */
int listing_make(const char *dir, struct registry_entry **ret_entries, size_t *ret_count,
		 struct error *err)
{
	int r = registry_list(dir, ret_entries, ret_count, err);

	for (size_t i = 0; r == 0 && i < *ret_count; i++) {
		struct registry_entry *entry = &(*ret_entries)[i];

		if (entry->slot == SLOT_NETWORK && entry->backend && !entry->error.code)
			(void)network_probe(entry->backend, NULL, &entry->error);
	}
	return r;
}

/* 0 and 0: no bounds. */
static json_t *bound_json(const struct drupe_option *option, uint64_t bound)
{
	return option->min || option->max ? json_count(bound) : json_null();
}

static json_t *option_json(const struct drupe_option *option)
{
	json_t *json = json_object();

	json_put(&json, "key", json_text(option->key));
	json_put(&json, "type", json_text(host_option_type_name(option->type)));
	json_put(&json, "min", bound_json(option, option->min));
	json_put(&json, "max", bound_json(option, option->max));
	json_put(&json, "words", json_words(option->words));
	json_put(&json, "help", json_text_or_null(option->help));
	return json;
}

static json_t *options_json(const struct drupe_backend *object)
{
	json_t *list = json_array();

	for (size_t i = 0; i < object->n_options; i++)
		json_push(&list, option_json(host_option_at(object, i)));
	return list;
}

static json_t *features_json(const struct backend *backend)
{
	const char *const *features = backend->object.tool_features;
	json_t *json = json_object();

	for (size_t i = 0; features && features[i]; i++)
		json_put(&json, features[i],
			 json_boolean(backend->call.features & UINT64_C(1) << i));
	return json;
}

static json_t *builtin_json(const struct listing_builtin *builtin)
{
	json_t *json = json_object();

	json_put(&json, "kind", json_text(slot_names[builtin->slot]));
	json_put(&json, "name", json_text("none"));
	json_put(&json, "version", json_null());
	json_put(&json, "abi", json_null());
	json_put(&json, "file", json_null());
	json_put(&json, "trust", json_text("yes"));
	json_put(&json, "tool", json_null());
	json_put(&json, "summary", json_text(builtin->summary));
	json_put(&json, "refusal", json_null());
	return json;
}

static json_t *file_json(const char *dir, const struct registry_entry *entry)
{
	_cleanup_free_ char *file = NULL;

	if (asprintf(&file, "%s/%s-%s.so", dir, slot_names[entry->slot], entry->name) < 0)
		return NULL;
	return json_text(file);
}

static json_t *entry_json(const char *dir, const struct registry_entry *entry)
{
	json_t *json = json_object();

	json_put(&json, "kind", json_text(slot_names[entry->slot]));
	json_put(&json, "name", json_text(entry->name));
	json_put(&json, "file", file_json(dir, entry));
	json_put(&json, "trust", json_text(listing_trust(entry)));
	json_put(&json, "probe", json_text(listing_probe(entry)));
	json_put(&json, "refusal",
		 entry->error.code ? refusal_json(&entry->error) : json_null());
	if (entry->backend) {
		const struct drupe_backend *loaded = &entry->backend->object;

		json_put(&json, "version", json_text(loaded->version));
		json_put(&json, "abi", json_integer(loaded->abi));
		json_put(&json, "summary", json_text(loaded->summary));
		json_put(&json, "tool", json_text_or_null(loaded->tool));
		json_put(&json, "features", features_json(entry->backend));
		json_put(&json, "options", options_json(loaded));
	}
	return json;
}

json_t *listing_json(const char *dir, const struct registry_entry *entries, size_t count,
		     const char *dump)
{
	json_t *json = json_object(), *list = json_array();

	for (size_t i = 0; i < N_LISTING_BUILTINS; i++)
		if (listing_wants(dump, listing_builtins[i].slot, "none"))
			json_push(&list, builtin_json(&listing_builtins[i]));
	for (size_t i = 0; i < count; i++)
		if (listing_wants(dump, entries[i].slot, entries[i].name))
			json_push(&list, entry_json(dir, &entries[i]));
	json_put(&json, "folder", json_text(dir));
	json_put(&json, "backends", list);
	return json;
}

int backends_json(const char *dir, json_t **ret_json, struct error *err)
{
	struct registry_entry *entries;
	size_t count;
	int r;

	r = listing_make(dir, &entries, &count, err);
	if (r < 0)
		return r;
	*ret_json = listing_json(registry_dir(dir), entries, count, NULL);
	registry_list_free(entries, count);
	return 0;
}
