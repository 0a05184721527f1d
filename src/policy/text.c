/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "policy/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static bool is_utf16(const unsigned char *p, size_t length)
{
	if (length < 2)
		return false;
	return (p[0] == 0xff && p[1] == 0xfe) || (p[0] == 0xfe && p[1] == 0xff) ||
	       (p[0] == 0) != (p[1] == 0);
}

/*
 * The length of the character at P if no policy may contain it, else 0; RET describes
 * it.  Besides control characters, this refuses those that only some readers take for
 * the end of a line.
 */
static size_t bad_character(const char *p, size_t left, char *ret, size_t size)
{
	const unsigned char *byte = (const unsigned char *)p;
	size_t n = utf8_character(p, left);

	if (n == 0) {
		snprintf(ret, size, "byte 0x%02x is not UTF-8; save the file as UTF-8",
			 *byte);
		return 1;
	}
	if ((n == 1 && ((*byte < 0x20 && *byte != '\t') || *byte == 0x7f)) ||
	    (n == 2 && byte[0] == 0xc2 && byte[1] < 0xa0)) {
		snprintf(ret, size, "control character 0x%02x; delete it", byte[n - 1]);
		return n;
	}
	if (n == 3 &&
	    (memcmp(p, "\xe2\x80\xa8", 3) == 0 || memcmp(p, "\xe2\x80\xa9", 3) == 0 ||
	     memcmp(p, "\xef\xbb\xbf", 3) == 0 || memcmp(p, "\xef\xbf\xbe", 3) == 0 ||
	     memcmp(p, "\xef\xbf\xbf", 3) == 0)) {
		snprintf(ret, size,
			 "invisible character (bytes %02x %02x %02x); delete it", byte[0],
			 byte[1], byte[2]);
		return n;
	}
	return 0;
}

/* Substitutes for a bad character of N bytes, so that the rest keeps its columns. */
static const char *const substitutes[] = { "", "_", "\xc2\xb7", "\xe2\x80\xa6" };

static bool substitute(struct policy_sink *sink, const char *text, size_t length,
		       size_t at, size_t n, char **copy)
{
	if (!*copy) {
		*copy = malloc(length);
		if (!*copy) {
			sink->exhausted = true;
			return false;
		}
		memcpy(*copy, text, length);
	}
	memcpy(*copy + at, substitutes[n], n);
	return true;
}

bool policy_text_screen(struct policy_sink *sink, const char *text, size_t length,
			char **ret_copy)
{
	struct location where = { 1, 1 };
	unsigned reported = 0;
	char what[64];

	if (is_utf16((const unsigned char *)text, length)) {
		policy_sink_syntax(sink, where, "the file is UTF-16; save it as UTF-8");
		return false;
	}
	for (size_t i = 0, n; i < length; i += n) {
		char c = text[i];
		size_t bad;

		n = 1;
		if (c == '\n') {
			where = (struct location){ where.line + 1, 1 };
			continue;
		}
		if (c == '\r' && i + 1 < length && text[i + 1] == '\n')
			continue;
		if (c == '\r') {
			policy_sink_syntax(
				sink, where,
				"a carriage return within a line; end lines with LF "
				"or CR LF");
			return false;
		}
		bad = bad_character(text + i, length - i, what, sizeof(what));
		n = bad ? bad : utf8_character(text + i, length - i);
		if (bad) {
			if (where.line != reported)
				policy_sink_syntax(sink, where, "%s", what);
			reported = where.line;
			if (!substitute(sink, text, length, i, n, ret_copy))
				return false;
		}
		where.column += sink->format == POLICY_INI ? (unsigned)n : 1;
	}
	return true;
}
