/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "policy-keys.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "nearest.h"
#include "value.h"
#include "words.h"

/* No list of an honest policy comes near; looking for duplicates stays cheap. */
#define LIST_MAX 1024

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define TIB (UINT64_C(1) << 40)

const char *const slot_names[N_SLOTS] = {
	[SLOT_SCOPE] = "scope",
	[SLOT_LAUNCHER] = "launcher",
	[SLOT_RLIMITS] = "rlimits",
	[SLOT_NETWORK] = "network",
};

const struct rlimit_info rlimit_table[N_RLIMITS] = {
	[LIMIT_NOFILE] = { "nofile", RLIMIT_NOFILE },
	[LIMIT_CORE] = { "core", RLIMIT_CORE },
	[LIMIT_CPU] = { "cpu", RLIMIT_CPU },
	[LIMIT_FSIZE] = { "fsize", RLIMIT_FSIZE },
	[LIMIT_AS] = { "as", RLIMIT_AS },
	[LIMIT_NPROC] = { "nproc", RLIMIT_NPROC },
	[LIMIT_STACK] = { "stack", RLIMIT_STACK },
	[LIMIT_MEMLOCK] = { "memlock", RLIMIT_MEMLOCK },
};

static const char *const cgroup_names[N_CGROUP] = {
	[CGROUP_MEMORY_MAX] = "memory_max",
	[CGROUP_MEMORY_HIGH] = "memory_high",
	[CGROUP_MEMORY_SWAP_MAX] = "memory_swap_max",
	[CGROUP_TASKS_MAX] = "tasks_max",
	[CGROUP_CPU_QUOTA] = "cpu_quota",
	[CGROUP_CPU_WEIGHT] = "cpu_weight",
	[CGROUP_IO_WEIGHT] = "io_weight",
};

/* Each in the order of its enumeration. */
static const char *const mode_words[] = { "safe", "ask", "auto", NULL };
static const char *const access_words[] = { "write", "read", "none", NULL };
static const char *const grant_words[] = { "never", "on-request", "always", NULL };
static const char *const corpus_words[] = { "read", "write", NULL };
static const char *const home_words[] = { "scratch", "sealed", NULL };
static const char *const network_words[] = { "host", "link-local", "private", NULL };

static_assert(sizeof(enum mode) == sizeof(unsigned) &&
		      sizeof(enum access) == sizeof(unsigned) &&
		      sizeof(enum network_grant) == sizeof(unsigned) &&
		      sizeof(enum home) == sizeof(unsigned),
	      "KEY_WORD stores an unsigned");

#define KEY(in, of_type, named, ...)                                           \
	{                                                                      \
		.section = SECTION_##in, .type = KEY_##of_type, .name = named, \
		__VA_ARGS__                                                    \
	}
