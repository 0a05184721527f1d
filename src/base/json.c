/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define DRUPE_JSON_MAKER
#include "base/json.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/fd.h"
#include "base/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd"
/* 15 digits cover 30 years in microseconds without showing rounding errors. */
#define FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(15))

json_t *json_text(const char *text)
{
	size_t length = strlen(text);
	_cleanup_free_ char *copy = NULL;
	char *out;

	if (utf8_valid(text, length, NULL))
		return json_stringn(text, length);
	copy = out = malloc(length * strlen(REPLACEMENT) + 1);
	if (!copy)
		return NULL;
	while (length > 0) {
		size_t n = utf8_character(text, length);
		size_t taken = n ? n : 1;

		if (n)
			out = mempcpy(out, text, n);
		else
			out = mempcpy(out, REPLACEMENT, strlen(REPLACEMENT));
		text += taken;
		length -= taken;
	}
	return json_stringn(copy, (size_t)(out - copy));
}

json_t *json_text_or_null(const char *text)
{
	return text && *text ? json_text(text) : json_null();
}

json_t *json_count(uint64_t count)
{
	return count > INT64_MAX ? json_null() : json_integer((json_int_t)count);
}

json_t *json_seconds(double seconds)
{
	if (isnan(seconds))
		return json_null();
	return json_real((double)(int64_t)(seconds * 1e6 + 0.5) / 1e6);
}

json_t *json_words(const char *const *words)
{
	json_t *array = json_array();

	for (; words && *words; words++)
		json_push(&array, json_text(*words));
	return array;
}

json_t *refusal_json(const struct error *refusal)
{
	json_t *json = json_object();

	json_put(&json, "stage", json_text(stage_name(error_stage(refusal->code))));
	json_put(&json, "backend", json_text_or_null(refusal->backend));
	json_put(&json, "code", json_text(error_code_word(refusal->code)));
	json_put(&json, "message", json_text(refusal->message));
	json_put(&json, "hint", json_text_or_null(refusal->hint));
	json_put(&json, "errno",
		 refusal->errnum ? json_integer(refusal->errnum) : json_null());
	return json;
}

/* NAME may come from a policy or a backend, so it is checked like any text. */
void json_put(json_t **object, const char *name, json_t *value)
{
	json_t *key = json_text(name);

	if (json_object_set_new(*object, json_string_value(key), value) < 0) {
		json_decref(*object);
		*object = NULL;
	}
	json_decref(key);
}

void json_push(json_t **array, json_t *value)
{
	if (json_array_append_new(*array, value) < 0) {
		json_decref(*array);
		*array = NULL;
	}
}

json_t *json_with(const char *name, json_t *value)
{
	json_t *object = json_object();

	json_put(&object, name, value);
	return object;
}

void json_put_bytes(json_t **object, const char *bytes, size_t length, bool utf8)
{
	_cleanup_free_ char *encoded = NULL;

	if (utf8) {
		json_put(object, "text", json_stringn(bytes, length));
		return;
	}
	encoded = base64_encode(bytes, length);
	json_put(object, "base64", encoded ? json_text(encoded) : NULL);
}

/* json_dumps may ignore a failure and return text with holes; a FILE has ferror. */
char *json_line(const json_t *json)
{
	char *line = NULL;
	size_t length;
	FILE *file = json ? open_memstream(&line, &length) : NULL;
	bool failed;

	if (!file)
		return NULL;
	failed = json_dumpf(json, file, FLAGS) < 0 || ferror(file);
	if (fclose(file) != 0 || failed) {
		free(line);
		return NULL;
	}
	return line;
}

static int write_all(int fd, const char *bytes, size_t length)
{
	while (length > 0) {
		struct pollfd ready = { .fd = fd, .events = POLLOUT };
		ssize_t n = write(fd, bytes, length);

		if (n >= 0) {
			bytes += n;
			length -= (size_t)n;
		} else if (errno == EAGAIN) { /* the caller made it non-blocking */
			(void)poll(&ready, 1, -1);
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return 0;
}

int json_write(int fd, const json_t *json)
{
	_cleanup_free_ char *line = json_line(json);
	size_t length = line ? strlen(line) : 0;

	if (!line)
		return -ENOMEM;
	line[length] = '\n'; /* replace the NUL, so that a single write suffices */
	return write_all(fd, line, length + 1);
}
