/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/listing.h"

#include <string.h>

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

/* A helper that cannot attach to pinned namespaces is no backend that could be used. */
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

static json_t *words_json(const char *const *words)
{
	json_t *list = json_array();

	for (; words && *words; words++)
		json_array_append_new(list, json_string(*words));
	return list;
}

/* A bound beyond what a JSON integer holds bounds nothing. */
static json_t *bound_json(const struct drupe_option *option, uint64_t bound)
{
	if ((option->min == 0 && option->max == 0) || bound > INT64_MAX)
		return json_null();
	return json_integer((json_int_t)bound);
}

static json_t *options_json(const struct drupe_backend *object)
{
	json_t *list = json_array();

	for (size_t i = 0; i < object->n_options; i++) {
		const struct drupe_option *option = host_option_at(object, i);

		json_array_append_new(
			list,
			json_pack("{s:s, s:s, s:o, s:o, s:o, s:s}", "key", option->key,
				  "type", host_option_type_name(option->type), "min",
				  bound_json(option, option->min), "max",
				  bound_json(option, option->max), "words",
				  words_json(option->words), "help", option->help));
	}
	return list;
}

static json_t *features_json(const struct backend *backend)
{
	const char *const *features = backend->object.tool_features;
	json_t *object = json_object();

	for (size_t i = 0; features && features[i]; i++)
		json_object_set_new(
			object, features[i],
			json_boolean(backend->call.features & UINT64_C(1) << i));
	return object;
}

static json_t *builtin_json(const struct listing_builtin *builtin)
{
	return json_pack("{s:s, s:s, s:n, s:n, s:n, s:s, s:n, s:s, s:n}", "kind",
			 slot_names[builtin->slot], "name", "none", "version", "abi",
			 "file", "trust", "yes", "tool", "summary", builtin->summary,
			 "refusal");
}

static json_t *entry_json(const char *dir, const struct registry_entry *entry)
{
	json_t *object = json_pack(
		"{s:s, s:s, s:o, s:s, s:s, s:o}", "kind", slot_names[entry->slot], "name",
		entry->name, "file",
		json_sprintf("%s/%s-%s.so", dir, slot_names[entry->slot], entry->name),
		"trust", listing_trust(entry), "probe", listing_probe(entry), "refusal",
		entry->error.code ? refusal_json(&entry->error) : json_null());

	if (entry->backend) {
		const struct drupe_backend *loaded = &entry->backend->object;
		json_t *more = json_pack("{s:s, s:i, s:s, s:s?, s:o, s:o}", "version",
					 loaded->version, "abi", (int)loaded->abi,
					 "summary", loaded->summary, "tool", loaded->tool,
					 "features", features_json(entry->backend),
					 "options", options_json(loaded));

		json_object_update(object, more);
		json_decref(more);
	}
	return object;
}

json_t *listing_json(const char *dir, const struct registry_entry *entries, size_t count,
		     const char *dump)
{
	json_t *list = json_array();

	for (size_t i = 0; i < N_LISTING_BUILTINS; i++)
		if (listing_wants(dump, listing_builtins[i].slot, "none"))
			json_array_append_new(list, builtin_json(&listing_builtins[i]));
	for (size_t i = 0; i < count; i++)
		if (listing_wants(dump, entries[i].slot, entries[i].name))
			json_array_append_new(list, entry_json(dir, &entries[i]));
	return json_pack("{s:s, s:o}", "folder", dir, "backends", list);
}

int backends_json(const char *dir, json_t **ret_json, size_t *ret_refused,
		  struct error *err)
{
	struct registry_entry *entries;
	size_t count;
	int r;

	r = listing_make(dir, &entries, &count, err);
	if (r < 0)
		return r;
	*ret_json = listing_json(registry_dir(dir), entries, count, NULL);
	if (ret_refused)
		*ret_refused = listing_refused(entries, count, NULL);
	registry_list_free(entries, count);
	return 0;
}
