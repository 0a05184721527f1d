/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, up to U+10FFFF. */
#ifndef DRUPE_UTF8_H
#define DRUPE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Length (1..4) of TEXT's first character, or 0 when the LEFT bytes do not start with a
 * complete valid one. */
size_t utf8_character(const char *text, size_t left);

/* How many bytes a character that starts with BYTE has, 0 if none does. */
size_t utf8_length(unsigned char byte);

/* Whether all LENGTH bytes are valid; if not, *ret_offset (may be NULL) is the offset
 * of the first bad byte. */
bool utf8_valid(const char *text, size_t length, size_t *ret_offset);

#endif
