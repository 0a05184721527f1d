/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base64.h"

#include <stdint.h>
#include <stdlib.h>

static const char alphabet[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *base64_encode(const char *data, size_t length)
{
	const unsigned char *in = (const unsigned char *)data;
	char *text = malloc((length + 2) / 3 * 4 + 1);
	char *out = text;

	if (!text)
		return NULL;
	for (size_t i = 0; i < length; i += 3) {
		size_t left = length - i;
		uint32_t group = (uint32_t)in[i] << 16 |
				 (uint32_t)(left > 1 ? in[i + 1] : 0) << 8 |
				 (uint32_t)(left > 2 ? in[i + 2] : 0);

		*out++ = alphabet[group >> 18];
		*out++ = alphabet[group >> 12 & 63];
		*out++ = left > 1 ? alphabet[group >> 6 & 63] : '=';
		*out++ = left > 2 ? alphabet[group & 63] : '=';
	}
	*out = '\0';
	return text;
}
