/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Closed lists of words, NULL-terminated. */
#ifndef DRUPE_WORDS_H
#define DRUPE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* A copy of WORDS and of each of them (words_free), or NULL: out of memory. */
char **words_copy(const char *const *words);
void words_free(char **words);

/* The index of TEXT in WORDS. */
bool words_find(const char *const *words, const char *text, unsigned *ret_place);

/* WORDS as "a, b, c", truncated to SIZE (at least 1). */
void words_join(const char *const *words, char *ret, size_t size);

#endif