#define RANGE(from, to) .min = (from), .max = (to)
#define POLICY(field) .offset = offsetof(struct policy, field)
#define PROFILE(field) .offset = offsetof(struct profile, field)
#define CHILD(of) .child = SECTION_##of

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

	KEY(LIMITS, COUNT, "nofile", RANGE(4, 1073741816), PROFILE(limits[LIMIT_NOFILE]),
	    .fallback = "4096", .help = "Open files."),
	KEY(LIMITS, SIZE, "core", RANGE(0, VALUE_MAX), PROFILE(limits[LIMIT_CORE]),
	    .fallback = "0", .help = "Size of a core dump."),
	KEY(LIMITS, SECONDS, "cpu", RANGE(1, VALUE_MAX), PROFILE(limits[LIMIT_CPU]),
	    .help = "CPU time of each process, in whole seconds."),
	KEY(LIMITS, SIZE, "fsize", RANGE(0, VALUE_MAX), PROFILE(limits[LIMIT_FSIZE]),
	    .help = "Size of a file that is written."),
	KEY(LIMITS, SIZE, "as", RANGE(16 * MIB, VALUE_MAX), PROFILE(limits[LIMIT_AS]),
	    .help = "Address space."),
	KEY(LIMITS, COUNT, "nproc", RANGE(1, 4194304), PROFILE(limits[LIMIT_NPROC]),
	    .help = "Processes and threads of the user."),
	KEY(LIMITS, SIZE, "stack", RANGE(128 * KIB, VALUE_MAX),
	    PROFILE(limits[LIMIT_STACK]), .help = "Stack."),
	KEY(LIMITS, SIZE, "memlock", RANGE(0, VALUE_MAX), PROFILE(limits[LIMIT_MEMLOCK]),
	    .help = "Memory locked into RAM."),

	KEY(CGROUP, SIZE, "memory_max", RANGE(16 * MIB, VALUE_MAX),
	    PROFILE(cgroup[CGROUP_MEMORY_MAX]),
	    .help = "Memory; beyond it the tree is killed."),
	KEY(CGROUP, SIZE, "memory_high", RANGE(16 * MIB, VALUE_MAX),
	    PROFILE(cgroup[CGROUP_MEMORY_HIGH]),
	    .help = "Memory; beyond it the tree is slowed."),
	KEY(CGROUP, SIZE, "memory_swap_max", RANGE(0, VALUE_MAX),
	    PROFILE(cgroup[CGROUP_MEMORY_SWAP_MAX]), .help = "Swap."),
	/* The launcher is two tasks; the guard and the command are one each. */
	KEY(CGROUP, COUNT, "tasks_max", RANGE(4, 4194304),
	    PROFILE(cgroup[CGROUP_TASKS_MAX]), .help = "Processes and threads."),
	KEY(CGROUP, PERCENT, "cpu_quota", RANGE(1, 100000),
	    PROFILE(cgroup[CGROUP_CPU_QUOTA]),
	    .help = "CPU time, in percent of one CPU."),
	KEY(CGROUP, COUNT, "cpu_weight", RANGE(1, 10000),
	    PROFILE(cgroup[CGROUP_CPU_WEIGHT]),
	    .help = "Share of the CPU among siblings, of which 100 is usual."),
	KEY(CGROUP, COUNT, "io_weight", RANGE(1, 10000),
	    PROFILE(cgroup[CGROUP_IO_WEIGHT]),
	    .help = "Share of the disks among siblings, of which 100 is usual."),

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

/* How each type is parsed, what it wants to see, and what the reference calls it. */
static const struct {
	int (*number)(const char *text, uint64_t *ret);
	const char *want;
	const char *name;
} type_table[N_KEY_TYPES] = {
	[KEY_SECTION] = { NULL, "", "section" },
	[KEY_BOOL] = { NULL, "is not a boolean; write true or false", "boolean" },
	[KEY_COUNT] = { value_count, "is not a whole number; write it like 4096",
			"count" },
	[KEY_SIZE] = { value_size, "is not a size; write 512M or 4G", "size" },
	[KEY_SIZE_UNLIMITED] = { value_size, "is not a size; write 512M or unlimited",
				 "size or unlimited" },
	[KEY_DURATION] = { value_duration, "is not a duration; write 45s, 10m or 1.5s",
			   "duration" },
	[KEY_SECONDS] = { value_count, "is not a time in whole seconds; write 10 or 10s",
			  "seconds" },
	[KEY_PERCENT] = { value_percent, "is not a percentage; write 200%", "percent" },
	[KEY_WORD] = { NULL, "", "word" },
	[KEY_NAME] = { NULL, "is not a name; write a-z, then a-z, 0-9 and - (32 at most)",
		       "name" },
	[KEY_BACKEND] = { NULL,
			  "is not the name of a backend; write it without path and "
			  "suffix",
			  "name" },
	[KEY_USER] = { NULL, "is not a user; write a name like nobody, or a uid",
		       "user" },
	[KEY_PATH] = { NULL, "", "path" },
	[KEY_PREFIXES] = { NULL, "", "list of paths, or false" },
	[KEY_NETWORKS] = { NULL,
			   "is not a network; write host, link-local, private or "
			   "a CIDR like 10.0.0.0/8",
			   "list of networks" },
	[KEY_CORPORA] = { NULL, "", "list of trees" },
};

