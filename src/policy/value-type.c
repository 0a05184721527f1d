/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "policy/value-type.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/path.h"
#include "base/utf8.h"
#include "base/value.h"
#include "base/words.h"
#include "policy/policy.h"

#define KIB (UINT64_C(1) << 10)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

int value_type_refuse(struct value_why *why, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why->text, sizeof(why->text), format, args);
	va_end(args);
	return -EINVAL;
}

/* One value being read. */
struct reading {
	const struct value_spec *spec;
	const char *text;
	uint64_t number; /* what is stored, or checked against the range */
	struct value_why *why;
};

/*
 * The readers return 0; -ERANGE, number too large; or -EINVAL, not of the type, with
 * the reason in `why` or else in the table.
 */

static int read_bool(struct reading *reading)
{
	bool value;
	int r = value_bool(reading->text, &value);

	if (r == 0)
		reading->number = value;
	return r;
}

static int read_count(struct reading *reading)
{
	return value_count(reading->text, &reading->number);
}

static int read_size(struct reading *reading)
{
	return value_size(reading->text, &reading->number);
}

static int read_size_unlimited(struct reading *reading)
{
	if (strcmp(reading->text, "unlimited") != 0)
		return read_size(reading);
	reading->number = UNSET;
	return 0;
}

static int read_duration(struct reading *reading)
{
	int r = value_duration(reading->text, &reading->number);
	uint64_t bare;

	if (r == -EINVAL && value_count(reading->text, &bare) == 0)
		return value_type_refuse(reading->why, "has no unit; write %ss",
					 reading->text);
	return r;
}

static int read_seconds(struct reading *reading)
{
	int r = read_count(reading);

	if (r != -EINVAL)
		return r;
	r = value_duration(reading->text, &reading->number);
	if (r == 0 && reading->number % 1000 != 0)
		return -EINVAL;
	reading->number /= 1000;
	return r;
}

static int read_percent(struct reading *reading)
{
	int r = value_percent(reading->text, &reading->number);
	uint64_t bare;

	if (r == -EINVAL && value_count(reading->text, &bare) == 0)
		return value_type_refuse(reading->why, "has no percent sign; write %s%%",
					 reading->text);
	return r;
}

static int read_text(struct reading *reading)
{
	reading->number = strlen(reading->text);
	return utf8_valid(reading->text, reading->number, NULL) ? 0 : -EINVAL;
}

static int read_word(struct reading *reading)
{
	const char *const *words = reading->spec->words;
	const char *nearest;
	char folded[64], list[256];
	unsigned place;

	if (words_find(words, reading->text, &place)) {
		reading->number = place;
		return 0;
	}
	words_join(words, list, sizeof(list));
	nearest_fold(reading->text, folded);
	nearest = folded[0] ? nearest_name(folded, words) : NULL;
	if (nearest)
		return value_type_refuse(reading->why,
					 "is not one of %s; did you mean %s?", list,
					 nearest);
	return value_type_refuse(reading->why, "is not one of %s", list);
}

static int read_name(struct reading *reading)
{
	return value_name(reading->text) ? 0 : -EINVAL;
}

static int read_backend(struct reading *reading)
{
	const char *text = reading->text;

	if (strcmp(text, "none") == 0 && !reading->spec->optional)
		return value_type_refuse(reading->why,
					 "is not possible; this layer is mandatory");
	if (strcmp(text, "auto") == 0)
		return value_type_refuse(
			reading->why,
			"is not possible; name one backend, none is chosen for you "
			"(R3)");
	if (strpbrk(text, ", \t|;:"))
		return value_type_refuse(
			reading->why,
			"is a list; one backend per slot, there is no list (R3)");
	return read_name(reading);
}

static int read_user(struct reading *reading)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
	const char *text = reading->text;
	size_t n = strlen(text);
	uint64_t uid;

	if (strcmp(text, "root") == 0 || (n > 0 && strspn(text, "0") == n))
		return value_type_refuse(reading->why,
					 "is root; name an unprivileged user (R14)");
	if (n > 0 && strspn(text, "0123456789") == n) {
		/* The two highest are what chown(2) and the kernel take for "none". */
		if (value_count(text, &uid) < 0 || uid >= UINT32_MAX - 1)
			return value_type_refuse(reading->why,
						 "is not a uid; write one like 65534");
		return 0;
	}
	if (n == 0 || n > 32 || text[0] == '-' || text[0] == '.')
		return -EINVAL;
	return strspn(text, letters) == n ? 0 : -EINVAL;
}

