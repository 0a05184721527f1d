/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* drupe run --report: the file that gets the result. */
#ifndef DRUPE_REPORT_H
#define DRUPE_REPORT_H

#include "base/error.h"

/*
 * Open FILE for writing (NULL: nothing is done), before the run: one that cannot be
 * written refuses it.  No link on the way is followed but root's own: a command of
 * earlier may have planted it in its workspace, to have something else overwritten.
 */
int report_open(const char *file, int *ret_fd, struct error *err);
#endif
