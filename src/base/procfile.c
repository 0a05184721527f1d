/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/procfile.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* proc(5): pid (comm) state ppid; comm may contain anything, even ")". */
pid_t procfile_parent(const char *stat)
{
	const char *paren = strrchr(stat, ')');
	int parent;

	return paren && sscanf(paren + 1, " %*c %d", &parent) == 1 ? parent : -1;
}

pid_t procfile_parent_of(pid_t pid)
{
	char path[64], text[512];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return procfile_parent(text);
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
