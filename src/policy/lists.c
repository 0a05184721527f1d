/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "policy/lists.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Far above any sensible policy; keeps the search for duplicates cheap. */
#define LIST_MAX 1024

static int check_room(size_t count, struct value_why *why)
{
	if (count < LIST_MAX)
		return 0;
	return value_type_refuse(why, "is one too many; a list has at most %d elements",
				 LIST_MAX);
}

static int check_other(const char *there, const char *text, struct value_why *why)
{
	if (strcmp(there, text) != 0)
		return 0;
	return value_type_refuse(why, "is listed twice; write it once");
}

static int strings_add(struct strings *list, const char *text, struct location where,
		       struct value_why *why)
{
	char **items;
	struct location *places;
	int r = 0;

	for (size_t i = 0; i < list->count && r == 0; i++)
		r = check_other(list->items[i], text, why);
	if (r == 0)
		r = check_room(list->count, why);
	if (r < 0)
		return r;
	items = reallocarray(list->items, list->count + 1, sizeof(*items));
	if (!items)
		return -ENOMEM;
	list->items = items;
	places = reallocarray(list->where, list->count + 1, sizeof(*places));
	if (!places)
		return -ENOMEM;
	list->where = places;
	items[list->count] = strdup(text);
	if (!items[list->count])
		return -ENOMEM;
	places[list->count++] = where;
	return 0;
}

int policy_list_add(const struct policy_key *key, void *base, const char *text,
		    struct location where, struct value_why *why)
{
	uint64_t number;
	int r = value_type_read(&key->value, text, false, &number, why);

	return r < 0 ? r : strings_add(policy_key_field(key, base), text, where, why);
}

static void strings_clear(struct strings *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	free(list->where);
	*list = (struct strings){ 0 };
}

static void corpora_clear(struct profile *profile)
{
	for (size_t i = 0; i < profile->n_corpora; i++)
		free(profile->corpora[i].path);
	free(profile->corpora);
	profile->corpora = NULL;
	profile->n_corpora = 0;
}

void policy_list_clear(const struct policy_key *key, void *base)
{
	if (key->child == SECTION_CORPUS)
		corpora_clear(base);
	else
		strings_clear(policy_key_field(key, base));
}

void policy_lists_clear(struct profile *profile)
{
	for (size_t i = 0; i < policy_keys_count; i++)
		if (policy_keys[i].form == KEY_LIST)
			policy_list_clear(&policy_keys[i], profile);
}

int policy_list_corpus_access(const char *text, bool *ret_writable, struct value_why *why)
{
	const struct policy_key *key = policy_key_find(SECTION_CORPUS, "access");
	uint64_t word = 0;
	int r = value_type_read(&key->value, text, false, &word, why);

	if (r < 0)
		return r;
	*ret_writable = strcmp(key->value.words[word], "write") == 0;
	return 0;
}

int policy_list_add_corpus(const struct policy_key *key, struct profile *profile,
			   bool writable, const char *path, struct location where,
			   struct value_why *why)
{
	struct corpus *corpora;
	uint64_t number;
	int r;

	r = value_type_read(&key->value, path, false, &number, why);
	for (size_t i = 0; i < profile->n_corpora && r == 0; i++)
		r = check_other(profile->corpora[i].path, path, why);
	if (r == 0)
		r = check_room(profile->n_corpora, why);
	if (r < 0)
		return r;
	corpora = reallocarray(profile->corpora, profile->n_corpora + 1,
			       sizeof(*corpora));
	if (!corpora)
		return -ENOMEM;
	profile->corpora = corpora;
	corpora[profile->n_corpora] = (struct corpus){
		.path = strdup(path),
		.writable = writable,
		.where = where,
	};
	if (!corpora[profile->n_corpora].path)
		return -ENOMEM;
	profile->n_corpora++;
	return 0;
}
