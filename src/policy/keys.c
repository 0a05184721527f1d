/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "policy/keys.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "base/words.h"
#include "policy/lists.h"

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define TIB (UINT64_C(1) << 40)

static const char *const corpus_words[] = { "read", "write", NULL };

#define KEY(in, of_type, named, ...)                                       \
	{                                                                  \
		.section = SECTION_##in, .form = KEY_VALUE,                \
		.value.type = TYPE_##of_type, .name = (named), __VA_ARGS__ \
	}
#define LIST(in, of_type, named, ...)                                                    \
	{                                                                                \
		.section = SECTION_##in, .form = KEY_LIST, .value.type = TYPE_##of_type, \
		.name = (named), __VA_ARGS__                                             \
	}
#define SECTION(in, named, ...)                                                \
	{                                                                      \
		.section = SECTION_##in, .form = KEY_SECTION, .name = (named), \
		__VA_ARGS__                                                    \
	}
#define RANGE(from, to) .value.min = (from), .value.max = (to)
#define WORDS(of) .value.words = (of)
#define OPTIONAL .value.optional = true
#define POLICY(field) .offset = offsetof(struct policy, field)
#define PROFILE(field) .offset = offsetof(struct profile, field)
#define CHILD(of) .child = SECTION_##of
#define RLIMIT_KEY(id, name, type, from, to, otherwise, label, text)          \
	KEY(LIMITS, type, name, RANGE(from, to), PROFILE(limits[LIMIT_##id]), \
	    .fallback = otherwise, .help = text),
#define CGROUP_KEY(id, name, type, from, to, file, reading, controller, text)        \
	KEY(CGROUP, type, name, RANGE(from, to), PROFILE(cgroup[DRUPE_CGROUP_##id]), \
	    .help = text),

const struct policy_key policy_keys[] = {
	KEY(TOP, COUNT, "version", RANGE(1, 1), POLICY(version),
	    .help = "The format of the file. Must be given."),
	KEY(TOP, NAME, "default_profile", POLICY(default_profile), .fallback = "build",
	    .help = "The profile of a run that asks for none; one of profiles."),
	KEY(TOP, WORD, "mode", WORDS(mode_words), POLICY(mode), .fallback = "auto",
	    .help = "Who grants the network: safe = nobody, ask = a person for each "
		    "command, auto = the profile."),
	KEY(TOP, USER, "user", POLICY(user),
	    .help = "The user that runs the launcher and everything inside when root "
		    "starts drupe. Without it (and without --user) root is refused."),
	KEY(TOP, TMP_ROOT, "tmp_root", POLICY(tmp_root), .fallback = "/var/tmp",
	    .help = "Where the private tmp of a session is made."),
	SECTION(TOP, "backends", CHILD(BACKENDS), .help = "One backend for each layer."),
	SECTION(TOP, "options", CHILD(OPTIONS), .help = "The options of each backend."),
	SECTION(TOP, "profiles", CHILD(PROFILES),
		.help = "What runs are granted, by name. At least one."),

	KEY(BACKENDS, BACKEND, "scope", POLICY(backends[SLOT_SCOPE]), OPTIONAL,
	    .fallback = "none", .help = "Cgroup limits of the whole tree, or none."),
	KEY(BACKENDS, BACKEND, "launcher", POLICY(backends[SLOT_LAUNCHER]),
	    .fallback = "bwrap", .help = "Namespaces, mounts and environment."),
	KEY(BACKENDS, BACKEND, "rlimits", POLICY(backends[SLOT_RLIMITS]),
	    .fallback = "prlimit", .help = "Limits of each process."),
	KEY(BACKENDS, BACKEND, "network", POLICY(backends[SLOT_NETWORK]), OPTIONAL,
	    .fallback = "slirp4netns",
	    .help = "What connects the private network of a run that gets one, or none."),

	KEY(PROFILE, WORD, "workspace", WORDS(access_words), PROFILE(workspace),
	    .fallback = "write", .help = "What the command may do with its workspace."),
	KEY(PROFILE, WORD, "network", WORDS(network_grant_words), PROFILE(network),
	    .fallback = "never",
	    .help = "Whether a run gets the network: never, on-request (with --network), "
		    "always (unless --no-network). The mode must grant it as well."),
	LIST(PROFILE, PREFIX, "host_read", PROFILE(host_read), .or_false = true,
	     .fallback = "", .help = "Prefixes of what --read may name, or false."),
	KEY(PROFILE, BOOL, "identity_mount", PROFILE(identity_mount), .fallback = "true",
	    .help = "Show the workspace at its own path where that is safe, "
		    "not at /workspace."),
	KEY(PROFILE, BOOL, "ephemeral_tmp", PROFILE(ephemeral_tmp), .fallback = "false",
	    .help = "A fresh tmpfs at /tmp for each command, not the session's folder."),
	KEY(PROFILE, WORD, "home", WORDS(home_words), PROFILE(home),
	    .fallback = "scratch",
	    .help = "HOME is an empty tmpfs (scratch) or cannot be written (sealed)."),
	KEY(PROFILE, SIZE, "scratch_size", RANGE(64 * KIB, TIB), PROFILE(scratch_size),
	    .fallback = "1G", .help = "The size of each tmpfs."),
	KEY(PROFILE, BOOL, "hosts", PROFILE(hosts), .fallback = "false",
	    .help = "A generated /etc/hosts, so that localhost resolves offline."),
	KEY(PROFILE, BOOL, "nested_userns", PROFILE(nested_userns), .fallback = "false",
	    .help = "Let the command make user namespaces, for sandboxes inside it."),
	LIST(PROFILE, NETWORK, "network_deny", PROFILE(network_deny),
	     .fallback = "host link-local",
	     .help = "What a run with network cannot reach: CIDRs and the words host, "
		     "link-local, private."),
	LIST(PROFILE, TREE, "corpora", CHILD(CORPUS), PROFILE(corpora), .fallback = "",
	     .help = "Further trees beside the workspace, each a path and an access."),
	SECTION(PROFILE, "env", CHILD(ENV),
		.help = "More variables, or other values of LANG, LC_*, TZ and PATH."),
	SECTION(PROFILE, "limits", CHILD(LIMITS), .help = "Limits of each process."),
	SECTION(PROFILE, "cgroup", CHILD(CGROUP),
		.help = "Limits of the whole tree; they need a scope."),
	KEY(PROFILE, DURATION, "timeout", RANGE(10, 720 * 3600 * UINT64_C(1000)),
	    PROFILE(timeout_ms), .fallback = "45s",
	    .help = "The time after which a run is ended."),
	KEY(PROFILE, DURATION, "timeout_max", RANGE(10, 720 * 3600 * UINT64_C(1000)),
	    PROFILE(timeout_max_ms), .fallback = "600s",
	    .help = "The most that a run may ask for."),
	KEY(PROFILE, COUNT, "output_limit", RANGE(1, 16777216), PROFILE(output_limit),
	    .fallback = "10000",
	    .help = "Characters kept of each captured stream, head and tail."),
	KEY(PROFILE, SIZE_UNLIMITED, "stream_limit", RANGE(1, VALUE_MAX),
	    PROFILE(stream_limit), .fallback = "unlimited",
	    .help = "Bytes passed through of each stream, or unlimited."),

	RLIMITS(RLIMIT_KEY) CGROUP_LIMITS(CGROUP_KEY)

	/* Set by policy_list_add_corpus, both at once. */
	KEY(CORPUS, PATH, "path", .help = "The tree. Must be given."),
	KEY(CORPUS, WORD, "access", WORDS(corpus_words), .help = "Must be given."),
};

const size_t policy_keys_count = sizeof(policy_keys) / sizeof(policy_keys[0]);
static_assert(sizeof(policy_keys) / sizeof(policy_keys[0]) <= POLICY_KEYS_MAX,
	      "raise POLICY_KEYS_MAX");

static_assert(sizeof(enum mode) == sizeof(unsigned) &&
		      sizeof(enum access) == sizeof(unsigned) &&
		      sizeof(enum network_grant) == sizeof(unsigned) &&
		      sizeof(enum home) == sizeof(unsigned),
	      "STORE_WORD stores an unsigned");

const struct policy_key *policy_key_find(enum policy_section section, const char *name)
{
	for (size_t i = 0; i < policy_keys_count; i++)
		if (policy_keys[i].section == section &&
		    strcmp(policy_keys[i].name, name) == 0)
			return &policy_keys[i];
	return NULL;
}

/* Words that other tools take for "no limit". */
static bool means_unlimited(const char *text)
{
	static const char *const words[] = { "unlimited", "-1", "infinity", "max", NULL };
	unsigned place;

	return words_find(words, text, &place);
}

static int set_text(char **place, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		return -ENOMEM;
	free(*place);
	*place = copy;
	return 0;
}

int policy_key_set(const struct policy_key *key, void *base, const char *text,
		   bool quoted, struct value_why *why)
{
	void *field = policy_key_field(key, base);
	uint64_t number = 0;
	int r = value_type_read(&key->value, text, quoted, &number, why);

	if (r < 0 && !quoted && policy_sections[key->section].limits &&
	    means_unlimited(text))
		return value_type_refuse(why, "sets no limit; leave the key out");
	if (r < 0)
		return r;
	switch (value_type_store(key->value.type)) {
	case STORE_BOOL:
		*(bool *)field = number != 0;
		break;
	case STORE_NUMBER:
		*(uint64_t *)field = number;
		break;
	case STORE_WORD:
		*(unsigned *)field = (unsigned)number;
		break;
	case STORE_TEXT:
		return set_text(field, text);
	}
	return 0;
}

static int default_list(const struct policy_key *key, void *base)
{
	struct value_why why;
	char word[64];
	int n;

	for (const char *p = key->fallback; sscanf(p, " %63s%n", word, &n) == 1; p += n) {
		int r = policy_list_add(key, base, word, (struct location){ 0 }, &why);

		if (r < 0)
			return r;
	}
	return 0;
}

int policy_keys_default(enum policy_section section, void *base)
{
	struct value_why why;
	int r = 0;

	for (size_t i = 0; i < policy_keys_count && r == 0; i++) {
		const struct policy_key *key = &policy_keys[i];

		if (key->section != section || key->form == KEY_SECTION)
			continue;
		if (key->fallback && key->form == KEY_LIST)
			r = default_list(key, base);
		else if (key->fallback)
			r = policy_key_set(key, base, key->fallback, false, &why);
		else if (value_type_store(key->value.type) == STORE_NUMBER)
			*(uint64_t *)policy_key_field(key, base) = UNSET;
	}
	return r;
}

static const char *type_name(const struct policy_key *key)
{
	return key->form == KEY_SECTION ? "section" : value_type_name(key->value.type);
}

static void print_range(const struct policy_key *key, char *ret, size_t size)
{
	ret[0] = '\0';
	if (key->form != KEY_VALUE)
		return;
	if (key->value.words)
		words_join(key->value.words, ret, size);
	else if (value_type_has_range(key->value.type))
		value_type_print_range(&key->value, ret, size);
}

void policy_keys_print(FILE *file)
{
	for (size_t i = 0; i < policy_keys_count; i++) {
		const struct policy_key *key = &policy_keys[i];
		char range[256];

		print_range(key, range, sizeof(range));
		fprintf(file, "%s\t%s\t%s\t%s\t%s\t%s\n",
			policy_section_name(key->section, POLICY_INI), key->name,
			type_name(key), range, key->fallback ? key->fallback : "",
			key->help);
	}
}
