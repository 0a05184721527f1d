/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A policy being filled: what the files behind policy-sink.h share. */
#ifndef DRUPE_POLICY_STATE_H
#define DRUPE_POLICY_STATE_H

#include "policy/sink.h"

/* What the file said of a key of the table. */
struct policy_seen {
	struct location key, value;
	bool refused; /* its value: what follows from it is not looked at */
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
	bool broken;	    /* a syntax error may hide what is missing */
	bool exhausted;	    /* of memory */
	bool lost_profiles; /* one was refused, so its absence says nothing */
	/* The first findings are those of lines that are no text, by line; what else
	 * such a line seems to say is not looked at. */
	size_t n_screened;
	struct policy_seen keys[POLICY_KEYS_MAX];
	struct location opened[N_SECTIONS];
	struct policy_profile_seen *profiles; /* beside policy->profiles */
	struct policy_option_section *options;
	size_t n_options;
};

/* Text of the file as a message shows it: quoted, and no longer than a line. */
struct policy_shown {
	char text[72];
};

struct policy_shown policy_show(const char *text);

/* The name of a key of the table as it is; a name that the admin chose quoted. */
struct policy_shown policy_entry_label(const struct policy_entry *entry);

/* Report NAME at WHERE, which was given at FIRST already. */
void policy_sink_again(struct policy_sink *sink, struct location where, const char *name,
		       struct location first);

/* The policy or profile that PLACE is of; what the file said of a key in it. */
void *policy_place_base(const struct policy_sink *sink, struct policy_place place);
struct policy_seen *policy_place_seen(struct policy_sink *sink, struct policy_place place,
				      const struct policy_key *key);

/*
 * Report the first bad character of each line.  *RET_COPY is then a copy of the text
 * without them, so that a front end finds the other errors.  False: it need not try.
 */
bool policy_text_screen(struct policy_sink *sink, const char *text, size_t length,
			char **ret_copy);

/* Report what the policy, all of it read, lacks or contradicts itself in. */
void policy_rules_check(struct policy_sink *sink);

/* Put the findings in the order of the file. */
void policy_findings_sort(struct findings *findings);

#endif