static int refuse(struct policy_why *why, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse(struct policy_why *why, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why->text, sizeof(why->text), format, args);
	va_end(args);
	return -EINVAL;
}

/* ---- looking up ---- */

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

/* The names of SECTION's keys, NULL-terminated; how many. */
static size_t section_keys(enum policy_section section,
			   const char *ret[static POLICY_KEYS_MAX + 1])
{
	size_t n = 0;

	for (size_t i = 0; i < policy_keys_count; i++)
		if (policy_keys[i].section == section)
			ret[n++] = policy_keys[i].name;
	ret[n] = NULL;
	return n;
}

/* NAME in lower case and with - as _, since NOFILE and cpu-quota are slips as well;
 * "" when it is too long or too short for a guess. */
static void fold_name(const char *name, char ret[static 64])
{
	size_t n = strlen(name);

	ret[0] = '\0';
	if (n < 3 || n >= 64)
		return;
	for (size_t i = 0; i <= n; i++)
		ret[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] - 'A' + 'a')
			 : name[i] == '-'		  ? '_'
							  : name[i];
}

/* The key of another section that is called NAME, or nearly so. */
static const struct policy_key *key_elsewhere(const char *name)
{
	const char *names[POLICY_KEYS_MAX + 1];
	const char *nearest;

	for (size_t i = 0; i < policy_keys_count; i++)
		names[i] = policy_keys[i].name;
	names[policy_keys_count] = NULL;
	nearest = nearest_name(name, names);
	for (size_t i = 0; i < policy_keys_count && nearest; i++)
		if (policy_keys[i].name == nearest)
			return &policy_keys[i];
	return NULL;
}

void policy_key_suggest(enum policy_section section, enum policy_format format,
			const char *name, char *ret, size_t size)
{
	const char *names[POLICY_KEYS_MAX + 1];
	size_t n = section_keys(section, names);
	const char *nearest;
	const struct policy_key *elsewhere;
	char folded[64], list[256];

	fold_name(name, folded);
	nearest = folded[0] ? nearest_name(folded, names) : NULL;
	elsewhere = folded[0] ? key_elsewhere(folded) : NULL;
	words_join(names, list, sizeof(list));
	ret[0] = '\0';
	if (elsewhere && strcmp(elsewhere->name, folded) == 0 &&
	    !(nearest && strcmp(nearest, folded) == 0))
		snprintf(ret, size, "; %s belongs in %s", elsewhere->name,
			 policy_section_name(elsewhere->section, format));
	else if (nearest)
		snprintf(ret, size, "; did you mean %s?", nearest);
	else if (elsewhere)
		snprintf(ret, size, "; did you mean %s of %s?", elsewhere->name,
			 policy_section_name(elsewhere->section, format));
	else if (n > 0 && n <= 10)
		snprintf(ret, size, "; the keys here are %s", list);
}

const char policy_order_rule[] =
	"the order scope, launcher, rlimits, command is fixed (R1); leave this out";

