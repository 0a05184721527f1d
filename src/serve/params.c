/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Params are checked once, against tables, before anything is done. */
#include <string.h>

#include "base/base64.h"
#include "base/nearest.h"
#include "base/value.h"
#include "serve/serve.h"

#define MAX_PARAMS 16

static const char *const type_texts[] = {
	[PARAM_TEXT] = "a string without a NUL",
	[PARAM_WORDS] = "an array of strings without a NUL",
	[PARAM_COMMAND] = "an array of strings without a NUL, the first one not empty",
	[PARAM_BOOL] = "true or false",
	[PARAM_DURATION] = "a duration like \"45s\", \"10m\" or \"1.5s\"",
	[PARAM_DATA] = "a string, or {\"base64\": \"…\"}",
	[PARAM_ID] = "the id of a request: a string or an integer",
	[PARAM_ANY] = "anything",
};

static bool is_text(const json_t *value)
{
	return json_is_string(value) &&
	       strlen(json_string_value(value)) == json_string_length(value);
}

static bool are_words(const json_t *value)
{
	size_t i;
	json_t *word;

	if (!json_is_array(value))
		return false;
	json_array_foreach(value, i, word) if (!is_text(word)) return false;
	return true;
}

static bool is_command(const json_t *value)
{
	return are_words(value) && json_array_size(value) > 0 &&
	       json_string_length(json_array_get(value, 0)) > 0;
}

static bool is_duration(const json_t *value)
{
	uint64_t ms;

	return is_text(value) && value_duration(json_string_value(value), &ms) == 0 &&
	       ms > 0;
}

static bool is_data(const json_t *value)
{
	const json_t *text = json_object_get(value, "base64");
	size_t length;
	char *data;

	if (json_is_string(value))
		return true;
	if (json_object_size(value) != 1 || !json_is_string(text))
		return false;
	data = base64_decode(json_string_value(text), json_string_length(text), &length);
	free(data);
	return data != NULL;
}

static bool fits(enum param_type type, const json_t *value)
{
	switch (type) {
	case PARAM_TEXT:
		return is_text(value);
	case PARAM_WORDS:
		return are_words(value);
	case PARAM_COMMAND:
		return is_command(value);
	case PARAM_BOOL:
		return json_is_boolean(value);
	case PARAM_DURATION:
		return is_duration(value);
	case PARAM_DATA:
		return is_data(value);
	case PARAM_ID:
		return json_is_string(value) || json_is_integer(value);
	case PARAM_ANY:
		break;
	}
	return true;
}

static bool unknown(const struct param *table, const char *key, struct answer *ret_answer)
{
	const char *names[MAX_PARAMS + 1] = { NULL };
	const char *nearest;

	for (size_t i = 0; i < MAX_PARAMS && table[i].name; i++)
		names[i] = table[i].name;
	nearest = nearest_name(key, names);
	answer_error(ret_answer, RPC_INVALID_PARAMS, NULL,
		     "there is no parameter \"%.100s\" here%s%s%s", key,
		     nearest ? "; did you mean \"" : "", nearest ? nearest : "",
		     nearest ? "\"?" : "");
	return false;
}

static const struct param *find(const struct param *table, const char *key)
{
	while (table->name && strcmp(table->name, key) != 0)
		table++;
	return table->name ? table : NULL;
}

bool params_check(const struct param *table, const json_t *params,
		  struct answer *ret_answer)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)params, key, value)
	{
		const struct param *param = find(table, key);

		if (!param)
			return unknown(table, key, ret_answer);
		if (fits(param->type, value))
			continue;
		answer_error(ret_answer, RPC_INVALID_PARAMS, NULL, "%s must be %s",
			     param->name, type_texts[param->type]);
		return false;
	}
	for (; table->name; table++) {
		if (!table->needed || json_object_get(params, table->name))
			continue;
		answer_error(ret_answer, RPC_INVALID_PARAMS, NULL,
			     "%s is missing: it must be %s", table->name,
			     type_texts[table->type]);
		return false;
	}
	return true;
}

uint64_t params_duration(const json_t *params, const char *name)
{
	const char *text = json_string_value(json_object_get(params, name));
	uint64_t ms;

	return text && value_duration(text, &ms) == 0 ? ms : 0;
}

const char **params_words(const json_t *params, const char *name)
{
	const json_t *list = json_object_get(params, name);
	size_t count = json_array_size(list);
	const char **words = calloc(count + 1, sizeof(*words));

	for (size_t i = 0; words && i < count; i++)
		words[i] = json_string_value(json_array_get(list, i));
	return words;
}

const char *params_data(const json_t *params, const char *name, size_t *ret_length,
			char **ret_owned)
{
	const json_t *value = json_object_get(params, name);
	const json_t *text = json_object_get(value, "base64");

	*ret_owned = NULL;
	*ret_length = json_string_length(value);
	if (!text)
		return json_string_value(value);
	*ret_owned = base64_decode(json_string_value(text), json_string_length(text),
				   ret_length);
	return *ret_owned;
}
