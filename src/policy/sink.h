/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A policy being filled.
 *
 * The document is a tree of sections.  A front end opens the section (place.h), names
 * its keys here and hands over their values (assign.h); it reports the syntax errors of
 * its own format as findings.  Whatever is refused here has already been reported.
 * Front ends use only the functions, not the members.
 */
#ifndef DRUPE_POLICY_SINK_H
#define DRUPE_POLICY_SINK_H

#include "policy/keys.h"

/* What the file said about a key of the table. */
struct policy_seen {
	struct location key, value;
	bool refused; /* its value was refused: skip checks that depend on it */
	bool none;    /* INI: the list was given as `none` */
};

struct policy_profile_seen {
	struct policy_seen keys[POLICY_KEYS_MAX];
	struct location opened[N_SECTIONS];
};

struct policy_option_section {
	char *backend;
	struct location where, opened;
};

struct policy_sink {
	struct policy *policy;
	struct findings *findings;
	enum policy_format format;
	bool broken;	    /* a syntax error may hide what seems to be missing */
	bool exhausted;	    /* of memory */
	bool lost_profiles; /* one was refused, so its absence means nothing */
	/* The first findings are about lines that are not text, by line; the rest of
	 * such a line is ignored. */
	size_t n_screened;
	struct policy_seen keys[POLICY_KEYS_MAX];
	struct location opened[N_SECTIONS];
	struct policy_profile_seen *profiles; /* parallel to policy->profiles */
	struct policy_option_section *options;
	size_t n_options;
};

/* One section of the policy being read: INDEX is that of the profile or of the options.
 */
struct policy_place {
	enum policy_section section;
	size_t index;
};

enum policy_shape {
	SHAPE_REFUSED, /* reported already: only the key is checked */
	SHAPE_NULL,
	SHAPE_VALUE,
	SHAPE_LIST,
	SHAPE_MAPPING,
};

struct policy_scalar {
	const char *text; /* NUL-terminated, and may contain NULs before LENGTH */
	size_t length;
	bool quoted;
	struct location where;
};

/* A key that the sink knows. */
struct policy_entry {
	struct policy_place place;
	const struct policy_key *key; /* NULL if the admin chooses the names */
	const char *name;
	struct location where;
	bool repeated; /* INI: a further line of a list */
};

/* Report an error of the value or key at WHERE. */
void policy_sink_find(struct policy_sink *sink, struct location where, const char *format,
		      ...) __attribute__((format(printf, 3, 4)));
/* The same for a syntax error, which may hide what seems to be missing. */
void policy_sink_syntax(struct policy_sink *sink, struct location where,
			const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Report that NAME at WHERE was already given at FIRST. */
void policy_sink_again(struct policy_sink *sink, struct location where, const char *name,
		       struct location first);
/* Memory ran out: the policy is refused for that. */
void policy_sink_exhausted(struct policy_sink *sink);
/* The file contains no policy at all; HOW says how one begins. */
void policy_sink_empty(struct policy_sink *sink, struct location where, const char *how);

/* Whether that line was reported as not being text. */
bool policy_sink_screened(const struct policy_sink *sink, unsigned line);

/* The key NAME (which must stay valid until its value is set) in PLACE, with a value of
 * SHAPE at VALUE_WHERE.  False: skip the value. */
bool policy_sink_key(struct policy_sink *sink, struct policy_place place,
		     const struct policy_scalar *name, enum policy_shape shape,
		     struct location value_where, struct policy_entry *ret_entry);

/* The name of a key of the table as is, a name that the admin chose quoted. */
struct quoted policy_sink_label(const struct policy_entry *entry);

#endif
