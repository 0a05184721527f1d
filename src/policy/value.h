/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files that turn text into the fields of a policy share. */
#ifndef DRUPE_POLICY_VALUE_H
#define DRUPE_POLICY_VALUE_H

#include "policy/keys.h"

/* Where BASE, a policy or profile, holds the value of KEY. */
void *policy_key_field(const struct policy_key *key, void *base);

/* What the reference calls the values of a type. */
const char *policy_type_name(enum policy_key_type type);
/* Whether they are numbers, which a range bounds. */
bool policy_type_is_number(enum policy_key_type type);
/* A bound as a policy writes it. */
void policy_number_format(enum policy_key_type type, uint64_t value, char *ret,
			  size_t size);

/* Fill WHY; -EINVAL. */
int policy_refuse(struct policy_why *why, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* NAME in lower case and with - as _, since NOFILE and cpu-quota are slips as well;
 * "" when it is too long or too short for a guess. */
void policy_fold(const char *name, char ret[static 64]);

/* What policy_key_set does for KEY_WORD: the place of TEXT among WORDS. */
int policy_word_find(const char *const *words, const char *text, unsigned *ret,
		     struct policy_why *why);
/* What is wrong with a path of any key. */
int policy_path_check(const char *text, struct policy_why *why);
/* Kernel interfaces, which no policy opens. */
bool policy_path_is_kernel(const char *path);

#endif
