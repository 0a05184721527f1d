/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cmd-backends.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "network.h"
#include "registry.h"
#include "result.h"

/* The layers that may be left out by the word `none` have no file for it. */
static const struct builtin {
	enum slot slot;
	const char *summary;
} builtins[] = {
	{ SLOT_SCOPE, "no cgroup limits" },
	{ SLOT_NETWORK, "no network but the private loopback" },
};
#define N_BUILTINS (sizeof(builtins) / sizeof(builtins[0]))

static bool is_wanted(const char *dump, enum slot slot, const char *name)
{
	size_t n = strlen(slot_names[slot]);

	if (!dump || strcmp(dump, name) == 0)
		return true;
	return strncmp(dump, slot_names[slot], n) == 0 && dump[n] == '-' &&
	       strcmp(dump + n + 1, name) == 0;
}

static const char *trust_word(const struct registry_entry *entry)
{
	return entry->error.code == ERROR_BACKEND_UNTRUSTED ? "no" : "yes";
}

static const char *probe_word(const struct registry_entry *entry)
{
	return entry->error.code ? error_code_word(entry->error.code) : "ok";
}

static size_t count_refused(const struct registry_entry *entries, size_t count,
			    const char *dump)
{
	size_t refused = 0;

	for (size_t i = 0; i < count; i++)
		if (entries[i].error.code &&
		    is_wanted(dump, entries[i].slot, entries[i].name))
			refused++;
	return refused;
}

/* ---- table ----------------------------------------------------------------------------
 */

#define ROW "%-9s %-14s %-10s %-4s %-6s %-18s "

static void print_refusal(const struct error *error)
{
	printf("\n%s: ", error->backend);
	print_escaped(stdout, error->message);
	if (error->hint[0]) {
		fputs("\n  to mend it: ", stdout);
		print_escaped(stdout, error->hint);
	}
	putchar('\n');
}

static void print_table(const char *dir, const struct registry_entry *entries,
			size_t count)
{
	printf(ROW "%s\n", "KIND", "NAME", "VERSION", "ABI", "TRUST", "PROBE", "FILE");
	for (size_t i = 0; i < N_BUILTINS; i++)
		printf(ROW "%s\n", slot_names[builtins[i].slot], "none", "-", "-", "-",
		       "ok", "(built in)");
	for (size_t i = 0; i < count; i++) {
		const struct registry_entry *entry = &entries[i];
		const struct drupe_backend *object = entry->backend
							     ? &entry->backend->object
							     : NULL;
		char abi[12] = "-";

		if (object)
			snprintf(abi, sizeof(abi), "%u", object->abi);
		printf(ROW, slot_names[entry->slot], entry->name,
		       object ? object->version : "-", abi, trust_word(entry),
		       probe_word(entry));
		print_escaped(stdout, dir);
		printf("/%s-%s.so\n", slot_names[entry->slot], entry->name);
	}
	for (size_t i = 0; i < count; i++)
		if (entries[i].error.code)
			print_refusal(&entries[i].error);
}

/* ---- dump -----------------------------------------------------------------------------
 */

static void print_field(const char *name, const char *value)
{
	printf("%-9s ", name);
	print_escaped(stdout, value);
	putchar('\n');
}

static void print_option(const struct drupe_option *option)
{
	printf("option    %s: %s", option->key, host_option_type_name(option->type));
	if (option->type == DRUPE_OPTION_WORD)
		for (const char *const *word = option->words; *word; word++)
			printf("%s%s", word == option->words ? ", one of " : " ", *word);
	if (option->min || option->max)
		printf(", %" PRIu64 " to %" PRIu64, option->min, option->max);
	printf("\n          %s\n", option->help);
}

static void print_features(const struct backend *backend)
{
	const char *const *features = backend->object.tool_features;

	for (size_t i = 0; features && features[i]; i++)
		printf("feature   %s: %s\n", features[i],
		       backend->call.features & UINT64_C(1) << i ? "yes" : "no");
}

