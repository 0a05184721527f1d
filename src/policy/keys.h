/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The one table of keys.  Both formats, the messages, the defaults and the reference
 * in drupe-policy(5) come from it.
 */
#ifndef DRUPE_POLICY_KEYS_H
#define DRUPE_POLICY_KEYS_H

#include <stdio.h>

#include "policy/policy.h"

enum policy_section {
	SECTION_TOP,	  /* [policy] */
	SECTION_BACKENDS, /* [backends] */
	SECTION_OPTIONS,  /* names of backends */
	SECTION_OPTION,	  /* [options NAME]: keys that the backend declares */
	SECTION_PROFILES, /* names of profiles */
	SECTION_PROFILE,  /* [profile NAME] */
	SECTION_LIMITS,	  /* [profile NAME limits] */
	SECTION_CGROUP,	  /* [profile NAME cgroup] */
	SECTION_ENV,	  /* [profile NAME env]: names of variables */
	SECTION_CORPUS,	  /* one element of corpora */
	N_SECTIONS
};

enum policy_key_type {
	KEY_SECTION, /* has keys of its own, see `child` */
	KEY_BOOL,
	KEY_COUNT,
	KEY_SIZE,
	KEY_SIZE_UNLIMITED, /* or `unlimited`: UNSET */
	KEY_DURATION,
	KEY_SECONDS, /* a count, or a duration of whole seconds */
	KEY_PERCENT,
	KEY_WORD, /* one of `words`, stored as its place among them */
	KEY_NAME,
	KEY_BACKEND,
	KEY_USER,
	KEY_PATH,
	KEY_PREFIXES, /* list of paths, or `false` */
	KEY_NETWORKS, /* list of CIDRs and words */
	KEY_CORPORA,  /* list of SECTION_CORPUS */
	N_KEY_TYPES
};

struct policy_key {
	enum policy_section section;
	enum policy_key_type type;
	enum policy_section child;
	const char *name;
	uint64_t min, max;	  /* inclusive, of the numbers */
	const char *const *words; /* NULL-terminated */
	bool optional;		  /* KEY_BACKEND: may be `none` */
	size_t offset;		  /* into struct policy or struct profile */
	const char *fallback;	  /* the default as a policy writes it, NULL: unset;
				   * the elements of a list with blanks between */
	const char *help;	  /* one line */
};

#define POLICY_KEYS_MAX 64
extern const struct policy_key policy_keys[];
extern const size_t policy_keys_count; /* at most POLICY_KEYS_MAX */

/* Where a section's keys stand, as a file of that format has it: "limits", or
 * "[profile NAME limits]". */
const char *policy_section_name(enum policy_section section, enum policy_format format);

const struct policy_key *policy_key_find(enum policy_section section, const char *name);
bool policy_key_is_list(const struct policy_key *key);
/* Whether a quoted scalar will do. */
bool policy_key_is_text(const struct policy_key *key);

/* What else an unknown key NAME may have meant, as "; did you mean …", or "". */
void policy_key_suggest(enum policy_section section, enum policy_format format,
			const char *name, char *ret, size_t size);
/* Whether NAME asks for another order of the layers (R1). */
bool policy_key_is_order(const char *name);
extern const char policy_order_rule[];

/* Room for the reason of a refusal: "is not a size; write 512M or 4G". */
struct policy_why {
	char text[512];
};

/*
 * Store TEXT in the policy or profile BASE; policy_key_add appends one element of a
 * list.  0, -EINVAL with the reason in WHY, or -ENOMEM.
 */
int policy_key_set(const struct policy_key *key, void *base, const char *text,
		   struct policy_why *why);
int policy_key_add(const struct policy_key *key, void *base, const char *text,
		   struct location where, struct policy_why *why);
/* Make a list empty; all lists of a profile. */
void policy_key_clear(const struct policy_key *key, void *base);
void policy_keys_clear_lists(struct profile *profile);

/* An element of corpora: its access, then the tree itself. */
int policy_corpus_access(const char *text, bool *ret_writable, struct policy_why *why);
int policy_corpus_add(struct profile *profile, bool writable, const char *path,
		      struct location where, struct policy_why *why);

/* Why NAME cannot be a variable of `env` ("belongs to …"), or NULL. */
const char *policy_env_fault(const char *name);

/* Fill a zeroed policy or profile with the defaults of SECTION's keys. */
int policy_keys_default(enum policy_section section, void *base);

/* A line a key, with tabs between: section as INI heads it, name, type, range, default,
 * help.  drupe-policy(5) is compared with it. */
void policy_keys_print(FILE *file);

#endif
