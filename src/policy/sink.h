/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a front end tells the validator, and nothing else passes between them.
 *
 * The document is a tree of sections.  A front end opens the section, then names
 * its keys and hands over their values; it reports the syntax errors of its own
 * format as findings.  Whatever the sink refuses it has reported itself.
 */
#ifndef DRUPE_POLICY_SINK_H
#define DRUPE_POLICY_SINK_H

#include "policy/keys.h"
#include "policy/policy.h"

struct policy_sink; /* a policy being filled, and its findings; policy-state.h */

/* TEXT is valid UTF-8 with neither control characters nor a byte order mark. */
int policy_yaml_parse(struct policy_sink *sink, const char *text, size_t length);
int policy_ini_parse(struct policy_sink *sink, const char *text, size_t length);

/* One section of the policy at hand: INDEX is that of the profile or of the options. */
struct policy_place {
	enum policy_section section;
	size_t index;
};

enum policy_shape {
	SHAPE_REFUSED, /* reported already: only the key is looked at */
	SHAPE_NULL,
	SHAPE_VALUE,
	SHAPE_LIST,
	SHAPE_MAPPING,
};

struct policy_scalar {
	const char *text; /* ends in a NUL, and may hold others before LENGTH */
	size_t length;
	bool quoted;
	struct location where;
};

/* A key that the sink knows. */
struct policy_entry {
	struct policy_place place;
	const struct policy_key *key; /* NULL where an admin chooses the names */
	const char *name;
	struct location where;
	bool repeated; /* INI: a further line of a list */
};

/* Report an error of the value or key at WHERE. */
void policy_sink_find(struct policy_sink *sink, struct location where, const char *format,
		      ...) __attribute__((format(printf, 3, 4)));
/* The same for an error of syntax: what is missing may only not have been understood. */
void policy_sink_syntax(struct policy_sink *sink, struct location where,
			const char *format, ...) __attribute__((format(printf, 3, 4)));
/* There was no memory: the policy is refused for that. */
void policy_sink_exhausted(struct policy_sink *sink);
/* The file holds no policy at all; HOW says how one begins. */
void policy_sink_empty(struct policy_sink *sink, struct location where, const char *how);

/* Find or make the profile, or the options of the backend, of that name. */
bool policy_sink_named(struct policy_sink *sink, enum policy_section section,
		       const char *name, struct location where, size_t *ret_index);
/* The section at PLACE begins here.  SHOWN is how the file writes it. */
void policy_sink_open(struct policy_sink *sink, struct policy_place place,
		      const char *shown, struct location where);
/* The section that ENTRY, whose value is a mapping, stands for; opens it. */
bool policy_sink_enter(struct policy_sink *sink, const struct policy_entry *entry,
		       struct policy_place *ret_place);

/* The key NAME (which must stay until its value is set) in PLACE, with a value of
 * SHAPE at VALUE_WHERE.  False: skip the value. */
bool policy_sink_key(struct policy_sink *sink, struct policy_place place,
		     const struct policy_scalar *name, enum policy_shape shape,
		     struct location value_where, struct policy_entry *ret_entry);

void policy_sink_value(struct policy_sink *sink, const struct policy_entry *entry,
		       const struct policy_scalar *value);
/* One element of a list. */
void policy_sink_element(struct policy_sink *sink, const struct policy_entry *entry,
			 const struct policy_scalar *value);
void policy_sink_corpus(struct policy_sink *sink, const struct policy_entry *entry,
			const struct policy_scalar *access,
			const struct policy_scalar *path);
/* INI: one of the lines that make a list; `none` is the empty list. */
void policy_sink_line(struct policy_sink *sink, const struct policy_entry *entry,
		      const struct policy_scalar *value);

#endif
