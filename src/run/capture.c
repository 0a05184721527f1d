/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/capture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

#define BYTES_PER_CHARACTER 4 /* RFC 3629: at most */

static uint64_t head_limit(const struct capture *capture)
{
	return capture->limit - capture->limit / 2;
}

int capture_init(struct capture *capture, uint64_t limit, struct error *err)
{
	struct capture fresh = { .limit = limit };

	fresh.head_size = (size_t)head_limit(&fresh) * BYTES_PER_CHARACTER;
	fresh.tail_size = (size_t)(limit / 2) * BYTES_PER_CHARACTER;
	fresh.head = malloc(fresh.head_size + 1);
	fresh.tail = malloc(fresh.tail_size + 1);
	if (!fresh.head || !fresh.tail) {
		capture_free(&fresh);
		return error_set(err, ERROR_SYSTEM, ENOMEM, "out of memory for output");
	}
	*capture = fresh;
	return 0;
}

/* Whether more bytes could complete what BYTES begins. */
static bool may_continue(const char *bytes, size_t n)
{
	size_t whole = utf8_length((unsigned char)bytes[0]);
	char filled[4];

	if (n >= whole)
		return false;
	/* The highest and lowest continuations: one of them fits a valid beginning. */
	memcpy(filled, bytes, n);
	memset(filled + n, 0xbf, sizeof(filled) - n);
	if (utf8_character(filled, whole))
		return true;
	memset(filled + n, 0x80, sizeof(filled) - n);
	return utf8_character(filled, whole) > 0;
}

static void count_characters(struct capture *capture, const char *data, size_t length)
{
	while (length > 0 && !capture->invalid) {
		size_t n;

		if (capture->n_partial > 0) {
			capture->partial[capture->n_partial++] = *data++;
			length--;
			n = utf8_character(capture->partial, capture->n_partial);
			if (n > 0)
				capture->n_partial = 0;
			else if (!may_continue(capture->partial, capture->n_partial))
				capture->invalid = true;
			capture->characters += n > 0;
			continue;
		}
		n = utf8_character(data, length);
		if (n == 0) {
			capture->partial[0] = *data;
			capture->n_partial = 1;
			capture->invalid = !may_continue(data, 1);
			n = 1;
		} else {
			capture->characters++;
		}
		data += n;
		length -= n;
	}
}

static void add_to_tail(struct capture *capture, const char *data, size_t length)
{
	if (capture->tail_size == 0)
		return;
	if (length > capture->tail_size) {
		capture->n_tail += length - capture->tail_size;
		data += length - capture->tail_size;
		length = capture->tail_size;
	}
	while (length > 0) {
		size_t at = (size_t)(capture->n_tail % capture->tail_size);
		size_t n = capture->tail_size - at < length ? capture->tail_size - at
							    : length;

		memcpy(capture->tail + at, data, n);
		capture->n_tail += n;
		data += n;
		length -= n;
	}
}

void capture_add(struct capture *capture, const char *data, size_t length)
{
	size_t room = capture->head_size - capture->n_head;
	size_t n = length < room ? length : room;

	capture->bytes += length;
	count_characters(capture, data, length);
	memcpy(capture->head + capture->n_head, data, n);
	capture->n_head += n;
	add_to_tail(capture, data + n, length - n);
}

/* Unroll the ring: the last bytes, oldest first. */
static size_t straighten_tail(struct capture *capture, char *to)
{
	size_t have = capture->n_tail < capture->tail_size ? (size_t)capture->n_tail
							   : capture->tail_size;
	size_t start = have < capture->tail_size || have == 0
			       ? 0
			       : (size_t)(capture->n_tail % capture->tail_size);

	memcpy(to, capture->tail + start, have - start);
	memcpy(to + have - start, capture->tail, start);
	return have;
}

/* The length of the first COUNT characters. */
static size_t characters_from_start(const char *text, size_t length, uint64_t count)
{
	size_t at = 0;

	for (; count > 0 && at < length; count--)
		at += utf8_character(text + at, length - at);
	return at;
}

/* Where the last COUNT characters begin. */
static size_t characters_from_end(const char *text, size_t length, uint64_t count)
{
	size_t at = length;

	for (; count > 0 && at > 0; count--)
		do
			at--;
		while (at > 0 && (text[at] & 0xc0) == 0x80);
	return at;
}

/* ALL holds the head, then the tail; contiguous if nothing was lost. */
static int assemble(struct capture *capture, const char *all, size_t length,
		    struct captured *captured)
{
	uint64_t head_max = head_limit(capture), tail_max = capture->limit / 2;
	size_t head = capture->invalid
			      ? (size_t)head_max
			      : characters_from_start(all, capture->n_head, head_max);
	size_t tail = capture->invalid ? length - (size_t)tail_max
				       : characters_from_end(all, length, tail_max);
	bool newline = head > 0 && all[head - 1] == '\n';
	FILE *file = open_memstream(&captured->text, &captured->length);

	if (!file)
		return -ENOMEM;
	captured->omitted = capture->bytes - head - (length - tail);
	fwrite(all, 1, head, file);
	fprintf(file, "%s[drupe: %" PRIu64 " bytes omitted]\n", newline ? "" : "\n",
		captured->omitted);
	fwrite(all + tail, 1, length - tail, file);
	return fclose(file) == 0 ? 0 : -ENOMEM;
}

int capture_finish(struct capture *capture, struct captured *ret, struct error *err)
{
	struct captured captured = { .bytes = capture->bytes };
	char *all = malloc(capture->head_size + capture->tail_size + 1);
	size_t length;
	int r = 0;

	if (!all)
		return error_set(err, ERROR_SYSTEM, ENOMEM, "out of memory for output");
	memcpy(all, capture->head, capture->n_head);
	length = capture->n_head + straighten_tail(capture, all + capture->n_head);
	all[length] = '\0';
	if (capture->n_partial > 0)
		capture->invalid = true; /* it ended inside a character */
	captured.utf8 = !capture->invalid;
	if ((capture->invalid ? capture->bytes : capture->characters) > capture->limit) {
		r = assemble(capture, all, length, &captured);
		free(all);
	} else {
		captured.text = all;
		captured.length = length;
	}
	if (r < 0)
		return error_set(err, ERROR_SYSTEM, -r, "out of memory for output");
	*ret = captured;
	return 0;
}

void capture_free(struct capture *capture)
{
	free(capture->head);
	free(capture->tail);
	capture->head = capture->tail = NULL;
}
