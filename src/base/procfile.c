/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/procfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* proc(5): pid (comm) state ppid; comm may contain anything, even ")". */
pid_t procfile_parent(const char *stat)
{
	const char *paren = strrchr(stat, ')');
	int parent;

	return paren && sscanf(paren + 1, " %*c %d", &parent) == 1 ? parent : -1;
}

const char *procfile_field(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, n) == 0 && (line[n] == ':' || line[n] == ' '))
			return line + n + 1;
	}
	return NULL;
}

uint64_t procfile_number(const char *text, const char *name, int base)
{
	const char *value = procfile_field(text, name);
	char *end = NULL;
	uint64_t number = value ? strtoull(value, &end, base) : 0;

	return end != value ? number : UINT64_MAX;
}
