/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "words.h"

#include <stdio.h>
#include <string.h>

bool words_find(const char *const *words, const char *text, unsigned *ret_place)
{
	for (unsigned i = 0; words[i]; i++)
		if (strcmp(words[i], text) == 0) {
			*ret_place = i;
			return true;
		}
	return false;
}

void words_join(const char *const *words, char *ret, size_t size)
{
	size_t used = 0;

	ret[0] = '\0';
	for (; *words && used < size; words++)
		used += (size_t)snprintf(ret + used, size - used, "%s%s",
					 used ? ", " : "", *words);
}
