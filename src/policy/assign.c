/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "policy/assign.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "policy/lists.h"
#include "policy/place.h"

/* Bounds on the names that an admin chooses keep the search for duplicates cheap. */
#define NAMES_MAX 1024
#define ENV_VALUE_MAX 65536

static void refuse_value(struct policy_sink *sink, const struct policy_entry *entry,
			 const struct policy_scalar *value, const char *why)
{
	if (entry->key)
		policy_place_seen(sink, entry->place, entry->key)->refused = true;
	policy_sink_find(sink, value->where, "%s: %s %s", policy_sink_label(entry).text,
			 findings_quote(value->text).text, why);
}

/* Whether VALUE is fully visible as a C string. */
static bool check_scalar(struct policy_sink *sink, const struct policy_entry *entry,
			 const struct policy_scalar *value)
{
	if (strlen(value->text) == value->length)
		return true;
	refuse_value(sink, entry, value, "has a NUL character; remove it");
	return false;
}

static void add_option(struct policy_sink *sink, const struct policy_entry *entry,
		       const struct policy_scalar *value)
{
	struct policy *policy = sink->policy;
	const char *backend = sink->options[entry->place.index].backend;
	struct policy_option *options;
	struct policy_option option = { .quoted = value->quoted,
					.where = value->where,
					.key_where = entry->where };

	if (policy_sink_screened(sink, value->where.line))
		return;
	for (size_t i = 0; i < policy->n_options; i++)
		if (strcmp(policy->options[i].backend, backend) == 0 &&
		    strcmp(policy->options[i].key, entry->name) == 0) {
			policy_sink_again(sink, entry->where, entry->name,
					  policy->options[i].where);
			return;
		}
	if (policy->n_options >= NAMES_MAX) {
		policy_sink_find(sink, entry->where, "options: at most %d of them",
				 NAMES_MAX);
		return;
	}
	options = reallocarray(policy->options, policy->n_options + 1, sizeof(*options));
	if (options) {
		policy->options = options;
		option.backend = strdup(backend);
		option.key = strdup(entry->name);
		option.value = strdup(value->text);
		options[policy->n_options++] = option;
	}
	if (!option.backend || !option.key || !option.value)
		sink->exhausted = true;
}

static void add_variable(struct policy_sink *sink, const struct policy_entry *entry,
			 const struct policy_scalar *value)
{
	struct profile *profile = policy_place_base(sink, entry->place);
	struct variable variable = { .where = value->where };
	struct variable *env;

	for (size_t i = 0; i < profile->n_env; i++)
		if (strcmp(profile->env[i].name, entry->name) == 0) {
			policy_sink_again(sink, entry->where, entry->name,
					  profile->env[i].where);
			return;
		}
	if (profile->n_env >= POLICY_ENV_MAX) {
		policy_sink_find(sink, entry->where, "env: at most %d variables",
				 POLICY_ENV_MAX);
		return;
	}
	if (value->length > ENV_VALUE_MAX) {
		refuse_value(sink, entry, value, "is longer than 65536 bytes");
		return;
	}
	env = reallocarray(profile->env, profile->n_env + 1, sizeof(*env));
	if (env) {
		profile->env = env;
		variable.name = strdup(entry->name);
		variable.value = strdup(value->text);
		env[profile->n_env++] = variable;
	}
	if (!variable.name || !variable.value)
		sink->exhausted = true;
}

/* Report the outcome R of setting a value. */
static void settle(struct policy_sink *sink, const struct policy_entry *entry,
		   const struct policy_scalar *value, int r, const struct value_why *why)
{
	if (r == -ENOMEM)
		sink->exhausted = true;
	else if (r < 0)
		refuse_value(sink, entry, value, why->text);
}

void policy_assign_value(struct policy_sink *sink, const struct policy_entry *entry,
			 const struct policy_scalar *value)
{
	const struct policy_key *key = entry->key;
	struct value_why why;

	if (!check_scalar(sink, entry, value))
		return;
	if (!key) {
		if (entry->place.section == SECTION_ENV)
			add_variable(sink, entry, value);
		else
			add_option(sink, entry, value);
		return;
	}
	if (key->form == KEY_LIST) {
		if (value->quoted || strcmp(value->text, "false") != 0)
			refuse_value(sink, entry, value,
				     "is not a list; write [A, B], or false");
		return;
	}
	settle(sink, entry, value,
	       policy_key_set(key, policy_place_base(sink, entry->place), value->text,
			      value->quoted, &why),
	       &why);
}

void policy_assign_element(struct policy_sink *sink, const struct policy_entry *entry,
			   const struct policy_scalar *value)
{
	struct value_why why;

	if (check_scalar(sink, entry, value))
		settle(sink, entry, value,
		       policy_list_add(entry->key, policy_place_base(sink, entry->place),
				       value->text, value->where, &why),
		       &why);
}

void policy_assign_corpus(struct policy_sink *sink, const struct policy_entry *entry,
			  const struct policy_scalar *access,
			  const struct policy_scalar *path)
{
	struct value_why why;
	bool writable = false;
	int r;

	if (!check_scalar(sink, entry, access) || !check_scalar(sink, entry, path))
		return;
	r = policy_list_corpus_access(access->text, &writable, &why);
	settle(sink, entry, access, r, &why);
	r = policy_list_add_corpus(entry->key, policy_place_base(sink, entry->place),
				   writable, path->text, path->where, &why);
	settle(sink, entry, path, r, &why);
}

static void split_corpus(struct policy_sink *sink, const struct policy_entry *entry,
			 const struct policy_scalar *value)
{
	size_t n = strcspn(value->text, ":");
	_cleanup_free_ char *access_text = strndup(value->text, n);
	struct policy_scalar access = { access_text, n, false, value->where };
	struct policy_scalar path = *value;

	if (!access_text) {
		sink->exhausted = true;
		return;
	}
	if (!value->text[n]) {
		refuse_value(sink, entry, value,
			     "has no access; write read:PATH or write:PATH");
		return;
	}
	path.text += n + 1;
	path.length -= n + 1;
	path.where.column += (unsigned)n + 1;
	policy_assign_corpus(sink, entry, &access, &path);
}

void policy_assign_line(struct policy_sink *sink, const struct policy_entry *entry,
			const struct policy_scalar *value)
{
	struct policy_seen *seen = policy_place_seen(sink, entry->place, entry->key);
	bool none = strcmp(value->text, "none") == 0 ||
		    (entry->key->or_false && strcmp(value->text, "false") == 0);

	if ((none || seen->none) && entry->repeated) {
		policy_sink_find(
			sink, value->where,
			"%s: none is the empty list and stands alone, see line %u",
			entry->name, seen->key.line);
		return;
	}
	seen->none = none;
	if (none)
		return;
	if (entry->key->child == SECTION_CORPUS)
		split_corpus(sink, entry, value);
	else
		policy_assign_element(sink, entry, value);
}
