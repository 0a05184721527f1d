/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* drupe backends: a table, all about one backend, or JSON.  Exits 1 if one of those shown
 * is refused, 2 if --dump matches none. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/commands.h"
#include "session/listing.h"

/* ---- table ---- */

#define ROW "%-9s %-14s %-10s %-4s %-6s %-18s "

static void print_refusal(const struct error *error)
{
	printf("\n%s: ", error->backend);
	print_escaped(stdout, error->message);
	if (error->hint[0]) {
		fputs("\n  fix: ", stdout);
		print_escaped(stdout, error->hint);
	}
	putchar('\n');
}

static void print_table(const char *dir, const struct registry_entry *entries,
			size_t count)
{
	printf(ROW "%s\n", "KIND", "NAME", "VERSION", "ABI", "TRUST", "PROBE", "FILE");
	for (size_t i = 0; i < N_LISTING_BUILTINS; i++)
		printf(ROW "%s\n", slot_names[listing_builtins[i].slot], "none", "-", "-",
		       "-", "ok", "(built in)");
	for (size_t i = 0; i < count; i++) {
		const struct registry_entry *entry = &entries[i];
		const struct drupe_backend *object = entry->backend
							     ? &entry->backend->object
							     : NULL;
		char abi[12] = "-";

		if (object)
			snprintf(abi, sizeof(abi), "%u", object->abi);
		printf(ROW, slot_names[entry->slot], entry->name,
		       object ? object->version : "-", abi, listing_trust(entry),
		       listing_probe(entry));
		print_escaped(stdout, dir);
		printf("/%s-%s.so\n", slot_names[entry->slot], entry->name);
	}
	for (size_t i = 0; i < count; i++)
		if (entries[i].error.code)
			print_refusal(&entries[i].error);
}

/* ---- dump ---- */

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
	print_field("trust", listing_trust(entry));
	print_field("probe", listing_probe(entry));
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

	for (size_t i = 0; i < N_LISTING_BUILTINS; i++) {
		if (!listing_wants(dump, listing_builtins[i].slot, "none"))
			continue;
		if (shown++)
			putchar('\n');
		print_field("kind", slot_names[listing_builtins[i].slot]);
		print_field("name", "none");
		print_field("file", "(built in)");
		print_field("summary", listing_builtins[i].summary);
	}
	for (size_t i = 0; i < count; i++) {
		if (!listing_wants(dump, entries[i].slot, entries[i].name))
			continue;
		if (shown++)
			putchar('\n');
		print_dump(dir, &entries[i]);
	}
	return shown;
}

/* ---- the command ---- */

/* -errno: the output could not be written, and print_json has said so. */
static int print_listing(const char *dir, const struct registry_entry *entries,
			 size_t count, const char *dump, size_t *ret_shown)
{
	json_t *listing = listing_json(dir, entries, count, dump);

	*ret_shown = json_array_size(json_object_get(listing, "backends"));
	if (!listing || *ret_shown > 0)
		return print_json(listing);
	json_decref(listing);
	return 0;
}

int cmd_backends(const struct options *options)
{
	const char *dir = options->paths.backends, *dump = options->dump;
	struct registry_entry *entries;
	size_t count, shown = 1, refused;
	struct error err = { 0 };
	int r = 0;

	if (listing_make(dir, &entries, &count, &err) < 0) {
		error_print(&err);
		return EXIT_FINDINGS;
	}
	dir = registry_dir(dir);
	if (options->json)
		r = print_listing(dir, entries, count, dump, &shown);
	else if (dump)
		shown = print_dumps(dir, entries, count, dump);
	else
		print_table(dir, entries, count);
	refused = listing_refused(entries, count, dump);
	registry_list_free(entries, count);
	if (r < 0)
		return EXIT_MISUSE;
	if (shown == 0) {
		fputs("drupe: no backend \"", stderr);
		print_escaped(stderr, dump);
		fputs("\"; `drupe backends` lists what is installed\n", stderr);
		return EXIT_MISUSE;
	}
	return refused ? EXIT_FINDINGS : EXIT_GOOD;
}
