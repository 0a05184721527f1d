/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* drupe run --report: the file that gets the result. */
#ifndef DRUPE_REPORT_H
#define DRUPE_REPORT_H

#include "base/error.h"

/*
 * Open FILE for writing (NULL: nothing to do) before the run, so that a failure refuses
 * it.  Only root's links are followed: any other may have been planted by an earlier
 * command, to have another file overwritten.
 */
int report_open(const char *file, int *ret_fd, struct error *err);
#endif
