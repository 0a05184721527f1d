/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parsers for files of /proc and of cgroups.  Links no library, for drupe-guard. */
#ifndef DRUPE_PROCFILE_H
#define DRUPE_PROCFILE_H

#include <stdint.h>
#include <sys/types.h>

/* The parent pid in the text of /proc/PID/stat; -1 if it cannot be parsed. */
pid_t procfile_parent(const char *stat);

/* That of a process; -1 if it is gone. */
pid_t procfile_parent_of(pid_t pid);

/* What follows NAME in a text of lines "NAME: value" or "NAME value", or NULL. */
const char *procfile_field(const char *text, const char *name);

/* The same as a number in BASE; UINT64_MAX if there is none. */
uint64_t procfile_number(const char *text, const char *name, int base);

#endif
