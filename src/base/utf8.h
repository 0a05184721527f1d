/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, up to U+10FFFF. */
#ifndef DRUPE_UTF8_H
#define DRUPE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Length (1..4) of the character that starts TEXT, or 0 when the LEFT bytes do
 * not start with a whole valid one. */
size_t utf8_character(const char *text, size_t left);

/* How many bytes the character led by BYTE should have, 0 when none starts so. */
size_t utf8_length(unsigned char byte);

/* Whether all LENGTH bytes are valid; if not, *ret_offset (may be NULL) is where
 * the first bad byte stands. */
bool utf8_valid(const char *text, size_t length, size_t *ret_offset);

#endif
