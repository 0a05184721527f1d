/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether an address that a backend handed out belongs to a loaded object. */
#ifndef DRUPE_MAPPED_H
#define DRUPE_MAPPED_H

#include <stdbool.h>
#include <stddef.h>

/* Whether all LENGTH bytes at ADDRESS are in one readable segment of a loaded object. */
bool mapped_data(const void *address, size_t length);

/* Whether ADDRESS is in an executable segment. */
bool mapped_code(const void *address);

/* Whether TEXT is readable and has a NUL within its first MAX bytes. */
bool mapped_text(const char *text, size_t max);

#endif
