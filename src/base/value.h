/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The syntax of scalar values, the same in policies, options and argv. */
#ifndef DRUPE_VALUE_H
#define DRUPE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest number that any of these returns: what the kernel's files accept. */
#define VALUE_MAX INT64_MAX

/*
 * Each parses the whole text or fails: 0, -EINVAL (bad syntax) or -ERANGE (too large to
 * represent).  No sign, blank, octal, hexadecimal or fraction, except that a duration
 * may have one: 1.5s.
 */
int value_bool(const char *text, bool *ret);	  /* true | false */
int value_count(const char *text, uint64_t *ret); /* 4096 */
int value_size(const char *text, uint64_t *ret);  /* 512, 64K, 10M, 2G, 1T: bytes */
int value_duration(const char *text,
		   uint64_t *ret_ms);		    /* 250ms, 1.5s, 10m, 2h: whole ms */
int value_percent(const char *text, uint64_t *ret); /* 200%: 200 */

/* [a-z][a-z0-9-]{0,31}: backends and profiles */
bool value_name(const char *text);

/* Absolute, no empty, "." or ".." component, no trailing slash (but "/" itself). */
bool value_path(const char *text);

/* Why TEXT is not such a path ("is relative; …"), or NULL when it is. */
const char *value_path_fault(const char *text);

#define VALUE_CIDR_LENGTH 64

/*
 * ADDRESS/PREFIX of IPv4 or IPv6.  0; -EINVAL (bad syntax); -ERANGE when bits are set
 * beyond the prefix: RET_NETWORK is then the corrected form.
 */
int value_cidr(const char *text, char ret_network[VALUE_CIDR_LENGTH]);

#endif
