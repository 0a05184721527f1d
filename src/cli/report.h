/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* drupe run --report: the file that gets the result. */
#ifndef DRUPE_REPORT_H
#define DRUPE_REPORT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/json.h"

struct report {
	const char *file;
	int fd;	     /* -1: none */
	bool shared; /* a descriptor that others write to as well, such as /dev/stdout */
};

#define REPORT_NONE      \
	{                \
		.fd = -1 \
	}

/*
 * Open and empty FILE (NULL: nothing to do) before the run, so that a failure refuses it
 * and no old report is left.  Only root's links are followed: any other may have been
 * planted by an earlier command, to have another file overwritten.  A descriptor is taken
 * as it is, and never truncated.
 */
int report_open(const char *file, struct report *report, struct error *err);

/* Write JSON to REPORT, if there is one, and close it.  On -errno it was told why FILE
 * does not have it: the command may have put another file there. */
int report_write(struct report *report, const json_t *json);
#endif
