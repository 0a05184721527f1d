/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * All JSON is made and written here.  A failure (out of memory) sticks: the value under
 * construction becomes NULL, and so does every value it is put into.  Only the code
 * that writes the whole must check.
 */
#ifndef DRUPE_JSON_H
#define DRUPE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* These fail on text that is not UTF-8, or ignore a NULL. */
#ifndef DRUPE_JSON_MAKER
#pragma GCC poison json_pack json_pack_ex json_sprintf json_string json_stringn
#pragma GCC poison json_object_set_new json_object_set json_object_update
#pragma GCC poison json_array_append_new json_array_append json_real
#pragma GCC poison json_dumps json_dumpb json_dumpf json_dumpfd json_dump_callback
#endif

/* TEXT as a JSON string; bytes that are not UTF-8 become U+FFFD. */
json_t *json_text(const char *text);

/* The same; null if TEXT is NULL or empty. */
json_t *json_text_or_null(const char *text);

/* Null above INT64_MAX; UINT64_MAX means unknown or unbounded. */
json_t *json_count(uint64_t count);

/* To the microsecond; null for NAN. */
json_t *json_seconds(double seconds);

/* An array of texts; WORDS may be NULL. */
json_t *json_words(const char *const *words);

/* A refusal, as it appears in a result (drupe(1)). */
json_t *refusal_json(const struct error *refusal);

/* Move VALUE into *object or *array.  On failure, or if VALUE is NULL, both are freed and
 * the pointer becomes NULL. */
void json_put(json_t **object, const char *name, json_t *value);
void json_push(json_t **array, json_t *value);

/* An object with one member. */
json_t *json_with(const char *name, json_t *value);

/* A member "text" if UTF8, else "base64". */
void json_put_bytes(json_t **object, const char *bytes, size_t length, bool utf8);

/* One line, without the newline; free it.  NULL: out of memory, or JSON is NULL. */
char *json_line(const json_t *json);

/* Write it and a newline.  0 or -errno; -ENOMEM if JSON is NULL. */
int json_write(int fd, const json_t *json);

#endif
