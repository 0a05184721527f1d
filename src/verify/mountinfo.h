/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* /proc/PID/mountinfo, proc(5). */
#ifndef DRUPE_MOUNTINFO_H
#define DRUPE_MOUNTINFO_H

#include <stdbool.h>
#include <stddef.h>

struct mount_line {
	int id, parent;
	const char *point; /* mount point, octal escapes undone */
	const char *type;  /* file system type */
	bool read_only;	   /* of this mount (field 6) */
	bool hidden;	   /* covered by a mount at the same point */
};

struct mountinfo {
	char *text; /* what the strings point into */
	struct mount_line *lines;
	size_t count;
};

/* Read the table of the process with the /proc directory PROC. */
int mountinfo_read(int proc, struct mountinfo *ret_table);

/* Parse TEXT (malloced; the table takes it over); 0 or -errno. */
int mountinfo_parse(char *text, struct mountinfo *ret_table);

/* The visible mount at POINT; NULL: none. */
const struct mount_line *mountinfo_top(const struct mountinfo *table, const char *point);

void mountinfo_free(struct mountinfo *table);
#define _cleanup_mountinfo_ __attribute__((cleanup(mountinfo_free)))

#endif
