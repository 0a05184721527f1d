/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/utf8.h"

size_t utf8_length(unsigned char byte)
{
	if (byte < 0x80)
		return 1;
	if (byte >= 0xc2 && byte <= 0xdf)
		return 2;
	if (byte >= 0xe0 && byte <= 0xef)
		return 3;
	if (byte >= 0xf0 && byte <= 0xf4)
		return 4;
	return 0;
}

size_t utf8_character(const char *text, size_t left)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t n = left > 0 ? utf8_length(p[0]) : 0;

	if (n == 0 || n > left)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* RFC 3629 section 4: the second byte's range excludes overlong forms,
	 * surrogates and what lies beyond U+10FFFF. */
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

bool utf8_valid(const char *text, size_t length, size_t *ret_offset)
{
	size_t at = 0;

	while (at < length) {
		size_t n = utf8_character(text + at, length - at);

		if (n == 0) {
			if (ret_offset)
				*ret_offset = at;
			return false;
		}
		at += n;
	}
	return true;
}
