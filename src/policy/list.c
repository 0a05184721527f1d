/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lists of a profile: one element more, checked by the type of the key; none. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "policy/value.h"
#include "base/value.h"
#include "base/words.h"

/* No list of an honest policy comes near; looking for duplicates stays cheap. */
#define LIST_MAX 1024

static const char *const network_words[] = { "host", "link-local", "private", NULL };

static int check_room(size_t count, struct policy_why *why)
{
	if (count < LIST_MAX)
		return 0;
	return policy_refuse(why, "is one too many; a list has at most %d elements",
			     LIST_MAX);
}

static int check_other(const char *there, const char *text, struct policy_why *why)
{
	if (strcmp(there, text) != 0)
		return 0;
	return policy_refuse(why, "stands here twice; write it once");
}

static int strings_add(struct strings *list, const char *text, struct location where,
		       struct policy_why *why)
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

static int check_prefix(const char *text, struct policy_why *why)
{
	int r = policy_path_check(text, why);

	if (r < 0)
		return r;
	if (strcmp(text, "/") == 0)
		return policy_refuse(why,
				     "is everything; name the trees that may be read");
	if (policy_path_is_kernel(text) || value_path_within(text, "/run"))
		return policy_refuse(
			why, "is never readable; /proc, /sys, /dev and /run stay out");
	return 0;
}

static int check_network(const char *text, struct policy_why *why)
{
	char right[VALUE_CIDR_LENGTH];
	unsigned word;
	int r;

	if (words_find(network_words, text, &word))
		return 0;
	r = value_cidr(text, right);
	if (r == -ERANGE)
		return policy_refuse(why, "has bits beyond its prefix; write %s", right);
	if (r < 0)
		return policy_refuse(why,
				     "is not a network; write host, link-local, private "
				     "or a CIDR like 10.0.0.0/8");
	return 0;
}

int policy_key_add(const struct policy_key *key, void *base, const char *text,
		   struct location where, struct policy_why *why)
{
	int r = key->type == KEY_NETWORKS ? check_network(text, why)
					  : check_prefix(text, why);

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

void policy_key_clear(const struct policy_key *key, void *base)
{
	if (key->type == KEY_CORPORA)
		corpora_clear(base);
	else
		strings_clear(policy_key_field(key, base));
}

void policy_keys_clear_lists(struct profile *profile)
{
	for (size_t i = 0; i < policy_keys_count; i++)
		if (policy_key_is_list(&policy_keys[i]))
			policy_key_clear(&policy_keys[i], profile);
}

int policy_corpus_access(const char *text, bool *ret_writable, struct policy_why *why)
{
	const struct policy_key *key = policy_key_find(SECTION_CORPUS, "access");
	unsigned word = 0;
	int r = policy_word_find(key->words, text, &word, why);

	if (r < 0)
		return r;
	*ret_writable = strcmp(key->words[word], "write") == 0;
	return 0;
}

int policy_corpus_add(struct profile *profile, bool writable, const char *path,
		      struct location where, struct policy_why *why)
{
	struct corpus *corpora;
	int r;

	r = policy_path_check(path, why);
	if (r < 0)
		return r;
	if (strcmp(path, "/") == 0 || policy_path_is_kernel(path))
		return policy_refuse(
			why, "cannot be shown beside a workspace; name a tree of data");
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
