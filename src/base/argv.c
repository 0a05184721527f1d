/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/argv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void push_owned(struct drupe_words *argv, char *word)
{
	if (!word) {
		argv_fail(argv, ENOMEM, "out of memory");
		return;
	}
	if (argv->errnum) {
		free(word);
		return;
	}
	if (argv->count + 2 > argv->capacity) {
		size_t capacity = argv->capacity ? argv->capacity * 2 : 64;
		char **words = reallocarray(argv->words, capacity, sizeof(*words));

		if (!words) {
			free(word);
			argv_fail(argv, ENOMEM, "out of memory");
			return;
		}
		argv->words = words;
		argv->capacity = capacity;
	}
	argv->words[argv->count++] = word;
	argv->words[argv->count] = NULL;
}

void argv_push(struct drupe_words *argv, const char *word)
{
	if (!word)
		argv_fail(argv, EINVAL, "a word is missing (NULL)");
	else
		push_owned(argv, strdup(word));
}

void argv_vpushf(struct drupe_words *argv, const char *format, va_list args)
{
	char *word;

	if (vasprintf(&word, format, args) < 0)
		word = NULL;
	push_owned(argv, word);
}

void argv_pushf(struct drupe_words *argv, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	argv_vpushf(argv, format, args);
	va_end(args);
}

void argv_push_all(struct drupe_words *argv, const struct drupe_words *from)
{
	for (size_t i = 0; i < from->count; i++)
		argv_push(argv, from->words[i]);
}

void argv_vfail(struct drupe_words *argv, int errnum, const char *format, va_list args)
{
	if (argv->errnum)
		return;
	argv->errnum = errnum > 0 ? errnum : EINVAL;
	vsnprintf(argv->failure, sizeof(argv->failure), format, args);
}

void argv_fail(struct drupe_words *argv, int errnum, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	argv_vfail(argv, errnum, format, args);
	va_end(args);
}

int argv_check(const struct drupe_words *argv, enum error_code code, struct error *err)
{
	if (!argv->errnum)
		return 0;
	return error_set(err, code, argv->errnum, "%s", argv->failure);
}

void argv_free(struct drupe_words *argv)
{
	for (size_t i = 0; i < argv->count; i++)
		free(argv->words[i]);
	free(argv->words);
	*argv = (struct drupe_words){ 0 };
}