static void print_dump(const char *dir, const struct registry_entry *entry)
{
	const struct backend *backend = entry->backend;

	print_field("kind", slot_names[entry->slot]);
	print_field("name", entry->name);
	printf("%-9s ", "file");
	print_escaped(stdout, dir);
	printf("/%s-%s.so\n", slot_names[entry->slot], entry->name);
	print_field("trust", trust_word(entry));
	print_field("probe", probe_word(entry));
	if (backend) {
		print_field("summary", backend->object.summary);
		print_field("version", backend->object.version);
		printf("%-9s %u\n", "abi", backend->object.abi);
		print_field("tool", backend->object.tool ? backend->object.tool : "-");
		print_features(backend);
		for (size_t i = 0; i < backend->object.n_options; i++)
			print_option(host_option_at(&backend->object, i));
	}
	if (entry->error.code)
		print_refusal(&entry->error);
}

static size_t print_dumps(const char *dir, const struct registry_entry *entries,
			  size_t count, const char *dump)
{
	size_t shown = 0;

	for (size_t i = 0; i < N_BUILTINS; i++) {
		if (!is_wanted(dump, builtins[i].slot, "none"))
			continue;
		if (shown++)
			putchar('\n');
		print_field("kind", slot_names[builtins[i].slot]);
		print_field("name", "none");
		print_field("file", "(built in)");
		print_field("summary", builtins[i].summary);
	}
	for (size_t i = 0; i < count; i++) {
		if (!is_wanted(dump, entries[i].slot, entries[i].name))
			continue;
		if (shown++)
			putchar('\n');
		print_dump(dir, &entries[i]);
	}
	return shown;
}

/* ---- JSON
 * ------------------------------------------------------------------------------- */

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

static json_t *builtin_json(const struct builtin *builtin)
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
		"trust", trust_word(entry), "probe", probe_word(entry), "refusal",
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

static json_t *listing_json(const char *dir, const struct registry_entry *entries,
			    size_t count, const char *dump)
{
	json_t *list = json_array();

	for (size_t i = 0; i < N_BUILTINS; i++)
		if (is_wanted(dump, builtins[i].slot, "none"))
			json_array_append_new(list, builtin_json(&builtins[i]));
	for (size_t i = 0; i < count; i++)
		if (is_wanted(dump, entries[i].slot, entries[i].name))
			json_array_append_new(list, entry_json(dir, &entries[i]));
	return json_pack("{s:s, s:o}", "folder", dir, "backends", list);
}

/* A helper that cannot attach to pinned namespaces is no backend that could be used. */
static int list_probed(const char *dir, struct registry_entry **ret_entries,
		       size_t *ret_count, struct error *err)
{
	int r = registry_list(dir, ret_entries, ret_count, err);

	for (size_t i = 0; r == 0 && i < *ret_count; i++) {
		struct registry_entry *entry = &(*ret_entries)[i];

		if (entry->slot == SLOT_NETWORK && entry->backend && !entry->error.code)
			(void)network_probe(entry->backend, NULL, &entry->error);
	}
	return r;
}

int backends_json(const char *dir, json_t **ret_json, size_t *ret_refused,
		  struct error *err)
{
	struct registry_entry *entries;
	size_t count;
	int r;

	r = list_probed(dir, &entries, &count, err);
	if (r < 0)
		return r;
	*ret_json = listing_json(registry_dir(dir), entries, count, NULL);
	if (ret_refused)
		*ret_refused = count_refused(entries, count, NULL);
	registry_list_free(entries, count);
	return 0;
}

/* ---- the command
 * ------------------------------------------------------------------------ */

static size_t print_listing(const char *dir, const struct registry_entry *entries,
			    size_t count, const char *dump)
{
	json_t *listing = listing_json(dir, entries, count, dump);
	size_t shown = json_array_size(json_object_get(listing, "backends"));

	if (shown > 0) {
		json_dumpf(listing, stdout, JSON_COMPACT);
		putchar('\n');
	}
	json_decref(listing);
	return shown;
}

int backends_list(const char *dir, const char *dump, bool json)
{
	struct registry_entry *entries;
	size_t count, shown = 1, refused;
	struct error err = { 0 };

	if (list_probed(dir, &entries, &count, &err) < 0) {
		error_print(&err);
		return 1;
	}
	dir = registry_dir(dir);
	if (json)
		shown = print_listing(dir, entries, count, dump);
	else if (dump)
		shown = print_dumps(dir, entries, count, dump);
	else
		print_table(dir, entries, count);
	refused = count_refused(entries, count, dump);
	registry_list_free(entries, count);
	if (shown == 0) {
		fputs("drupe: no backend \"", stderr);
		print_escaped(stderr, dump);
		fputs("\" here; drupe backends lists those there are\n", stderr);
		return 2;
	}
	return refused ? 1 : 0;
}
