/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/base64.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

static int digit(char c)
{
	const char *at = c ? strchr(alphabet, c) : NULL;

	return at ? (int)(at - alphabet) : -1;
}

char *base64_decode(const char *text, size_t length, size_t *ret_length)
{
	size_t padding = 0, n = 0;
	char *data;

	while (padding < 2 && padding < length && text[length - 1 - padding] == '=')
		padding++;
	if (length % 4 != 0)
		return NULL;
	data = malloc(length / 4 * 3 + 1);
	if (!data)
		return NULL;
	for (size_t i = 0; i < length; i += 4) {
		uint32_t group = 0;

		for (size_t j = 0; j < 4; j++) {
			bool pad = i + j >= length - padding;
			int value = pad ? 0 : digit(text[i + j]);

			if (value < 0) {
				free(data);
				return NULL;
			}
			group = group << 6 | (uint32_t)value;
		}
		data[n++] = (char)(group >> 16);
		data[n++] = (char)(group >> 8);
		data[n++] = (char)group;
	}
	*ret_length = n - padding;
	data[*ret_length] = '\0';
	return data;
}
