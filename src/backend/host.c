/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "backend/host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/argv.h"
#include "base/fd.h"
#include "base/nearest.h"
#include "base/value.h"
#include "policy/value-type.h"

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

/* The type in our table for each type of the ABI. */
static const enum value_type types[] = {
	[DRUPE_OPTION_BOOL] = TYPE_BOOL, [DRUPE_OPTION_COUNT] = TYPE_COUNT,
	[DRUPE_OPTION_SIZE] = TYPE_SIZE, [DRUPE_OPTION_DURATION] = TYPE_DURATION,
	[DRUPE_OPTION_TEXT] = TYPE_TEXT, [DRUPE_OPTION_WORD] = TYPE_WORD,
	[DRUPE_OPTION_PATH] = TYPE_PATH, [DRUPE_OPTION_CIDR4] = TYPE_CIDR4,
};

const char *host_option_type_name(enum drupe_option_type type)
{
	return value_type_name(types[type]);
}

static int find_unknown_key(const struct drupe_backend *object,
			    const struct policy_option *option, struct findings *findings)
{
	_cleanup_free_ const char **keys = calloc(object->n_options + 1, sizeof(*keys));
	const char *near;

	if (!keys)
		return -ENOMEM;
	for (size_t i = 0; i < object->n_options; i++)
		keys[i] = host_option_at(object, i)->key;
	near = nearest_name(option->key, keys);
	if (near)
		return findings_add(findings, option->key_where,
				    "options %s: unknown key %s; did you mean %s?",
				    option->backend, findings_quote(option->key).text,
				    near);
	if (object->n_options == 0)
		return findings_add(
			findings, option->key_where,
			"options %s: unknown key %s; this backend has no options",
			option->backend, findings_quote(option->key).text);
	return findings_add(
		findings, option->key_where,
		"options %s: unknown key %s; drupe backends --dump %s lists the keys",
		option->backend, findings_quote(option->key).text, object->name);
}

/* Both bounds 0: unbounded. */
static struct value_spec spec_of(const struct drupe_option *declared)
{
	bool bounded = declared->min || declared->max;

	return (struct value_spec){
		.type = types[declared->type],
		.min = declared->min,
		.max = bounded && declared->max < VALUE_MAX ? declared->max : VALUE_MAX,
		.words = declared->words,
	};
}

static int read_option(const struct drupe_option *declared,
		       const struct policy_option *option, struct drupe_options *options,
		       struct findings *findings)
{
	struct value_spec spec = spec_of(declared);
	enum value_store store = value_type_store(spec.type);
	struct option_value value = { .key = declared->key, .type = declared->type };
	struct value_why why;

	if (value_type_read(&spec, option->value, option->quoted, &value.number, &why) <
	    0)
		return findings_add(findings, option->where, "options %s: %s: %s %s",
				    option->backend, option->key,
				    findings_quote(option->value).text, why.text);
	if (store == STORE_TEXT || store == STORE_WORD) {
		value.text = strdup(option->value);
		if (!value.text)
			return -ENOMEM;
	}
	options->values[options->count++] = value;
	return 0;
}

static const struct drupe_option *find_declared(const struct drupe_backend *object,
						const char *key)
{
	for (size_t i = 0; i < object->n_options; i++)
		if (strcmp(host_option_at(object, i)->key, key) == 0)
			return host_option_at(object, i);
	return NULL;
}

/* Read the valid values, and report findings about the others. */
static int read_options(const struct drupe_backend *object, const struct policy *policy,
			struct drupe_options *options, struct findings *findings)
{
	int r = 0;

	options->values = calloc(policy->n_options + 1, sizeof(*options->values));
	if (!options->values)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < policy->n_options; i++) {
		const struct policy_option *option = &policy->options[i];
		const struct drupe_option *declared;

		if (strcmp(option->backend, object->name) != 0)
			continue;
		declared = find_declared(object, option->key);
		r = declared ? read_option(declared, option, options, findings)
			     : find_unknown_key(object, option, findings);
	}
	return r;
}

int host_check_options(const struct drupe_backend *object, const struct policy *policy,
		       struct findings *findings)
{
	struct drupe_options *options = calloc(1, sizeof(*options));
	int r = options ? read_options(object, policy, options, findings) : -ENOMEM;

	host_options_free(options);
	return r;
}

int host_options(const struct drupe_backend *object, const struct policy *policy,
		 struct drupe_options **ret_options, struct error *err)
{
	_cleanup_findings_ struct findings findings = { 0 };
	struct drupe_options *options = calloc(1, sizeof(*options));
	int r = options ? 0 : -ENOMEM;

	if (r == 0 && policy)
		r = read_options(object, policy, options, &findings);
	if (r < 0)
		error_set(err, ERROR_SYSTEM, -r, "out of memory");
	else if (findings.count > 0)
		r = findings_report(&findings, policy->source, ERROR_OPTION_INVALID, err);
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
