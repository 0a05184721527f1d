/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parsing what was read from /proc and from cgroups.  Links no library, for
 * drupe-guard. */
#ifndef DRUPE_PROCFILE_H
#define DRUPE_PROCFILE_H

#include <stdint.h>
#include <sys/types.h>

/* The parent in the text of /proc/PID/stat; -1 where it is none. */
pid_t procfile_parent(const char *stat);

/* What follows NAME in a text of lines "NAME: value" or "NAME value", or NULL. */
const char *procfile_field(const char *text, const char *name);

/* The same as a number to that base; UINT64_MAX where there is none. */
uint64_t procfile_number(const char *text, const char *name, int base);

#endif