bool policy_key_is_order(const char *name)
{
	static const char *const names[] = { "order",	 "wrapper_order", "wrap_order",
					     "stages",	 "layers",	  "chain",
					     "sequence", "wrappers" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* ---- storing ---- */

static void *field(const struct policy_key *key, void *base)
{
	return (char *)base + key->offset;
}

static int set_text(const struct policy_key *key, void *base, const char *text)
{
	char **place = field(key, base);
	char *copy = strdup(text);

	if (!copy)
		return -ENOMEM;
	free(*place);
	*place = copy;
	return 0;
}

/* A bound as a policy writes it. */
static void format_number(enum policy_key_type type, uint64_t value, char *ret,
			  size_t size)
{
	static const char units[] = "KMGT";
	const char *suffix = "";
	unsigned i;

	switch (type) {
	case KEY_SIZE:
	case KEY_SIZE_UNLIMITED:
		for (i = 0; value && value % KIB == 0 && units[i]; i++)
			value /= KIB;
		snprintf(ret, size, "%llu%.*s", (unsigned long long)value, i > 0,
			 i > 0 ? &units[i - 1] : "");
		return;
	case KEY_DURATION:
		suffix = value % 3600000 == 0 ? "h"
			 : value % 60000 == 0 ? "m"
			 : value % 1000 == 0  ? "s"
					      : "ms";
		value /= suffix[0] == 'h'			 ? 3600000
			 : suffix[0] == 'm' && suffix[1] == '\0' ? 60000
			 : suffix[0] == 's'			 ? 1000
								 : 1;
		break;
	case KEY_SECONDS:
		suffix = "s";
		break;
	case KEY_PERCENT:
		suffix = "%";
		break;
	default:
		break;
	}
	snprintf(ret, size, "%llu%s", (unsigned long long)value, suffix);
}

static int refuse_range(const struct policy_key *key, struct policy_why *why)
{
	char min[32], max[32];

	format_number(key->type, key->min, min, sizeof(min));
	format_number(key->type, key->max, max, sizeof(max));
	if (key->min == key->max)
		return refuse(why, "is not known here; write %s", min);
	if (key->max == VALUE_MAX)
		return refuse(why, "is out of range; write %s or more", min);
	return refuse(why, "is out of range; write %s to %s", min, max);
}

/* The words by which other tools switch a limit off. */
static bool means_unlimited(const char *text)
{
	return strcmp(text, "unlimited") == 0 || strcmp(text, "-1") == 0 ||
	       strcmp(text, "infinity") == 0 || strcmp(text, "max") == 0;
}

static int refuse_number(const struct policy_key *key, const char *text,
			 struct policy_why *why)
{
	uint64_t bare;

	if ((key->section == SECTION_LIMITS || key->section == SECTION_CGROUP) &&
	    means_unlimited(text))
		return refuse(why, "is no limit; leave the key out");
	if (key->type == KEY_DURATION && value_count(text, &bare) == 0)
		return refuse(why, "has no unit; write %ss", text);
	if (key->type == KEY_PERCENT && value_count(text, &bare) == 0)
		return refuse(why, "has no percent sign; write %s%%", text);
	return refuse(why, "%s", type_table[key->type].want);
}

static int set_number(const struct policy_key *key, void *base, const char *text,
		      struct policy_why *why)
{
	uint64_t *place = field(key, base), value;
	int r;

	if (key->type == KEY_SIZE_UNLIMITED && strcmp(text, "unlimited") == 0) {
		*place = UNSET;
		return 0;
	}
	r = type_table[key->type].number(text, &value);
	if (r == -EINVAL && key->type == KEY_SECONDS) {
		r = value_duration(text, &value);
		if (r == 0 && value % 1000 != 0)
			r = -EINVAL;
		value /= 1000;
	}
	if (r == -EINVAL)
		return refuse_number(key, text, why);
	if (r < 0 || value < key->min || value > key->max)
		return refuse_range(key, why);
	*place = value;
	return 0;
}

static int set_bool(const struct policy_key *key, void *base, const char *text,
		    struct policy_why *why)
{
	if (value_bool(text, field(key, base)) < 0)
		return refuse(why, "%s", type_table[KEY_BOOL].want);
	return 0;
}

static int find_word(const char *const *words, const char *text, unsigned *ret,
		     struct policy_why *why)
{
	const char *nearest;
	char folded[64], list[256];

	if (words_find(words, text, ret))
		return 0;
	words_join(words, list, sizeof(list));
	fold_name(text, folded);
	nearest = folded[0] ? nearest_name(folded, words) : NULL;
	if (nearest)
		return refuse(why, "is none of %s; did you mean %s?", list, nearest);
	return refuse(why, "is none of %s", list);
}

static int set_backend(const struct policy_key *key, void *base, const char *text,
		       struct policy_why *why)
{
	if (strcmp(text, "none") == 0 && !key->optional)
		return refuse(why, "is not possible; this layer is always there");
	if (strcmp(text, "auto") == 0)
		return refuse(why,
			      "is not possible; name one backend, none is chosen for you "
			      "(R3)");
	if (strpbrk(text, ", \t|;:"))
		return refuse(why,
			      "is a list; one backend per slot, there is no list (R3)");
	if (!value_name(text))
		return refuse(why, "%s", type_table[KEY_BACKEND].want);
	return set_text(key, base, text);
}

static int set_user(const struct policy_key *key, void *base, const char *text,
		    struct policy_why *why)
{
	size_t n = strlen(text);
	uint64_t uid;

	if (strcmp(text, "root") == 0 || (n > 0 && strspn(text, "0") == n))
		return refuse(why, "is root; name an unprivileged user (R14)");
	if (n > 0 && strspn(text, "0123456789") == n) {
		/* The two highest are what chown(2) and the kernel take for "none". */
		if (value_count(text, &uid) < 0 || uid >= UINT32_MAX - 1)
			return refuse(why, "is not a uid; write one like 65534");
		return set_text(key, base, text);
	}
	if (n == 0 || n > 32 || text[0] == '-' || text[0] == '.' ||
	    strspn(text,
		   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") !=
		    n)
		return refuse(why, "%s", type_table[KEY_USER].want);
	return set_text(key, base, text);
}

/* What is wrong with a path of any key. */
static int check_path(const char *text, struct policy_why *why)
{
	const char *fault = value_path_fault(text);

	if (fault)
		return refuse(why, "%s", fault);
	for (const char *p = text; *p; p++)
		if (iscntrl((unsigned char)*p))
			return refuse(why, "has a control character; no path needs one");
	/* Such a path can exist; that a list was meant is far likelier, and to take it
	 * for one path would silently grant something else. */
	if (strstr(text, ", ") || strstr(text, ",/") || strstr(text, ":/"))
		return refuse(
			why,
			"looks like a list; write each path as an element of its own");
	return 0;
}

/* Kernel interfaces, which no policy opens. */
static bool is_kernel_path(const char *path)
{
	return value_path_within(path, "/proc") || value_path_within(path, "/sys") ||
	       value_path_within(path, "/dev");
}

/* The only key that is a lone path is tmp_root. */
static int set_path(const struct policy_key *key, void *base, const char *text,
		    struct policy_why *why)
{
	int r = check_path(text, why);

	if (r < 0)
		return r;
	if (strcmp(text, "/") == 0 || is_kernel_path(text))
		return refuse(why,
			      "is no place for private tmps; write one like /var/tmp");
	return set_text(key, base, text);
}

int policy_key_set(const struct policy_key *key, void *base, const char *text,
		   struct policy_why *why)
{
	switch (key->type) {
	case KEY_BOOL:
		return set_bool(key, base, text, why);
	case KEY_WORD:
		return find_word(key->words, text, field(key, base), why);
	case KEY_NAME:
		if (!value_name(text))
			return refuse(why, "%s", type_table[KEY_NAME].want);
		return set_text(key, base, text);
	case KEY_BACKEND:
		return set_backend(key, base, text, why);
	case KEY_USER:
		return set_user(key, base, text, why);
	case KEY_PATH:
		return set_path(key, base, text, why);
	default:
		return set_number(key, base, text, why);
	}
}

/* ---- lists ---- */

static int strings_add(struct strings *list, const char *text, struct location where,
		       struct policy_why *why)
{
	char **items;
	struct location *places;

	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i], text) == 0)
			return refuse(why, "stands here twice; write it once");
	if (list->count >= LIST_MAX)
		return refuse(why, "is one too many; a list has at most %d elements",
			      LIST_MAX);
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
	int r = check_path(text, why);

	if (r < 0)
		return r;
	if (strcmp(text, "/") == 0)
		return refuse(why, "is everything; name the trees that may be read");
	if (is_kernel_path(text) || value_path_within(text, "/run"))
		return refuse(why,
			      "is never readable; /proc, /sys, /dev and /run stay out");
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
		return refuse(why, "has bits beyond its prefix; write %s", right);
	if (r < 0)
		return refuse(why, "%s", type_table[KEY_NETWORKS].want);
	return 0;
}

