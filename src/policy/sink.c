/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The keys that a front end names, and the shapes of their values. */
#include "policy/sink.h"

#include <stdio.h>
#include <string.h>

#include "policy/state.h"

static bool is_option_key(const char *name)
{
	size_t n = strlen(name);

	return n >= 1 && n <= 32 && name[0] >= 'a' && name[0] <= 'z' &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == n;
}

/* Whether the admin may choose this name; where it is no key of the table. */
static bool check_free_name(struct policy_sink *sink, struct policy_place place,
			    const struct policy_scalar *name)
{
	const char *fault = NULL;

	if (place.section == SECTION_ENV)
		fault = policy_env_fault(name->text);
	else if (place.section == SECTION_OPTION && !is_option_key(name->text))
		fault = "is not a key; write a-z, then a-z, 0-9 and _ (32 at most)";
	if (fault)
		policy_sink_find(sink, name->where, "%s: %s %s",
				 place.section == SECTION_ENV ? "env" : "options",
				 policy_show(name->text).text, fault);
	return !fault;
}

static void report_unknown(struct policy_sink *sink, struct policy_place place,
			   const struct policy_scalar *name)
{
	bool ordered = place.section == SECTION_TOP ||
		       place.section == SECTION_BACKENDS ||
		       place.section == SECTION_PROFILE;
	char suggestion[320];

	if (ordered && policy_key_is_order(name->text)) {
		policy_sink_find(sink, name->where, "%s: %s", name->text,
				 policy_order_rule);
		return;
	}
	if (strcmp(name->text, "<<") == 0) {
		policy_sink_find(sink, name->where,
				 "merge keys are not allowed; write the keys out");
		return;
	}
	policy_key_suggest(place.section, sink->format, name->text, suggestion,
			   sizeof(suggestion));
	policy_sink_find(sink, name->where, "unknown key %s in %s%s",
			 policy_show(name->text).text,
			 policy_section_name(place.section, sink->format), suggestion);
}

static enum policy_shape wanted_shape(struct policy_place place,
				      const struct policy_key *key,
				      enum policy_format format)
{
	if (!key)
		return place.section == SECTION_OPTIONS ||
				       place.section == SECTION_PROFILES
			       ? SHAPE_MAPPING
			       : SHAPE_VALUE;
	if (key->type == KEY_SECTION)
		return SHAPE_MAPPING;
	return format == POLICY_YAML && policy_key_is_list(key) ? SHAPE_LIST
								: SHAPE_VALUE;
}

struct policy_shown policy_entry_label(const struct policy_entry *entry)
{
	struct policy_shown shown = policy_show(entry->name);

	if (entry->key)
		snprintf(shown.text, sizeof(shown.text), "%s", entry->name);
	return shown;
}

static void report_null(struct policy_sink *sink, const struct policy_entry *entry,
			struct location where)
{
	enum policy_shape wanted = wanted_shape(entry->place, entry->key, sink->format);

	policy_sink_find(sink, where,
			 "%s: nothing is given; write %s, or leave the key out",
			 policy_entry_label(entry).text,
			 wanted == SHAPE_MAPPING ? "{} for no keys"
			 : wanted == SHAPE_LIST	 ? "[] for the empty list"
			 : entry->key		 ? "a value"
						 : "\"\" for the empty text");
}

/* What is said of a value of the wrong shape. */
static const char *shape_fault(const struct policy_entry *entry, enum policy_shape wanted,
			       enum policy_shape got)
{
	const struct policy_key *key = entry->key;

	if (got != SHAPE_MAPPING && key && key->child == SECTION_BACKENDS)
		return "names one backend per slot (R3); the order scope, launcher, "
		       "rlimits, command is fixed (R1)";
	if (got == SHAPE_LIST && key && key->type == KEY_BACKEND)
		return "takes one name; one backend per slot, there is no list (R3)";
	if (wanted == SHAPE_MAPPING)
		return "takes keys of its own; write {KEY: VALUE}";
	if (wanted == SHAPE_LIST)
		return "takes a list; write [A, B]";
	return got == SHAPE_LIST ? "takes one value, not a list"
				 : "takes one value, not keys of its own";
}

static bool check_shape(struct policy_sink *sink, const struct policy_entry *entry,
			enum policy_shape shape, struct location where)
{
	enum policy_shape wanted = wanted_shape(entry->place, entry->key, sink->format);

	if (shape == SHAPE_REFUSED)
		return false;
	if (shape == SHAPE_NULL) {
		report_null(sink, entry, where);
		return false;
	}
	if (shape == wanted)
		return true;
	/* Whether the value is `false` is seen when it is set. */
	if (shape == SHAPE_VALUE && entry->key && entry->key->type == KEY_PREFIXES)
		return true;
	if (sink->format == POLICY_INI && wanted == SHAPE_MAPPING &&
	    entry->key->child != SECTION_BACKENDS)
		policy_sink_find(sink, entry->where, "%s is a section; write %s",
				 entry->name,
				 policy_section_name(entry->key->child, POLICY_INI));
	else
		policy_sink_find(sink, where, "%s: %s", policy_entry_label(entry).text,
				 shape_fault(entry, wanted, shape));
	return false;
}

/* Note that the key is there, and whether for the first time. */
static void note_key(struct policy_sink *sink, struct policy_entry *entry,
		     struct location value_where)
{
	const struct policy_key *key = entry->key;
	struct policy_seen *seen;

	/* Sections are noted when they open; the parts of a corpus by who reads them. */
	if (!key || key->type == KEY_SECTION || key->section == SECTION_CORPUS)
		return;
	seen = policy_place_seen(sink, entry->place, key);
	if (!seen->key.line) {
		seen->key = entry->where;
		seen->value = value_where;
	} else if (sink->format == POLICY_INI && policy_key_is_list(key)) {
		entry->repeated = true;
	} else {
		policy_sink_again(sink, entry->where, entry->name, seen->key);
	}
	if (policy_key_is_list(key) && !entry->repeated)
		policy_key_clear(key, policy_place_base(sink, entry->place));
}

static bool has_free_names(enum policy_section section)
{
	return section == SECTION_OPTIONS || section == SECTION_OPTION ||
	       section == SECTION_PROFILES || section == SECTION_ENV;
}

bool policy_sink_key(struct policy_sink *sink, struct policy_place place,
		     const struct policy_scalar *name, enum policy_shape shape,
		     struct location value_where, struct policy_entry *ret_entry)
{
	struct policy_entry entry = { .place = place,
				      .name = name->text,
				      .where = name->where };

	/* What memory did not suffice for is there in part. */
	if (sink->exhausted)
		return false;
	if (strlen(name->text) != name->length) {
		policy_sink_find(sink, name->where, "a NUL character in a key");
		return false;
	}
	if (has_free_names(place.section)) {
		if (!check_free_name(sink, place, name))
			return false;
	} else {
		entry.key = policy_key_find(place.section, name->text);
		if (!entry.key) {
			report_unknown(sink, place, name);
			return false;
		}
	}
	note_key(sink, &entry, value_where);
	if (!check_shape(sink, &entry, shape, value_where)) {
		if (entry.key && entry.key->section != SECTION_CORPUS)
			policy_place_seen(sink, place, entry.key)->refused = true;
		if (place.section == SECTION_PROFILES ||
		    (entry.key && entry.key->child == SECTION_PROFILES))
			sink->lost_profiles = true;
		return false;
	}
	*ret_entry = entry;
	return true;
}
