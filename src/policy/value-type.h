/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The types of values, in one table: those of a policy's keys and those of the options
 * that a backend declares.  Messages about values are the same for both.
 */
#ifndef DRUPE_VALUE_TYPE_H
#define DRUPE_VALUE_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum value_type {
	TYPE_BOOL,
	TYPE_COUNT,
	TYPE_SIZE,
	TYPE_SIZE_UNLIMITED, /* or `unlimited`: UNSET */
	TYPE_DURATION,	     /* milliseconds */
	TYPE_SECONDS,	     /* a count, or a duration of whole seconds */
	TYPE_PERCENT,
	TYPE_TEXT,
	TYPE_WORD, /* one of `words`: its index */
	TYPE_NAME,
	TYPE_BACKEND,
	TYPE_USER,
	TYPE_PATH,
	TYPE_TMP_ROOT,
	TYPE_CIDR4,
	/* elements of lists; the table has the lists' names */
	TYPE_PREFIX,
	TYPE_NETWORK,
	TYPE_TREE,
	N_VALUE_TYPES
};

/* How a value is stored. */
enum value_store {
	STORE_BOOL,
	STORE_NUMBER, /* uint64_t */
	STORE_WORD,   /* an enumeration: the index of the word */
	STORE_TEXT,   /* char *, a copy */
};

/* The requirements on one value. */
struct value_spec {
	enum value_type type;
	bool optional;		  /* TYPE_BACKEND: may be `none` */
	uint64_t min, max;	  /* inclusive, if the type has a range */
	const char *const *words; /* TYPE_WORD: NULL-terminated */
};

/* Room for the reason of a refusal: "is not a size; write 512M or 4G". */
struct value_why {
	char text[512];
};

/*
 * Parse TEXT.  0 and the number to store or, for text, the number that the range bounds;
 * -EINVAL with the reason in WHY.
 */
int value_type_read(const struct value_spec *spec, const char *text, bool quoted,
		    uint64_t *ret_number, struct value_why *why);

/* The name of a type in references and listings. */
const char *value_type_name(enum value_type type);
enum value_store value_type_store(enum value_type type);
bool value_type_has_range(enum value_type type);
/* "64K to 1T", as a policy writes it. */
void value_type_print_range(const struct value_spec *spec, char *ret, size_t size);

/* Fill WHY; -EINVAL. */
int value_type_refuse(struct value_why *why, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
