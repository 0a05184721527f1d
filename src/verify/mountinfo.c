/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "verify/mountinfo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"

/* No launcher makes a larger table for a plan. */
#define MAX_TEXT ((size_t)4 << 20)

/* \040 and the like, in place. */
static void undo_escapes(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] &&
		    from[3]) {
			*to++ = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 +
				       from[3] - '0');
			from += 3;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
}

static bool has_option(char *options, const char *name)
{
	char *word;

	while ((word = strsep(&options, ",")))
		if (strcmp(word, name) == 0)
			return true;
	return false;
}

/* ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [OPTIONAL...] - TYPE SOURCE SUPER */
static int parse_line(char *text, struct mount_line *ret_line)
{
	char *fields[6], *rest = text, *field;

	for (size_t i = 0; i < 6; i++) {
		fields[i] = strsep(&rest, " ");
		if (!fields[i])
			return -EBADMSG;
	}
	do {
		field = strsep(&rest, " ");
		if (!field)
			return -EBADMSG;
	} while (strcmp(field, "-") != 0);
	field = strsep(&rest, " ");
	if (!field)
		return -EBADMSG;
	undo_escapes(fields[4]);
	*ret_line = (struct mount_line){
		.id = atoi(fields[0]),
		.parent = atoi(fields[1]),
		.point = fields[4],
		.type = field,
		.read_only = has_option(fields[5], "ro"),
	};
	return 0;
}

/* A mount is hidden by its child at the same point. */
static void mark_hidden(struct mountinfo *table)
{
	for (size_t i = 0; i < table->count; i++)
		for (size_t j = 0; j < table->count; j++)
			if (i != j && table->lines[j].parent == table->lines[i].id &&
			    strcmp(table->lines[i].point, table->lines[j].point) == 0)
				table->lines[i].hidden = true;
}

int mountinfo_parse(char *text, struct mountinfo *ret_table)
{
	struct mountinfo table = { .text = text };
	char *rest = text, *line;
	size_t lines = 1;

	for (const char *p = text; *p; p++)
		lines += *p == '\n';
	table.lines = calloc(lines, sizeof(*table.lines));
	if (!table.lines) {
		mountinfo_free(&table);
		return -ENOMEM;
	}
	while ((line = strsep(&rest, "\n"))) {
		int r;

		if (!*line)
			continue;
		r = parse_line(line, &table.lines[table.count]);
		if (r < 0) {
			mountinfo_free(&table);
			return r;
		}
		table.count++;
	}
	mark_hidden(&table);
	*ret_table = table;
	return 0;
}

int mountinfo_read(int proc, struct mountinfo *ret_table)
{
	_cleanup_close_ int fd = openat(proc, "mountinfo", O_RDONLY | O_CLOEXEC);
	size_t size = 16384;

	if (fd < 0)
		return -errno;
	for (; size <= MAX_TEXT; size *= 4) {
		char *text = malloc(size);
		ssize_t n;

		if (!text)
			return -ENOMEM;
		n = fd_pread(fd, text, size);
		if (n >= 0 && (size_t)n < size - 1)
			return mountinfo_parse(text, ret_table);
		free(text);
		if (n < 0)
			return (int)n;
	}
	return -E2BIG;
}

const struct mount_line *mountinfo_top(const struct mountinfo *table, const char *point)
{
	const struct mount_line *top = NULL;

	for (size_t i = 0; i < table->count; i++)
		if (!table->lines[i].hidden && strcmp(table->lines[i].point, point) == 0)
			top = &table->lines[i];
	return top;
}

void mountinfo_free(struct mountinfo *table)
{
	free(table->text);
	free(table->lines);
	*table = (struct mountinfo){ 0 };
}
