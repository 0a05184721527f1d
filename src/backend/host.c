/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "backend/host.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/argv.h"
#include "base/fd.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "base/value.h"
#include "base/words.h"

/* ---- callbacks -------------------------------------------------------------------- */

static void host_push(struct drupe_words *words, const char *word)
{
	argv_push(words, word);
}

static void __attribute__((format(printf, 2, 3)))
host_pushf(struct drupe_words *words, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	argv_vpushf(words, format, args);
	va_end(args);
}

static void __attribute__((format(printf, 3, 4)))
host_fail(struct drupe_words *words, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	argv_vfail(words, err, format, args);
	va_end(args);
}

static const struct option_value *find_value(const struct drupe_options *options,
					     const char *key)
{
	for (size_t i = 0; options && i < options->count; i++)
		if (strcmp(options->values[i].key, key) == 0)
			return &options->values[i];
	return NULL;
}

static bool host_option_bool(const struct drupe_options *options, const char *key,
			     bool fallback)
{
	const struct option_value *value = find_value(options, key);

	return value && value->type == DRUPE_OPTION_BOOL ? value->number != 0 : fallback;
}

static uint64_t host_option_number(const struct drupe_options *options, const char *key,
				   uint64_t fallback)
{
	const struct option_value *value = find_value(options, key);

	return value && !value->text && value->type != DRUPE_OPTION_BOOL ? value->number
									 : fallback;
}

static const char *host_option_text(const struct drupe_options *options, const char *key,
				    const char *fallback)
{
	const struct option_value *value = find_value(options, key);

	return value && value->text ? value->text : fallback;
}

const struct drupe_host host_callbacks = {
	.size = sizeof(host_callbacks),
	.push = host_push,
	.pushf = host_pushf,
	.fail = host_fail,
	.option_bool = host_option_bool,
	.option_number = host_option_number,
	.option_text = host_option_text,
};

/* ---- one value -------------------------------------------------------------------- */

static int read_bool(const char *text, uint64_t *ret)
{
	bool value;
	int r = value_bool(text, &value);

	if (r == 0)
		*ret = value;
	return r;
}

static int read_text(const char *text, uint64_t *ret_length)
{
	size_t length = strlen(text);

	if (!utf8_valid(text, length, NULL))
		return -EINVAL;
	*ret_length = length;
	return 0;
}

static int read_path(const char *text, uint64_t *ret)
{
	(void)ret;
	return value_path(text) ? 0 : -EINVAL;
}

static int read_cidr4(const char *text, uint64_t *ret_bits)
{
	char network[VALUE_CIDR_LENGTH];

	/* Bits behind the prefix are a slip of the pen: which network was meant? */
	if (strchr(text, ':') || value_cidr(text, network) < 0)
		return -EINVAL;
	return value_count(strchr(text, '/') + 1, ret_bits);
}

/* How each type is read, and what is told about a value that is not one. */
static const struct {
	const char *name;
	const char *expects;
	const char *unit; /* of its range, NULL: it has none */
	bool is_text;
	/* Gives the number that the range bounds.  NULL: one of the option's words. */
	int (*read)(const char *text, uint64_t *ret);
} types[] = {
	[DRUPE_OPTION_BOOL] = { "bool", "is neither true nor false", NULL, false,
				read_bool },
	[DRUPE_OPTION_COUNT] = { "count", "is not a whole number; write it like 4096", "",
				 false, value_count },
	[DRUPE_OPTION_SIZE] = { "size", "is not a size; write 512, 64K, 10M or 2G",
				" bytes", false, value_size },
	[DRUPE_OPTION_DURATION] = { "duration",
				    "is not a duration; write 250ms, 1.5s, 10m or 2h",
				    " ms", false, value_duration },
	[DRUPE_OPTION_TEXT] = { "text", "is not UTF-8", " bytes", true, read_text },
	[DRUPE_OPTION_WORD] = { "word", "is not one of its words", NULL, true, NULL },
	[DRUPE_OPTION_PATH] = { "path",
				"is not an absolute path without . and .. and double "
				"slashes",
				NULL, true, read_path },
	[DRUPE_OPTION_CIDR4] = { "cidr4",
				 "is not an IPv4 network; write it like 10.0.2.0/24",
				 " bits", true, read_cidr4 },
};

static int read_number(const struct drupe_option *declared, const char *text,
		       uint64_t *ret)
{
	bool bounded = types[declared->type].unit && (declared->min || declared->max);
	uint64_t number = 0;
	unsigned place;
	int r;

	if (!types[declared->type].read)
		return words_find(declared->words, text, &place) ? 0 : -EINVAL;
	r = types[declared->type].read(text, &number);
	if (r < 0)
		return r;
	if (bounded && (number < declared->min || number > declared->max))
		return -ERANGE;
	*ret = number;
	return 0;
}

const char *host_option_type_name(enum drupe_option_type type)
{
	return types[type].name;
}

/* ---- the options of a policy --------------------------------------------------------
 */

