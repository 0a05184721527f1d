/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/words.h"

#include <stdio.h>
#include <stdlib.h>
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

char **words_copy(const char *const *words)
{
	size_t count = 0;
	char **copy;

	while (words[count])
		count++;
	copy = calloc(count + 1, sizeof(*copy));
	for (size_t i = 0; copy && i < count; i++) {
		copy[i] = strdup(words[i]);
		if (!copy[i]) {
			words_free(copy);
			return NULL;
		}
	}
	return copy;
}

void words_free(char **words)
{
	for (char **word = words; word && *word; word++)
		free(*word);
	free(words);
}