static int read_path(struct reading *reading)
{
	const char *text = reading->text;
	const char *fault = value_path_fault(text);

	if (fault)
		return value_type_refuse(reading->why, "%s", fault);
	for (const char *p = text; *p; p++)
		if (iscntrl((unsigned char)*p))
			return value_type_refuse(
				reading->why,
				"has a control character; no path needs one");
	/* Such a path can exist, but a list was far more likely meant, and taking it
	 * for one path would silently grant something else. */
	if (strstr(text, ", ") || strstr(text, ",/") || strstr(text, ":/") ||
	    strstr(text, " /") || strstr(text, ";/"))
		return value_type_refuse(
			reading->why,
			"looks like a list; write each path as an element of its own");
	return 0;
}

/* Kernel interfaces, which no policy can open up. */
static bool is_kernel(const char *path)
{
	return path_is_within(path, "/proc") || path_is_within(path, "/sys") ||
	       path_is_within(path, "/dev");
}

static int read_tmp_root(struct reading *reading)
{
	int r = read_path(reading);

	if (r == 0 && (strcmp(reading->text, "/") == 0 || is_kernel(reading->text)))
		return value_type_refuse(
			reading->why,
			"cannot hold private tmps; write a folder like /var/tmp");
	return r;
}

static int read_prefix(struct reading *reading)
{
	int r = read_path(reading);

	if (r < 0)
		return r;
	if (strcmp(reading->text, "/") == 0)
		return value_type_refuse(
			reading->why, "is everything; name the trees that may be read");
	if (is_kernel(reading->text) || path_is_within(reading->text, "/run"))
		return value_type_refuse(
			reading->why,
			"is never readable; /proc, /sys, /dev and /run stay out");
	return 0;
}

static int read_tree(struct reading *reading)
{
	int r = read_path(reading);

	if (r == 0 && (strcmp(reading->text, "/") == 0 || is_kernel(reading->text)))
		return value_type_refuse(
			reading->why,
			"cannot be shown beside a workspace; name a tree of data");
	return r;
}

static int read_cidr(struct reading *reading)
{
	char right[VALUE_CIDR_LENGTH];
	int r = value_cidr(reading->text, right);

	if (r == -ERANGE)
		return value_type_refuse(reading->why,
					 "has bits beyond its prefix; write %s", right);
	return r;
}

static int read_cidr4(struct reading *reading)
{
	int r = strchr(reading->text, ':') ? -EINVAL : read_cidr(reading);

	return r < 0 ? r : value_count(strchr(reading->text, '/') + 1, &reading->number);
}

static int read_network(struct reading *reading)
{
	static const char *const words[] = { "host", "link-local", "private", NULL };
	unsigned word;

	return words_find(words, reading->text, &word) ? 0 : read_cidr(reading);
}

/* Printers write a bound in the policy's syntax. */

static void print_count(uint64_t value, char *ret, size_t size)
{
	snprintf(ret, size, "%llu", (unsigned long long)value);
}

static void print_size(uint64_t value, char *ret, size_t size)
{
	static const char *const units[] = { "", "K", "M", "G", "T" };
	size_t i;

	for (i = 0; value && value % KIB == 0 && i + 1 < COUNT(units); i++)
		value /= KIB;
	snprintf(ret, size, "%llu%s", (unsigned long long)value, units[i]);
}

static void print_duration(uint64_t value, char *ret, size_t size)
{
	static const struct {
		const char *suffix;
		unsigned factor;
	} units[] = { { "h", 3600000 }, { "m", 60000 }, { "s", 1000 }, { "ms", 1 } };
	size_t i = 0;

	while (value % units[i].factor != 0)
		i++;
	snprintf(ret, size, "%llu%s", (unsigned long long)value / units[i].factor,
		 units[i].suffix);
}

static void print_seconds(uint64_t value, char *ret, size_t size)
{
	snprintf(ret, size, "%llus", (unsigned long long)value);
}

static void print_percent(uint64_t value, char *ret, size_t size)
{
	snprintf(ret, size, "%llu%%", (unsigned long long)value);
}

static void print_prefix_length(uint64_t value, char *ret, size_t size)
{
	snprintf(ret, size, "/%llu", (unsigned long long)value);
}

