/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One scalar into its field, by the type of its key; or why it is none. */
#include "policy/value.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/value.h"
#include "base/words.h"

#define KIB (UINT64_C(1) << 10)

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
	[KEY_NETWORKS] = { NULL, "", "list of networks" },
	[KEY_CORPORA] = { NULL, "", "list of trees" },
};

static_assert(sizeof(enum mode) == sizeof(unsigned) &&
		      sizeof(enum access) == sizeof(unsigned) &&
		      sizeof(enum network_grant) == sizeof(unsigned) &&
		      sizeof(enum home) == sizeof(unsigned),
	      "KEY_WORD stores an unsigned");

const char *policy_type_name(enum policy_key_type type)
{
	return type_table[type].name;
}

bool policy_type_is_number(enum policy_key_type type)
{
	return type_table[type].number != NULL;
}

int policy_refuse(struct policy_why *why, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why->text, sizeof(why->text), format, args);
	va_end(args);
	return -EINVAL;
}

void *policy_key_field(const struct policy_key *key, void *base)
{
	return (char *)base + key->offset;
}

static int set_text(const struct policy_key *key, void *base, const char *text)
{
	char **place = policy_key_field(key, base);
	char *copy = strdup(text);

	if (!copy)
		return -ENOMEM;
	free(*place);
	*place = copy;
	return 0;
}

void policy_number_format(enum policy_key_type type, uint64_t value, char *ret,
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

	policy_number_format(key->type, key->min, min, sizeof(min));
	policy_number_format(key->type, key->max, max, sizeof(max));
	if (key->min == key->max)
		return policy_refuse(why, "is not known here; write %s", min);
	if (key->max == VALUE_MAX)
		return policy_refuse(why, "is out of range; write %s or more", min);
	return policy_refuse(why, "is out of range; write %s to %s", min, max);
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
		return policy_refuse(why, "is no limit; leave the key out");
	if (key->type == KEY_DURATION && value_count(text, &bare) == 0)
		return policy_refuse(why, "has no unit; write %ss", text);
	if (key->type == KEY_PERCENT && value_count(text, &bare) == 0)
		return policy_refuse(why, "has no percent sign; write %s%%", text);
	return policy_refuse(why, "%s", type_table[key->type].want);
}

static int set_number(const struct policy_key *key, void *base, const char *text,
		      struct policy_why *why)
{
	uint64_t *place = policy_key_field(key, base), value;
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
	if (value_bool(text, policy_key_field(key, base)) < 0)
		return policy_refuse(why, "%s", type_table[KEY_BOOL].want);
	return 0;
}

int policy_word_find(const char *const *words, const char *text, unsigned *ret,
		     struct policy_why *why)
{
	const char *nearest;
	char folded[64], list[256];

	if (words_find(words, text, ret))
		return 0;
	words_join(words, list, sizeof(list));
	policy_fold(text, folded);
	nearest = folded[0] ? nearest_name(folded, words) : NULL;
	if (nearest)
		return policy_refuse(why, "is none of %s; did you mean %s?", list,
				     nearest);
	return policy_refuse(why, "is none of %s", list);
}

static int set_backend(const struct policy_key *key, void *base, const char *text,
		       struct policy_why *why)
{
	if (strcmp(text, "none") == 0 && !key->optional)
		return policy_refuse(why, "is not possible; this layer is always there");
	if (strcmp(text, "auto") == 0)
		return policy_refuse(
			why, "is not possible; name one backend, none is chosen for you "
			     "(R3)");
	if (strpbrk(text, ", \t|;:"))
		return policy_refuse(
			why, "is a list; one backend per slot, there is no list (R3)");
	if (!value_name(text))
		return policy_refuse(why, "%s", type_table[KEY_BACKEND].want);
	return set_text(key, base, text);
}

static int set_user(const struct policy_key *key, void *base, const char *text,
		    struct policy_why *why)
{
	size_t n = strlen(text);
	uint64_t uid;

	if (strcmp(text, "root") == 0 || (n > 0 && strspn(text, "0") == n))
		return policy_refuse(why, "is root; name an unprivileged user (R14)");
	if (n > 0 && strspn(text, "0123456789") == n) {
		/* The two highest are what chown(2) and the kernel take for "none". */
		if (value_count(text, &uid) < 0 || uid >= UINT32_MAX - 1)
			return policy_refuse(why, "is not a uid; write one like 65534");
		return set_text(key, base, text);
	}
	if (n == 0 || n > 32 || text[0] == '-' || text[0] == '.' ||
	    strspn(text,
		   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") !=
		    n)
		return policy_refuse(why, "%s", type_table[KEY_USER].want);
	return set_text(key, base, text);
}

int policy_path_check(const char *text, struct policy_why *why)
{
	const char *fault = value_path_fault(text);

	if (fault)
		return policy_refuse(why, "%s", fault);
	for (const char *p = text; *p; p++)
		if (iscntrl((unsigned char)*p))
			return policy_refuse(
				why, "has a control character; no path needs one");
	/* Such a path can exist; that a list was meant is far likelier, and to take it
	 * for one path would silently grant something else. */
	if (strstr(text, ", ") || strstr(text, ",/") || strstr(text, ":/") ||
	    strstr(text, " /") || strstr(text, ";/"))
		return policy_refuse(
			why,
			"looks like a list; write each path as an element of its own");
	return 0;
}

bool policy_path_is_kernel(const char *path)
{
	return value_path_within(path, "/proc") || value_path_within(path, "/sys") ||
	       value_path_within(path, "/dev");
}

/* The only key that is a lone path is tmp_root. */
static int set_path(const struct policy_key *key, void *base, const char *text,
		    struct policy_why *why)
{
	int r = policy_path_check(text, why);

	if (r < 0)
		return r;
	if (strcmp(text, "/") == 0 || policy_path_is_kernel(text))
		return policy_refuse(
			why, "is no place for private tmps; write one like /var/tmp");
	return set_text(key, base, text);
}

int policy_key_set(const struct policy_key *key, void *base, const char *text,
		   struct policy_why *why)
{
	switch (key->type) {
	case KEY_BOOL:
		return set_bool(key, base, text, why);
	case KEY_WORD:
		return policy_word_find(key->words, text, policy_key_field(key, base),
					why);
	case KEY_NAME:
		if (!value_name(text))
			return policy_refuse(why, "%s", type_table[KEY_NAME].want);
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
