/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether an address that a backend handed out belongs to a loaded object. */
#ifndef DRUPE_MAPPED_H
#define DRUPE_MAPPED_H

#include <stdbool.h>
#include <stddef.h>

/* All LENGTH bytes at ADDRESS lie in one readable segment of a loaded object. */
bool mapped_data(const void *address, size_t length);

/* ADDRESS lies in an executable segment. */
bool mapped_code(const void *address);

/* TEXT is readable and ends with a NUL within MAX bytes, including it. */
bool mapped_text(const char *text, size_t max);

#endif
