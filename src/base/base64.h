/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RFC 4648 section 4, with padding and no line breaks. */
#ifndef DRUPE_BASE64_H
#define DRUPE_BASE64_H

#include <stddef.h>

/* A malloc'ed, NUL-terminated encoding, NULL when out of memory. */
char *base64_encode(const char *data, size_t length);

/* The malloc'ed bytes and a NUL behind them; NULL when TEXT is not valid base64 or
 * memory runs out. */
char *base64_decode(const char *text, size_t length, size_t *ret_length);

#endif