/* "FILE:LINE:COL: options NAME: KEY: …" */
static int invalid(const struct policy *policy, const struct policy_option *option,
		   struct error *err, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static int invalid(const struct policy *policy, const struct policy_option *option,
		   struct error *err, const char *format, ...)
{
	char where[32] = "", what[512];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	if (option->where.line > 0)
		snprintf(where, sizeof(where), ":%u:%u", option->where.line,
			 option->where.column);
	return error_set(err, ERROR_OPTION_INVALID, EINVAL, "%s%s: options %s: %s",
			 policy->source, where, option->backend, what);
}

static int unknown_key(const struct drupe_backend *object, const struct policy *policy,
		       const struct policy_option *option, struct error *err)
{
	_cleanup_free_ const char **keys = calloc(object->n_options + 1, sizeof(*keys));
	const char *near;

	if (!keys)
		return error_set(err, ERROR_SYSTEM, ENOMEM, "out of memory");
	for (size_t i = 0; i < object->n_options; i++)
		keys[i] = host_option_at(object, i)->key;
	near = nearest_name(option->key, keys);
	if (near)
		return invalid(policy, option, err,
			       "unknown key \"%s\"; did you mean \"%s\"?", option->key,
			       near);
	if (object->n_options == 0)
		return invalid(policy, option, err,
			       "unknown key \"%s\"; this backend has no options",
			       option->key);
	return invalid(
		policy, option, err,
		"unknown key \"%s\"; drupe backends --dump %s lists those there are",
		option->key, object->name);
}

static int bad_word(const struct drupe_option *declared, const struct policy *policy,
		    const struct policy_option *option, struct error *err)
{
	const char *near = nearest_name(option->value, declared->words);
	char list[256];

	words_join(declared->words, list, sizeof(list));
	if (near)
		return invalid(policy, option, err,
			       "%s: \"%s\" is not one of %s; did you mean \"%s\"?",
			       option->key, option->value, list, near);
	return invalid(policy, option, err, "%s: \"%s\" is not one of %s", option->key,
		       option->value, list);
}

static int read_value(const struct drupe_option *declared, const struct policy *policy,
		      const struct policy_option *option, struct option_value *ret_value,
		      struct error *err)
{
	struct option_value value = { .key = declared->key, .type = declared->type };
	int r;

	if (option->quoted && !types[declared->type].is_text)
		return invalid(
			policy, option, err,
			"%s: \"%s\" is quoted and so a text, but a %s is needed; take "
			"the quotes away",
			option->key, option->value, types[declared->type].name);
	r = read_number(declared, option->value, &value.number);
	if (r == -ERANGE && declared->max > 0)
		return invalid(policy, option, err,
			       "%s: \"%s\" is out of range: %" PRIu64 " to %" PRIu64 "%s",
			       option->key, option->value, declared->min, declared->max,
			       types[declared->type].unit);
	if (r == -ERANGE)
		return invalid(policy, option, err, "%s: \"%s\" is too large a number",
			       option->key, option->value);
	if (r < 0 && declared->type == DRUPE_OPTION_WORD)
		return bad_word(declared, policy, option, err);
	if (r < 0)
		return invalid(policy, option, err, "%s: \"%s\" %s", option->key,
			       option->value, types[declared->type].expects);
	if (types[declared->type].is_text) {
		value.text = strdup(option->value);
		if (!value.text)
			return error_set(err, ERROR_SYSTEM, ENOMEM, "out of memory");
	}
	*ret_value = value;
	return 0;
}

static int add_option(const struct drupe_backend *object, const struct policy *policy,
		      const struct policy_option *option, struct drupe_options *options,
		      struct error *err)
{
	if (find_value(options, option->key))
		return invalid(policy, option, err, "%s is set twice", option->key);
	for (size_t i = 0; i < object->n_options; i++) {
		const struct drupe_option *declared = host_option_at(object, i);
		int r;

		if (strcmp(declared->key, option->key) != 0)
			continue;
		r = read_value(declared, policy, option, &options->values[options->count],
			       err);
		if (r == 0)
			options->count++;
		return r;
	}
	return unknown_key(object, policy, option, err);
}

int host_options(const struct drupe_backend *object, const struct policy *policy,
		 struct drupe_options **ret_options, struct error *err)
{
	struct drupe_options *options = calloc(1, sizeof(*options));
	int r = 0;

	if (!options)
		return error_set(err, ERROR_SYSTEM, ENOMEM, "out of memory");
	if (policy && policy->n_options > 0) {
		options->values = calloc(policy->n_options, sizeof(*options->values));
		if (!options->values)
			r = error_set(err, ERROR_SYSTEM, ENOMEM, "out of memory");
	}
	for (size_t i = 0; r == 0 && policy && i < policy->n_options; i++)
		if (strcmp(policy->options[i].backend, object->name) == 0)
			r = add_option(object, policy, &policy->options[i], options, err);
	if (r < 0) {
		host_options_free(options);
		return r;
	}
	*ret_options = options;
	return 0;
}

void host_options_free(struct drupe_options *options)
{
	if (!options)
		return;
	for (size_t i = 0; i < options->count; i++)
		free(options->values[i].text);
	free(options->values);
	free(options);
}
