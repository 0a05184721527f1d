/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The closed grammars of scalar values, the same in policies, options and argv. */
#ifndef DRUPE_VALUE_H
#define DRUPE_VALUE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Each takes the whole text or fails: 0, -EINVAL (not of this form) or -ERANGE
 * (too large to represent).  No sign, blank, octal, hexadecimal or fraction,
 * except that a duration may have one: 1.5s.
 */
int value_bool(const char *text, bool *ret);		 /* true | false */
int value_count(const char *text, uint64_t *ret);	 /* 4096 */
int value_size(const char *text, uint64_t *ret);	 /* 512, 64K, 10M, 2G, 1T: bytes */
int value_duration(const char *text, uint64_t *ret_ms); /* 250ms, 1.5s, 10m, 2h: whole ms */
int value_percent(const char *text, uint64_t *ret);	 /* 200%: 200 */

/* [a-z][a-z0-9-]{0,31}: backends and profiles */
bool value_name(const char *text);

/* Absolute, no empty, "." or ".." component, no trailing slash (but "/" itself). */
bool value_path(const char *text);

#endif
