/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* "did you mean": the word in a list that is closest to a misspelt one. */
#ifndef DRUPE_NEAREST_H
#define DRUPE_NEAREST_H

/* The nearest of the NULL-terminated NAMES within a third of WORD's length (but
 * at least 2) insertions, deletions, changes or swaps of neighbours; else NULL. */
const char *nearest_name(const char *word, const char *const *names);

/* NAME in lower case and with - as _, since NOFILE and cpu-quota are typical slips; ""
 * when it is too long or too short to guess from. */
void nearest_fold(const char *name, char ret[static 64]);

#endif
