/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "policy/keys.h"

#include <assert.h>
#include <string.h>

#include "base/value.h"

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define TIB (UINT64_C(1) << 40)

/* Each in the order of its enumeration. */
static const char *const mode_words[] = { "safe", "ask", "auto", NULL };
static const char *const access_words[] = { "write", "read", "none", NULL };
static const char *const grant_words[] = { "never", "on-request", "always", NULL };
static const char *const corpus_words[] = { "read", "write", NULL };
static const char *const home_words[] = { "scratch", "sealed", NULL };

const char *access_name(enum access access)
{
	return access_words[access];
}

const char *network_grant_name(enum network_grant grant)
{
	return grant_words[grant];
}

const char *mode_name(enum mode mode)
{
	return mode_words[mode];
}

#define KEY(in, of_type, named, ...)                                           \
	{                                                                      \
		.section = SECTION_##in, .type = KEY_##of_type, .name = named, \
		__VA_ARGS__                                                    \
	}
#define RANGE(from, to) .min = (from), .max = (to)
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
	KEY(TOP, WORD, "mode", .words = mode_words, POLICY(mode), .fallback = "auto",
	    .help = "Who grants the network: safe = nobody, ask = a person for each "
		    "command, auto = the profile."),
	KEY(TOP, USER, "user", POLICY(user),
	    .help = "Who runs the launcher and all inside when root starts drupe. "
		    "Without it (and without --user) root is refused."),
	KEY(TOP, PATH, "tmp_root", POLICY(tmp_root), .fallback = "/var/tmp",
	    .help = "Where the private tmp of a session is made."),
	KEY(TOP, SECTION, "backends", CHILD(BACKENDS),
	    .help = "One backend for each layer."),
	KEY(TOP, SECTION, "options", CHILD(OPTIONS),
	    .help = "The options of each backend."),
	KEY(TOP, SECTION, "profiles", CHILD(PROFILES),
	    .help = "What runs are granted, by name. At least one."),

	KEY(BACKENDS, BACKEND, "scope", POLICY(backends[SLOT_SCOPE]), .optional = true,
	    .fallback = "none", .help = "Cgroup limits of the whole tree, or none."),
	KEY(BACKENDS, BACKEND, "launcher", POLICY(backends[SLOT_LAUNCHER]),
	    .fallback = "bwrap", .help = "Namespaces, mounts and environment."),
	KEY(BACKENDS, BACKEND, "rlimits", POLICY(backends[SLOT_RLIMITS]),
	    .fallback = "prlimit", .help = "Limits of each process."),
	KEY(BACKENDS, BACKEND, "network", POLICY(backends[SLOT_NETWORK]),
	    .optional = true, .fallback = "slirp4netns",
	    .help = "What connects the private network of a run that gets one, or none."),

	KEY(PROFILE, WORD, "workspace", .words = access_words, PROFILE(workspace),
	    .fallback = "write", .help = "What the command may do with its workspace."),
	KEY(PROFILE, WORD, "network", .words = grant_words, PROFILE(network),
	    .fallback = "never",
	    .help = "Whether a run gets the network: never, on-request (with --network), "
		    "always (unless --no-network). The mode must grant it as well."),
	KEY(PROFILE, PREFIXES, "host_read", PROFILE(host_read), .fallback = "",
	    .help = "Prefixes of what --read may name, or false."),
	KEY(PROFILE, BOOL, "identity_mount", PROFILE(identity_mount), .fallback = "true",
	    .help = "Show the workspace at its own path where that is safe, "
		    "not at /workspace."),
	KEY(PROFILE, BOOL, "ephemeral_tmp", PROFILE(ephemeral_tmp), .fallback = "false",
	    .help = "A fresh tmpfs at /tmp for each command, not the session's folder."),
	KEY(PROFILE, WORD, "home", .words = home_words, PROFILE(home),
	    .fallback = "scratch",
	    .help = "HOME is an empty tmpfs (scratch) or cannot be written (sealed)."),
	KEY(PROFILE, SIZE, "scratch_size", RANGE(64 * KIB, TIB), PROFILE(scratch_size),
	    .fallback = "1G", .help = "The size of each tmpfs."),
	KEY(PROFILE, BOOL, "hosts", PROFILE(hosts), .fallback = "false",
	    .help = "A generated /etc/hosts, so that localhost resolves offline."),
	KEY(PROFILE, BOOL, "nested_userns", PROFILE(nested_userns), .fallback = "false",
	    .help = "Let the command make user namespaces, for sandboxes inside it."),
	KEY(PROFILE, NETWORKS, "network_deny", PROFILE(network_deny),
	    .fallback = "host link-local",
	    .help = "What a run with network cannot reach: CIDRs and the words host, "
		    "link-local, private."),
	KEY(PROFILE, CORPORA, "corpora", PROFILE(corpora), .fallback = "",
	    .help = "Further trees beside the workspace, each a path and an access."),
	KEY(PROFILE, SECTION, "env", CHILD(ENV),
	    .help = "More variables, or other values of LANG, LC_*, TZ and PATH."),
	KEY(PROFILE, SECTION, "limits", CHILD(LIMITS), .help = "Limits of each process."),
	KEY(PROFILE, SECTION, "cgroup", CHILD(CGROUP),
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

	/* Set through policy_corpus_add, both at once. */
	KEY(CORPUS, PATH, "path", .help = "The tree. Must be given."),
	KEY(CORPUS, WORD, "access", .words = corpus_words, .help = "Must be given."),
};

const size_t policy_keys_count = sizeof(policy_keys) / sizeof(policy_keys[0]);
static_assert(sizeof(policy_keys) / sizeof(policy_keys[0]) <= POLICY_KEYS_MAX,
	      "raise POLICY_KEYS_MAX");

static const struct {
	const char *name;
	const char *heading;
} section_table[N_SECTIONS] = {
	[SECTION_TOP] = { "the top level", "[policy]" },
	[SECTION_BACKENDS] = { "backends", "[backends]" },
	[SECTION_OPTIONS] = { "options", "[options BACKEND]" },
	[SECTION_OPTION] = { "the options of a backend", "[options BACKEND]" },
	[SECTION_PROFILES] = { "profiles", "[profile NAME]" },
	[SECTION_PROFILE] = { "a profile", "[profile NAME]" },
	[SECTION_LIMITS] = { "limits", "[profile NAME limits]" },
	[SECTION_CGROUP] = { "cgroup", "[profile NAME cgroup]" },
	[SECTION_ENV] = { "env", "[profile NAME env]" },
	[SECTION_CORPUS] = { "an element of corpora", "corpora = read:PATH" },
};

const char *policy_section_name(enum policy_section section, enum policy_format format)
{
	return format == POLICY_INI ? section_table[section].heading
				    : section_table[section].name;
}

const struct policy_key *policy_key_find(enum policy_section section, const char *name)
{
	for (size_t i = 0; i < policy_keys_count; i++)
		if (policy_keys[i].section == section &&
		    strcmp(policy_keys[i].name, name) == 0)
			return &policy_keys[i];
	return NULL;
}

bool policy_key_is_list(const struct policy_key *key)
{
	return key->type == KEY_PREFIXES || key->type == KEY_NETWORKS ||
	       key->type == KEY_CORPORA;
}

bool policy_key_is_text(const struct policy_key *key)
{
	return key->type >= KEY_WORD;
}
