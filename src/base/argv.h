/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A list of words under construction; a failure sticks and is checked at the end. */
#ifndef DRUPE_ARGV_H
#define DRUPE_ARGV_H

#include <stdarg.h>
#include <stddef.h>

#include "base/error.h"

/* Opaque to backends. */
struct drupe_words {
	char **words; /* NULL-terminated once anything was pushed */
	size_t count;
	size_t capacity;
	int errnum; /* 0, or the first failure */
	char failure[512];
};

void argv_push(struct drupe_words *argv, const char *word);
void argv_pushf(struct drupe_words *argv, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void argv_vpushf(struct drupe_words *argv, const char *format, va_list args);
void argv_push_all(struct drupe_words *argv, const struct drupe_words *from);
void argv_fail(struct drupe_words *argv, int errnum, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void argv_vfail(struct drupe_words *argv, int errnum, const char *format, va_list args);

/* 0, or the failure that stuck, as CODE in ERR. */
int argv_check(const struct drupe_words *argv, enum error_code code, struct error *err);

void argv_free(struct drupe_words *argv);

#define _cleanup_argv_ __attribute__((cleanup(argv_free)))

#endif