int policy_key_add(const struct policy_key *key, void *base, const char *text,
		   struct location where, struct policy_why *why)
{
	int r = key->type == KEY_NETWORKS ? check_network(text, why)
					  : check_prefix(text, why);

	return r < 0 ? r : strings_add(field(key, base), text, where, why);
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
		strings_clear(field(key, base));
}

void policy_keys_clear_lists(struct profile *profile)
{
	for (size_t i = 0; i < policy_keys_count; i++)
		if (policy_key_is_list(&policy_keys[i]))
			policy_key_clear(&policy_keys[i], profile);
}

int policy_corpus_access(const char *text, bool *ret_writable, struct policy_why *why)
{
	unsigned word = 0;
	int r = find_word(corpus_words, text, &word, why);

	if (r < 0)
		return r;
	*ret_writable = word == 1;
	return 0;
}

int policy_corpus_add(struct profile *profile, bool writable, const char *path,
		      struct location where, struct policy_why *why)
{
	struct corpus *corpora;
	int r;

	r = check_path(path, why);
	if (r < 0)
		return r;
	if (strcmp(path, "/") == 0 || is_kernel_path(path))
		return refuse(why,
			      "cannot be shown beside a workspace; name a tree of data");
	for (size_t i = 0; i < profile->n_corpora; i++)
		if (strcmp(profile->corpora[i].path, path) == 0)
			return refuse(why, "stands here twice; write it once");
	if (profile->n_corpora >= LIST_MAX)
		return refuse(why, "is one too many; a list has at most %d elements",
			      LIST_MAX);
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

/* ---- variables ---- */

/* What the loader, the C library and shells act on before the command does, and what
 * the executor sets itself.  A name that ends in * stands for all that begin so. */
static const struct {
	const char *pattern;
	const char *fault;
} env_table[] = {
	{ "HOME", "is set by drupe; see the key home" },
	{ "TMPDIR", "is set by drupe; see the key ephemeral_tmp" },
	{ "PWD", "is set by drupe; it is the workspace" },
	{ "OLDPWD", "is set by shells; leave it out" },
	{ "DRUPE_*", "is kept for drupe; choose another name" },
	{ "XDG_RUNTIME_DIR", "leads out of the sandbox; leave it out" },
	{ "DBUS_*", "leads out of the sandbox; leave it out" },
	{ "LD_*", "steers the program loader; leave it out" },
	{ "GLIBC_TUNABLES", "steers the C library; leave it out" },
	{ "GCONV_PATH", "steers the C library; leave it out" },
	{ "LOCPATH", "steers the C library; leave it out" },
	{ "NLSPATH", "steers the C library; leave it out" },
	{ "MALLOC_*", "steers the C library; leave it out" },
	{ "BASH_ENV", "makes shells run code; leave it out" },
	{ "ENV", "makes shells run code; leave it out" },
	{ "BASH_FUNC_*", "makes shells run code; leave it out" },
	{ "PS4", "makes shells run code; leave it out" },
	{ "SHELLOPTS", "changes how shells read; leave it out" },
	{ "BASHOPTS", "changes how shells read; leave it out" },
	{ "IFS", "changes how shells read; leave it out" },
};

const char *policy_env_fault(const char *name)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	size_t n = strlen(name);