static const struct {
	const char *name;
	const char *want; /* the refusal, if the reader gives no other */
	int (*read)(struct reading *reading);
	void (*print)(uint64_t value, char *ret, size_t size); /* NULL: has no range */
	const char *unit; /* after the range, if the printer writes none */
	enum value_store store;
} type_table[N_VALUE_TYPES] = {
	[TYPE_BOOL] = { "bool", "is not a boolean; write true or false", read_bool, NULL,
			"", STORE_BOOL },
	[TYPE_COUNT] = { "count", "is not a whole number; write it like 4096", read_count,
			 print_count, "", STORE_NUMBER },
	[TYPE_SIZE] = { "size", "is not a size; write 512M or 4G", read_size, print_size,
			"", STORE_NUMBER },
	[TYPE_SIZE_UNLIMITED] = { "size or unlimited",
				  "is not a size; write 512M or unlimited",
				  read_size_unlimited, print_size, "", STORE_NUMBER },
	[TYPE_DURATION] = { "duration", "is not a duration; write 45s, 10m or 1.5s",
			    read_duration, print_duration, "", STORE_NUMBER },
	[TYPE_SECONDS] = { "seconds", "is not a time in whole seconds; write 10 or 10s",
			   read_seconds, print_seconds, "", STORE_NUMBER },
	[TYPE_PERCENT] = { "percent", "is not a percentage; write 200%", read_percent,
			   print_percent, "", STORE_NUMBER },
	[TYPE_TEXT] = { "text", "is not UTF-8", read_text, print_count, " bytes",
			STORE_TEXT },
	[TYPE_WORD] = { "word", "", read_word, NULL, "", STORE_WORD },
	[TYPE_NAME] = { "name",
			"is not a name; write a-z, then a-z, 0-9 and - (32 at most)",
			read_name, NULL, "", STORE_TEXT },
	[TYPE_BACKEND] = { "name",
			   "is not the name of a backend; write it without path and "
			   "suffix",
			   read_backend, NULL, "", STORE_TEXT },
	[TYPE_USER] = { "user", "is not a user; write a name like nobody, or a uid",
			read_user, NULL, "", STORE_TEXT },
	[TYPE_PATH] = { "path", "", read_path, NULL, "", STORE_TEXT },
	[TYPE_TMP_ROOT] = { "path", "", read_tmp_root, NULL, "", STORE_TEXT },
	[TYPE_CIDR4] = { "cidr4", "is not an IPv4 network; write it like 10.0.2.0/24",
			 read_cidr4, print_prefix_length, "", STORE_TEXT },
	[TYPE_PREFIX] = { "list of paths, or false", "", read_prefix, NULL, "",
			  STORE_TEXT },
	[TYPE_NETWORK] = { "list of networks",
			   "is not a network; write host, link-local, private or a CIDR "
			   "like 10.0.0.0/8",
			   read_network, NULL, "", STORE_TEXT },
	[TYPE_TREE] = { "list of trees", "", read_tree, NULL, "", STORE_TEXT },
};

const char *value_type_name(enum value_type type)
{
	return type_table[type].name;
}

enum value_store value_type_store(enum value_type type)
{
	return type_table[type].store;
}

bool value_type_has_range(enum value_type type)
{
	return type_table[type].print != NULL;
}

void value_type_print_range(const struct value_spec *spec, char *ret, size_t size)
{
	const char *unit = type_table[spec->type].unit;
	char min[32], max[32];

	type_table[spec->type].print(spec->min, min, sizeof(min));
	type_table[spec->type].print(spec->max, max, sizeof(max));
	if (spec->min == spec->max)
		snprintf(ret, size, "%s%s", min, unit);
	else if (spec->max == VALUE_MAX)
		snprintf(ret, size, "%s%s or more", min, unit);
	else
		snprintf(ret, size, "%s to %s%s", min, max, unit);
}

static int refuse_range(const struct value_spec *spec, bool overflow,
			struct value_why *why)
{
	char range[80];

	if (overflow && spec->max == VALUE_MAX) {
		type_table[spec->type].print(spec->max, range, sizeof(range));
		return value_type_refuse(why, "is too large; write %s at most", range);
	}
	value_type_print_range(spec, range, sizeof(range));
	if (spec->min == spec->max)
		return value_type_refuse(why, "is not known here; write %s", range);
	return value_type_refuse(why, "is out of range; write %s", range);
}

/* UNSET passes too: it stands for `unlimited`, which is beyond each range. */
static bool in_range(const struct value_spec *spec, uint64_t number)
{
	return number == UNSET || (number >= spec->min && number <= spec->max);
}

int value_type_read(const struct value_spec *spec, const char *text, bool quoted,
		    uint64_t *ret_number, struct value_why *why)
{
	struct reading reading = { .spec = spec, .text = text, .why = why };
	enum value_store store = value_type_store(spec->type);
	int r;

	if (quoted && store != STORE_TEXT && store != STORE_WORD)
		return value_type_refuse(
			why, "is quoted, which makes it text; write it without quotes");
	why->text[0] = '\0';
	r = type_table[spec->type].read(&reading);
	if (r == -EINVAL && !why->text[0])
		return value_type_refuse(why, "%s", type_table[spec->type].want);
	if (r == -EINVAL)
		return r;
	if (value_type_has_range(spec->type) &&
	    (r < 0 || !in_range(spec, reading.number)))
		return refuse_range(spec, r < 0, why);
	*ret_number = reading.number;
	return 0;
}
