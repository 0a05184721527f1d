/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "run/capture.h"

/* Feed TEXT in chunks of CHUNK bytes and compare what is kept. */
static void expect(uint64_t limit, const char *text, size_t length, size_t chunk,
		   const char *kept, bool utf8, uint64_t omitted)
{
	struct capture capture;
	struct captured captured;

	assert_int_equal(capture_init(&capture, limit, NULL), 0);
	for (size_t at = 0; at < length; at += chunk)
		capture_add(&capture, text + at,
			    length - at < chunk ? length - at : chunk);
	assert_int_equal(capture_finish(&capture, &captured, NULL), 0);
	assert_string_equal(captured.text, kept);
	assert_int_equal(captured.length, strlen(kept));
	assert_int_equal(captured.utf8, utf8);
	assert_int_equal(captured.omitted, omitted);
	assert_int_equal(captured.bytes, length);
	free(captured.text);
	capture_free(&capture);
}

static void expect_all_chunks(uint64_t limit, const char *text, const char *kept,
			      bool utf8, uint64_t omitted)
{
	for (size_t chunk = 1; chunk <= strlen(text) + 1; chunk++)
		expect(limit, text, strlen(text), chunk, kept, utf8, omitted);
}

static void short_streams_are_whole(void **state)
{
	(void)state;
	expect(10, "", 0, 1, "", true, 0);
	expect_all_chunks(1, "a", "a", true, 0);
	expect_all_chunks(10, "0123456789", "0123456789", true, 0);
	expect_all_chunks(3, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
			  "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", true, 0);
}

static void head_and_tail_are_kept(void **state)
{
	(void)state;
	expect_all_chunks(10, "0123456789a", "01234\n[drupe: 1 bytes omitted]\n6789a",
			  true, 1);
	expect_all_chunks(3, "abcdef", "ab\n[drupe: 3 bytes omitted]\nf", true, 3);
	expect_all_chunks(1, "abcdef", "a\n[drupe: 5 bytes omitted]\n", true, 5);
	/* A head that ends a line gets no second line end. */
	expect_all_chunks(4, "a\nbbbb\nc", "a\n[drupe: 4 bytes omitted]\n\nc", true, 4);
}

static void cuts_are_between_characters(void **state)
{
	(void)state;
	expect_all_chunks(2, "\xc3\xa4\xc3\xb6\xc3\xbc",
			  "\xc3\xa4\n[drupe: 2 bytes omitted]\n\xc3\xbc", true, 2);
	expect_all_chunks(2, "\xf0\x9f\x98\x80x\xf0\x9f\x98\x81",
			  "\xf0\x9f\x98\x80\n[drupe: 1 bytes omitted]\n\xf0\x9f\x98\x81",
			  true, 1);
}

static void other_bytes_are_counted_as_bytes(void **state)
{
	(void)state;
	expect_all_chunks(10,
			  "ab\xff"
			  "cd",
			  "ab\xff"
			  "cd",
			  false, 0);
	expect_all_chunks(4,
			  "ab\xff"
			  "cde",
			  "ab\n[drupe: 2 bytes omitted]\nde", false, 2);
	/* Cut off inside a character, overlong, surrogate, beyond U+10FFFF. */
	expect_all_chunks(10, "a\xc3", "a\xc3", false, 0);
	expect_all_chunks(10, "\xc0\x80", "\xc0\x80", false, 0);
	expect_all_chunks(10, "\xed\xa0\x80", "\xed\xa0\x80", false, 0);
	expect_all_chunks(10, "\xf4\x90\x80\x80", "\xf4\x90\x80\x80", false, 0);
	expect_all_chunks(10, "\xe0\xa0\x80", "\xe0\xa0\x80", true, 0);
}

static void long_streams_keep_their_ends(void **state)
{
	struct capture capture;
	struct captured captured;
	char block[1000];

	(void)state;
	assert_int_equal(capture_init(&capture, 100, NULL), 0);
	for (size_t i = 0; i < 5000; i++) {
		memset(block, 'a' + (int)(i % 26), sizeof(block));
		capture_add(&capture, block, sizeof(block));
	}
	assert_int_equal(capture_finish(&capture, &captured, NULL), 0);
	assert_int_equal(captured.bytes, 5000000);
	assert_int_equal(captured.omitted, 5000000 - 100);
	assert_memory_equal(captured.text, "aaaaaaaaaa", 10);
	assert_int_equal(captured.text[captured.length - 1], 'a' + 4999 % 26);
	free(captured.text);
	capture_free(&capture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_streams_are_whole),
		cmocka_unit_test(head_and_tail_are_kept),
		cmocka_unit_test(cuts_are_between_characters),
		cmocka_unit_test(other_bytes_are_counted_as_bytes),
		cmocka_unit_test(long_streams_keep_their_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
