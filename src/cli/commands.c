/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/commands.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void print_unwritten(const char *what, int errnum)
{
	if (errnum != EPIPE)
		fprintf(stderr, "drupe: cannot write %s: %s\n", what, strerror(errnum));
}

int print_json(json_t *json)
{
	int r = json_write(STDOUT_FILENO, json);

	json_decref(json);
	if (r < 0)
		print_unwritten("the output", -r);
	return r;
}
