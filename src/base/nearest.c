/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/nearest.h"

#include <stddef.h>
#include <string.h>

/* Keys and names are short; anything longer is not a misspelling of one. */
#define LONGEST 64

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Edits that turn A into B, a swap of neighbours counting as one; both at most LONGEST
 * bytes.  Three rows of the usual table suffice. */
static unsigned distance(const char *a, const char *b)
{
	unsigned rows[3][LONGEST + 1];
	size_t la = strlen(a), lb = strlen(b);

	for (size_t j = 0; j <= lb; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= la; i++) {
		const unsigned *before = rows[(i + 1) % 3], *above = rows[(i - 1) % 3];
		unsigned *row = rows[i % 3];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= lb; j++) {
			row[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]),
				       least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return rows[la % 3][lb];
}

const char *nearest_name(const char *word, const char *const *names)
{
	size_t length = strlen(word);
	unsigned best = (unsigned)(length / 3 > 2 ? length / 3 : 2) + 1;
	const char *nearest = NULL;

	if (length > LONGEST)
		return NULL;
	for (; *names; names++) {
		unsigned d;

		if (strlen(*names) > LONGEST)
			continue;
		d = distance(word, *names);
		if (d < best) {
			best = d;
			nearest = *names;
		}
	}
	return nearest;
}

void nearest_fold(const char *name, char ret[static 64])
{
	size_t n = strlen(name);

	ret[0] = '\0';
	if (n < 3 || n >= 64)
		return;
	for (size_t i = 0; i <= n; i++)
		ret[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] - 'A' + 'a')
			 : name[i] == '-'		  ? '_'
							  : name[i];
}
