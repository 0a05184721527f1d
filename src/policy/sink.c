/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "policy/sink.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/env.h"
#include "policy/lists.h"
#include "policy/place.h"
#include "policy/suggest.h"

static int compare_line(const void *line, const void *finding)
{
	unsigned a = *(const unsigned *)line;
	unsigned b = ((const struct finding *)finding)->where.line;

	return (a > b) - (a < b);
}

bool policy_sink_screened(const struct policy_sink *sink, unsigned line)
{
	return sink->n_screened > 0 &&
	       bsearch(&line, sink->findings->items, sink->n_screened,
		       sizeof(*sink->findings->items), compare_line);
}

static void find(struct policy_sink *sink, struct location where, const char *format,
		 va_list args)
{
	if (!policy_sink_screened(sink, where.line) &&
	    findings_vadd(sink->findings, where, format, args) < 0)
		sink->exhausted = true;
}

void policy_sink_find(struct policy_sink *sink, struct location where, const char *format,
		      ...)
{
	va_list args;

	va_start(args, format);
	find(sink, where, format, args);
	va_end(args);
}

void policy_sink_syntax(struct policy_sink *sink, struct location where,
			const char *format, ...)
{
	va_list args;

	sink->broken = true;
	va_start(args, format);
	find(sink, where, format, args);
	va_end(args);
}

void policy_sink_again(struct policy_sink *sink, struct location where, const char *name,
		       struct location first)
{
	policy_sink_find(sink, where,
			 "%s is given twice, first in line %u; write it once", name,
			 first.line);
}

void policy_sink_exhausted(struct policy_sink *sink)
{
	sink->exhausted = true;
}

void policy_sink_empty(struct policy_sink *sink, struct location where, const char *how)
{
	policy_sink_syntax(sink, where, "no policy in this file; write %s", how);
}

static bool is_option_key(const char *name)
{
	size_t n = strlen(name);

	return n >= 1 && n <= 32 && name[0] >= 'a' && name[0] <= 'z' &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == n;
}

/* Whether the admin may choose this name, which is not a key of the table. */
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
				 findings_quote(name->text).text, fault);
	return !fault;
}

static void report_unknown(struct policy_sink *sink, struct policy_place place,
			   const struct policy_scalar *name)
{
	char suggestion[320];

	if (policy_sections[place.section].order && suggest_is_order(name->text)) {
		policy_sink_find(sink, name->where, "%s: %s", name->text,
				 suggest_order_rule);
		return;
	}
	if (strcmp(name->text, "<<") == 0) {
		policy_sink_find(sink, name->where,
				 "merge keys are not allowed; write the keys out");
		return;
	}
	suggest_key(place.section, sink->format, name->text, suggestion,
		    sizeof(suggestion));
	policy_sink_find(sink, name->where, "unknown key %s in %s%s",
			 findings_quote(name->text).text,
			 policy_section_name(place.section, sink->format), suggestion);
}

static enum policy_shape wanted_shape(struct policy_place place,
				      const struct policy_key *key,
				      enum policy_format format)
{
	if (!key)
		return policy_sections[place.section].each ? SHAPE_MAPPING : SHAPE_VALUE;
	if (key->form == KEY_SECTION)
		return SHAPE_MAPPING;
	return format == POLICY_YAML && key->form == KEY_LIST ? SHAPE_LIST : SHAPE_VALUE;
}

struct quoted policy_sink_label(const struct policy_entry *entry)
{
	struct quoted shown = findings_quote(entry->name);

	if (entry->key)
		snprintf(shown.text, sizeof(shown.text), "%s", entry->name);
	return shown;
}

static void report_null(struct policy_sink *sink, const struct policy_entry *entry,
			struct location where)
{
	enum policy_shape wanted = wanted_shape(entry->place, entry->key, sink->format);

	policy_sink_find(sink, where, "%s has no value; write %s, or leave the key out",
			 policy_sink_label(entry).text,
			 wanted == SHAPE_MAPPING ? "{} for no keys"
			 : wanted == SHAPE_LIST	 ? "[] for the empty list"
			 : entry->key		 ? "a value"
						 : "\"\" for the empty text");
}

/* The message about a value of the wrong shape. */
static const char *shape_fault(const struct policy_entry *entry, enum policy_shape wanted,
			       enum policy_shape got)
{
	const struct policy_key *key = entry->key;

	if (got != SHAPE_MAPPING && key && key->child == SECTION_BACKENDS)
		return "names one backend per slot (R3); the order scope, launcher, "
		       "rlimits, command is fixed (R1)";
	if (got == SHAPE_LIST && key && key->value.type == TYPE_BACKEND)
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
	/* Whether the value is `false` is checked when it is set. */
	if (shape == SHAPE_VALUE && entry->key && entry->key->or_false)
		return true;
	if (sink->format == POLICY_INI && wanted == SHAPE_MAPPING &&
	    entry->key->child != SECTION_BACKENDS)
		policy_sink_find(sink, entry->where, "%s is a section; write %s",
				 entry->name,
				 policy_section_name(entry->key->child, POLICY_INI));
	else
		policy_sink_find(sink, where, "%s: %s", policy_sink_label(entry).text,
				 shape_fault(entry, wanted, shape));
	return false;
}

/* Note that the key was given, and whether for the first time. */
static void note_key(struct policy_sink *sink, struct policy_entry *entry,
		     struct location value_where)
{
	const struct policy_key *key = entry->key;
	struct policy_seen *seen;

	/* Sections are noted when they open; the parts of a corpus when it is complete.
	 */
	if (!key || key->form == KEY_SECTION || key->section == SECTION_CORPUS)
		return;
	seen = policy_place_seen(sink, entry->place, key);
	if (!seen->key.line) {
		seen->key = entry->where;
		seen->value = value_where;
	} else if (sink->format == POLICY_INI && key->form == KEY_LIST) {
		entry->repeated = true;
	} else {
		policy_sink_again(sink, entry->where, entry->name, seen->key);
	}
	if (key->form == KEY_LIST && !entry->repeated)
		policy_list_clear(key, policy_place_base(sink, entry->place));
}

bool policy_sink_key(struct policy_sink *sink, struct policy_place place,
		     const struct policy_scalar *name, enum policy_shape shape,
		     struct location value_where, struct policy_entry *ret_entry)
{
	struct policy_entry entry = { .place = place,
				      .name = name->text,
				      .where = name->where };

	/* After a failed allocation the policy is incomplete. */
	if (sink->exhausted)
		return false;
	if (strlen(name->text) != name->length) {
		policy_sink_find(sink, name->where, "a NUL character in a key");
		return false;
	}
	if (policy_sections[place.section].free_names) {
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
