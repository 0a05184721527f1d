/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/value.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

struct unit {
	const char *suffix;
	uint64_t factor;
};

static const struct unit size_units[] = {
	{ "", 1 },
	{ "K", UINT64_C(1) << 10 },
	{ "M", UINT64_C(1) << 20 },
	{ "G", UINT64_C(1) << 30 },
	{ "T", UINT64_C(1) << 40 },
};

static const struct unit duration_units[] = {
	{ "ms", 1 },
	{ "s", 1000 },
	{ "m", 60 * 1000 },
	{ "h", 60 * 60 * 1000 },
};

static const struct unit count_units[] = { { "", 1 } };
static const struct unit percent_units[] = { { "%", 1 } };

#define N_UNITS(table) (sizeof(table) / sizeof((table)[0]))

/* Independent of the locale, which isdigit(3) need not be. */
static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * Take the digits at the start of *TEXT.  No leading zeros, which some readers take for
 * octal.
 */
static int take_number(const char **text, uint64_t *ret, bool *ret_overflow)
{
	const char *p = *text;
	uint64_t value = 0;
	bool overflow = false;

	if (!digit(p[0]) || (p[0] == '0' && digit(p[1])))
		return -EINVAL;
	for (; digit(*p); p++)
		if (__builtin_mul_overflow(value, UINT64_C(10), &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
			overflow = true;
	*text = p;
	*ret = value;
	*ret_overflow = overflow;
	return 0;
}

/* The digits after a decimal point, as NUMBER / SCALE, in lowest powers of ten. */
static int take_fraction(const char **text, uint64_t *ret_number, uint64_t *ret_scale)
{
	const char *p = *text, *end;
	uint64_t number = 0, scale = 1;

	if (!digit(*p))
		return -EINVAL;
	for (end = p; digit(*end); end++)
		;
	*text = end;
	while (end > p && end[-1] == '0')
		end--;
	/* An hour is 3.6e6 ms: with more than nine digits no fraction of it is whole. */
	if (end - p > 9)
		return -EINVAL;
	for (; p < end; p++) {
		number = number * 10 + (uint64_t)(*p - '0');
		scale *= 10;
	}
	*ret_number = number;
	*ret_scale = scale;
	return 0;
}

static int take_units(const char *text, const struct unit *units, size_t n_units,
		      bool fractions, uint64_t *ret)
{
	uint64_t value, fraction = 0, scale = 1;
	const struct unit *unit = NULL;
	bool overflow;
	int r;

	r = take_number(&text, &value, &overflow);
	if (r < 0)
		return r;
	if (fractions && *text == '.') {
		text++;
		r = take_fraction(&text, &fraction, &scale);
		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < n_units && !unit; i++)
		if (strcmp(text, units[i].suffix) == 0)
			unit = &units[i];
	if (!unit || fraction * unit->factor % scale != 0)
		return -EINVAL;
	if (overflow || __builtin_mul_overflow(value, unit->factor, &value) ||
	    __builtin_add_overflow(value, fraction * unit->factor / scale, &value) ||
	    value > VALUE_MAX)
		return -ERANGE;
	*ret = value;
	return 0;
}

int value_bool(const char *text, bool *ret)
{
	bool is_true = strcmp(text, "true") == 0;

	if (!is_true && strcmp(text, "false") != 0)
		return -EINVAL;
	*ret = is_true;
	return 0;
}

int value_count(const char *text, uint64_t *ret)
{
	return take_units(text, count_units, N_UNITS(count_units), false, ret);
}

int value_size(const char *text, uint64_t *ret)
{
	return take_units(text, size_units, N_UNITS(size_units), false, ret);
}

int value_duration(const char *text, uint64_t *ret_ms)
{
	return take_units(text, duration_units, N_UNITS(duration_units), true, ret_ms);
}

int value_percent(const char *text, uint64_t *ret)
{
	return take_units(text, percent_units, N_UNITS(percent_units), false, ret);
}

bool value_name(const char *text)
{
	size_t length = strlen(text);

	return length >= 1 && length <= 32 && text[0] >= 'a' && text[0] <= 'z' &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

const char *value_path_fault(const char *text)
{
	if (!text[0])
		return "is empty; write a path from / on";
	if (text[0] == '~' || text[0] == '$')
		return "is not expanded; write the whole path from / on";
	if (text[0] != '/')
		return "is relative; write the whole path from / on";
	if (!text[1])
		return NULL;
	for (const char *p = text; *p;) {
		size_t n = strcspn(++p, "/");

		if (n == 0)
			return p[0] ? "has a doubled slash; write one"
				    : "ends in a slash; leave it off";
		if ((n == 1 && p[0] == '.') || (n == 2 && p[0] == '.' && p[1] == '.'))
			return "has a . or .. component; write the path without";
		p += n;
	}
	return NULL;
}

bool value_path(const char *text)
{
	return !value_path_fault(text);
}

/* Clear the bits beyond the first PREFIX; returns whether any was set. */
static bool clear_host_bits(unsigned char *address, size_t length, uint64_t prefix)
{
	bool set = false;

	for (size_t i = 0; i < length; i++) {
		uint64_t before = i * 8;
		unsigned keep = prefix <= before       ? 0
				: prefix - before >= 8 ? 8
						       : (unsigned)(prefix - before);
		unsigned char mask = (unsigned char)(0xff00U >> keep);

		set |= (address[i] & ~mask) != 0;
		address[i] &= mask;
	}
	return set;
}

int value_cidr(const char *text, char ret_network[VALUE_CIDR_LENGTH])
{
	const char *slash = strchr(text, '/');
	char host[INET6_ADDRSTRLEN];
	unsigned char address[sizeof(struct in6_addr)];
	int family = strchr(text, ':') ? AF_INET6 : AF_INET;
	size_t length = family == AF_INET6 ? 16 : 4;
	uint64_t prefix;

	if (!slash || (size_t)(slash - text) >= sizeof(host))
		return -EINVAL;
	memcpy(host, text, (size_t)(slash - text));
	host[slash - text] = '\0';
	if (value_count(slash + 1, &prefix) < 0 || prefix > length * 8 ||
	    inet_pton(family, host, address) != 1)
		return -EINVAL;
	if (!clear_host_bits(address, length, prefix))
		return 0;
	inet_ntop(family, address, host, sizeof(host));
	snprintf(ret_network, VALUE_CIDR_LENGTH, "%s/%u", host, (unsigned)prefix);
	return -ERANGE;
}
