/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

json_t *json_text(const char *text)
{
	size_t length = strlen(text);
	char *copy, *out;
	json_t *json;

	if (utf8_valid(text, length, NULL))
		return json_stringn(text, length);
	copy = out = malloc(length * 3 + 1);
	if (!copy)
		return NULL;
	while (length > 0) {
		size_t n = utf8_character(text, length);

		memcpy(out, n ? text : "\xef\xbf\xbd", n ? n : 3);
		out += n ? n : 3;
		n = n ? n : 1;
		text += n;
		length -= n;
	}
	json = json_stringn(copy, (size_t)(out - copy));
	free(copy);
	return json;
}

json_t *json_text_or_null(const char *text)
{
	return text && *text ? json_text(text) : json_null();
}

json_t *refusal_json(const struct error *refusal)
{
	return json_pack("{s:s, s:o, s:s, s:o, s:o, s:o}", "stage",
			 stage_name(error_stage(refusal->code)), "backend",
			 json_text_or_null(refusal->backend), "code",
			 error_code_word(refusal->code), "message",
			 json_text(refusal->message), "hint",
			 json_text_or_null(refusal->hint), "errno",
			 refusal->errnum ? json_integer(refusal->errnum) : json_null());
}