	if (!name[0] || !strchr(letters, name[0]))
		return "is not the name of a variable; write letters, digits and _";
	for (size_t i = 1; i < n; i++)
		if (!strchr(letters, name[i]) && !(name[i] >= '0' && name[i] <= '9'))
			return "is not the name of a variable; write letters, digits and "
			       "_";
	for (size_t i = 0; i < sizeof(env_table) / sizeof(env_table[0]); i++) {
		const char *pattern = env_table[i].pattern;
		size_t length = strcspn(pattern, "*");

		if (pattern[length] ? strncmp(name, pattern, length) == 0
				    : strcmp(name, pattern) == 0)
			return env_table[i].fault;
	}
	return NULL;
}

/* ---- defaults ---- */

static int default_list(const struct policy_key *key, void *base)
{
	struct policy_why why;
	char word[64];
	int n;

	for (const char *p = key->fallback; sscanf(p, " %63s%n", word, &n) == 1; p += n) {
		int r = policy_key_add(key, base, word, (struct location){ 0 }, &why);

		if (r < 0)
			return r;
	}
	return 0;
}

static bool is_number(const struct policy_key *key)
{
	return type_table[key->type].number != NULL;
}

int policy_keys_default(enum policy_section section, void *base)
{
	struct policy_why why;
	int r = 0;

	for (size_t i = 0; i < policy_keys_count && r == 0; i++) {
		const struct policy_key *key = &policy_keys[i];

		if (key->section != section)
			continue;
		if (!key->fallback) {
			if (is_number(key))
				*(uint64_t *)field(key, base) = UNSET;
		} else if (policy_key_is_list(key)) {
			r = default_list(key, base);
		} else {
			r = policy_key_set(key, base, key->fallback, &why);
		}
	}
	return r;
}

