/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/commands.h"

#include <errno.h>

int print_json(json_t *json)
{
	int r = 0;

	if (!json || json_dumpf(json, stdout, JSON_COMPACT) < 0 ||
	    fputc('\n', stdout) < 0 || fflush(stdout) != 0)
		r = -(errno ? errno : EIO);
	json_decref(json);
	return r;
}