/* ---- names of values ---- */

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

const char *cgroup_name(enum cgroup_id id)
{
	return cgroup_names[id];
}

/* ---- the reference ---- */

static void print_range(const struct policy_key *key, char *ret, size_t size)
{
	char min[32], max[32];

	ret[0] = '\0';
	if (key->words)
		words_join(key->words, ret, size);
	if (!is_number(key))
		return;
	format_number(key->type, key->min, min, sizeof(min));
	format_number(key->type, key->max, max, sizeof(max));
	if (key->min == key->max)
		snprintf(ret, size, "%s", min);
	else if (key->max == VALUE_MAX)
		snprintf(ret, size, "%s or more", min);
	else
		snprintf(ret, size, "%s to %s", min, max);
}

/* roff takes - for a hyphen and \ for an escape. */
static void print_roff(FILE *file, const char *text)
{
	for (; *text; text++) {
		if (*text == '-' || *text == '\\')
			fputc('\\', file);
		fputc(*text == '\\' ? 'e' : *text, file);
	}
}

static void print_key_roff(FILE *file, const struct policy_key *key, const char *range)
{
	fprintf(file, ".TP\n.B %s\n.I ", key->name);
	print_roff(file, type_table[key->type].name);
	fputs("\n", file);
	if (range[0]) {
		fputs("(", file);
		print_roff(file, range);
		fputs(")\n", file);
	}
	fputs(".br\n", file);
	print_roff(file, key->help);
	fputc('\n', file);
	if (key->fallback && key->fallback[0]) {
		fputs("Default: ", file);
		print_roff(file, key->fallback);
		fputs(".\n", file);
	}
}

void policy_keys_print(FILE *file, enum policy_keys_format format)
{
	enum policy_section last = N_SECTIONS;

	for (size_t i = 0; i < policy_keys_count; i++) {
		const struct policy_key *key = &policy_keys[i];
		char range[256];

		print_range(key, range, sizeof(range));
		if (format == POLICY_KEYS_TEXT) {
			fprintf(file, "%s\t%s\t%s\t%s\t%s\t%s\n",
				policy_section_name(key->section, POLICY_INI), key->name,
				type_table[key->type].name, range,
				key->fallback ? key->fallback : "", key->help);
			continue;
		}
		if (key->section != last) {
			fputs(".SS ", file);
			print_roff(file, policy_section_name(key->section, POLICY_INI));
			fputc('\n', file);
			last = key->section;
		}
		print_key_roff(file, key, range);
	}
}
