/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * INI, parsed with inih.  That accepts more than a policy may contain, and cuts lines
 * at 200 bytes, names at 50 and values at the first " ;".  So the reader that feeds it
 * checks each whole line first, reports what a policy does not allow, and hands inih a
 * short form of the rest; the handler takes the real text from the reader.  A line that
 * the reader accepted and inih did not deliver is an error.
 */
#include "policy/ini.h"

#include <errno.h>
#include <string.h>

#include <ini.h>

#include "base/fd.h"
#include "base/nearest.h"
#include "base/words.h"
#include "policy/assign.h"
#include "policy/place.h"
#include "policy/suggest.h"

/* Length of a name in the short form; inih allows 49, and 199 for the line. */
#define SHORT_NAME 40

struct span {
	const char *start;
	size_t length;
};

struct ini {
	struct policy_sink *sink;
	const char *next, *end; /* what is still unread */
	unsigned line;
	const char *line_start;
	struct span name, value; /* of the last line handed over */
	bool pending;		 /* it is a key, and inih has not delivered it */
	bool any;		 /* there was a section or a key */
	bool in_section;
	bool skip; /* the current section was refused */
	struct policy_place place;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct location at(const struct ini *ini, const char *p)
{
	return (struct location){ ini->line, (unsigned)(p - ini->line_start) + 1 };
}

static struct span trim(struct span span)
{
	while (span.length > 0 && is_blank(span.start[0])) {
		span.start++;
		span.length--;
	}
	while (span.length > 0 && is_blank(span.start[span.length - 1]))
		span.length--;
	return span;
}

static const char *find(struct span span, const char *bytes)
{
	for (size_t i = 0; i < span.length; i++)
		if (strchr(bytes, span.start[i]))
			return span.start + i;
	return NULL;
}

/* The next line, without its end. */
static bool take_line(struct ini *ini, struct span *ret)
{
	size_t left = (size_t)(ini->end - ini->next);
	const char *newline;

	if (left == 0)
		return false;
	newline = memchr(ini->next, '\n', left);
	ini->line++;
	ini->line_start = ini->next;
	ret->start = ini->next;
	ret->length = newline ? (size_t)(newline - ini->next) : left;
	ini->next += newline ? ret->length + 1 : left;
	/* Other carriage returns were refused before. */
	if (ret->length > 0 && ret->start[ret->length - 1] == '\r')
		ret->length--;
	return true;
}

/* Find a section by up to three words, NULL for those that are missing. */
static const struct policy_section_info *find_section(const char *first,
						      const char *second,
						      const char *third)
{
	for (size_t i = 0; i < N_SECTIONS; i++) {
		const struct policy_section_info *info = &policy_sections[i];

		if (info->first && strcmp(info->first, first) == 0 &&
		    !info->names == !second && !info->third == !third &&
		    (!third || strcmp(info->third, third) == 0))
			return info;
	}
	return NULL;
}

/* The words that may begin a heading or, if FIRST is given, may end one that begins
 * with it. */
static void next_words(const char *first, const char *ret[static N_SECTIONS + 1])
{
	size_t n = 0;

	for (size_t i = 0; i < N_SECTIONS; i++) {
		const struct policy_section_info *info = &policy_sections[i];

		if (!first && info->first && !info->third)
			ret[n++] = info->first;
		if (first && info->third && strcmp(info->first, first) == 0)
			ret[n++] = info->third;
	}
	ret[n] = NULL;
}

static void unknown_part(struct ini *ini, const char *const *words, const char *part,
			 const char *start)
{
	const char *nearest = nearest_name(part, words);

	if (nearest)
		policy_sink_find(ini->sink, at(ini, start),
				 "unknown section of a profile; did you mean %s?",
				 nearest);
	else
		policy_sink_find(ini->sink, at(ini, start),
				 "unknown section of a profile; write [profile NAME] and "
				 "then limits, cgroup or env");
}

/* WORD may begin a heading, but this one is wrong. */
static void wrong_heading(struct ini *ini, const char *word, const char *start)
{
	const char *shorter = NULL, *longer = NULL;

	for (size_t i = N_SECTIONS; i-- > 0;) {
		const struct policy_section_info *info = &policy_sections[i];

		if (info->first && strcmp(info->first, word) == 0)
			*(info->third ? &longer : &shorter) = info->heading;
	}
	policy_sink_find(ini->sink, at(ini, start), "no such section; write %s%s%s",
			 shorter, longer ? " or " : "", longer ? longer : "");
}

static void unknown_section(struct ini *ini, const char *word, const char *start)
{
	const char *words[N_SECTIONS + 1];
	const char *nearest;
	unsigned place;

	next_words(NULL, words);
	nearest = nearest_name(word, words);
	if (words_find(words, word, &place))
		wrong_heading(ini, word, start);
	else if (suggest_is_order(word))
		policy_sink_find(ini->sink, at(ini, start), "%s", suggest_order_rule);
	else if (nearest)
		policy_sink_find(ini->sink, at(ini, start),
				 "unknown section; did you mean %s?", nearest);
	else
		policy_sink_find(ini->sink, at(ini, start),
				 "unknown section; write [policy], [backends], "
				 "[options BACKEND] or [profile NAME]");
}

/* Split a section's name at single blanks.  Returns the number of words, 0 if
 * malformed. */
static size_t split_words(struct span name, struct span words[3])
{
	size_t n = 0;

	while (n < 3) {
		const char *blank = find(name, " ");
		size_t length = blank ? (size_t)(blank - name.start) : name.length;

		if (length == 0)
			return 0;
		words[n++] = (struct span){ name.start, length };
		if (!blank)
			return n;
		name.start += length + 1;
		name.length -= length + 1;
	}
	return 0;
}

/* Copy up to three words: other code wants names that end in a NUL. */
static bool open_words(struct ini *ini, struct span words[3], size_t n)
{
	_cleanup_free_ char *first = strndup(words[0].start, words[0].length);
	_cleanup_free_ char *second = n > 1 ? strndup(words[1].start, words[1].length)
					    : NULL;
	_cleanup_free_ char *third = n > 2 ? strndup(words[2].start, words[2].length)
					   : NULL;
	const char *parts[N_SECTIONS + 1];
	const struct policy_section_info *info;

	if (!first || (n > 1 && !second) || (n > 2 && !third)) {
		policy_sink_exhausted(ini->sink);
		return false;
	}
	info = find_section(first, second, third);
	if (!info) {
		next_words(first, parts);
		if (third && parts[0])
			unknown_part(ini, parts, third, words[2].start);
		else
			unknown_section(ini, first, words[0].start);
		return false;
	}
	ini->place = (struct policy_place){ (enum policy_section)(info - policy_sections),
					    0 };
	return !info->names ||
	       policy_place_named(ini->sink, info->names, second, at(ini, words[1].start),
				  &ini->place.index);
}

static bool open_section(struct ini *ini, struct span name)
{
	_cleanup_free_ char *shown = NULL;
	struct span words[3];
	size_t n;

	if (name.length == 0) {
		policy_sink_syntax(ini->sink, at(ini, name.start),
				   "a section without a name; write [policy]");
		return false;
	}
	if (is_blank(name.start[0]) || is_blank(name.start[name.length - 1])) {
		policy_sink_syntax(ini->sink, at(ini, name.start),
				   "blanks inside the brackets; write [policy]");
		return false;
	}
	n = split_words(name, words);
	if (n == 0) {
		policy_sink_syntax(
			ini->sink, at(ini, name.start),
			"not the name of a section; write up to three words with "
			"one blank between");
		return false;
	}
	if (!open_words(ini, words, n))
		return false;
	shown = strndup(name.start - 1, name.length + 2);
	if (!shown) {
		policy_sink_exhausted(ini->sink);
		return false;
	}
	policy_place_open(ini->sink, ini->place, shown, at(ini, name.start));
	return true;
}

static void take_section(struct ini *ini, struct span line)
{
	const char *close = find(line, "]");
	struct span name, rest;

	ini->any = true;
	ini->in_section = true;
	ini->skip = true;
	if (!close) {
		policy_sink_syntax(ini->sink, at(ini, line.start + line.length),
				   "the section is not closed; write ] at its end");
		return;
	}
	rest = trim((struct span){ close + 1,
				   line.length - (size_t)(close + 1 - line.start) });
	if (rest.length > 0)
		policy_sink_syntax(
			ini->sink, at(ini, rest.start),
			"nothing may follow a section's ]; put it on a line of its own");
	name.start = line.start + 1;
	name.length = (size_t)(close - name.start);
	ini->skip = !open_section(ini, name);
}

static bool check_name(struct ini *ini, struct span name)
{
	const char *blank = find(name, " \t");

	if (name.length == 0)
		policy_sink_syntax(ini->sink, at(ini, name.start),
				   "no name before the =; write NAME = VALUE");
	else if (blank)
		policy_sink_syntax(ini->sink, at(ini, blank),
				   "a blank in a name; write NAME = VALUE");
	return name.length > 0 && !blank;
}

/* Values are literal; refuse those that other INI dialects would read differently. */
static bool check_value(struct ini *ini, struct span value, const char *equals)
{
	const char *end = value.start + value.length;

	if (value.length > 0 && (value.start[0] == '"' || value.start[0] == '\'')) {
		policy_sink_syntax(
			ini->sink, at(ini, value.start),
			"quotes are not stripped; write the value without them");
		return false;
	}
	for (const char *p = equals + 1; p + 1 < end; p++) {
		if (!is_blank(p[0]) || (p[1] != ';' && p[1] != '#'))
			continue;
		policy_sink_syntax(
			ini->sink, at(ini, p + 1),
			"a comment after a value; put it on a line of its own (a "
			"value that contains a blank and %c can be written in YAML)",
			p[1]);
		return false;
	}
	return true;
}

/* Whether LINE is NAME = VALUE; if so, sets ini->name and ini->value. */
static bool take_key(struct ini *ini, struct span line)
{
	const char *separator = find(line, "=:");
	const char *end = line.start + line.length;

	ini->any = true;
	if (!separator) {
		policy_sink_syntax(ini->sink, at(ini, line.start),
				   "neither a comment, a [section] nor NAME = VALUE");
		return false;
	}
	if (*separator == ':') {
		policy_sink_syntax(ini->sink, at(ini, separator),
				   "a colon; write NAME = VALUE");
		return false;
	}
	ini->name = trim((struct span){ line.start, (size_t)(separator - line.start) });
	ini->value = trim((struct span){ separator + 1, (size_t)(end - separator - 1) });
	if (!check_name(ini, ini->name) || !check_value(ini, ini->value, separator))
		return false;
	if (!ini->in_section)
		policy_sink_syntax(ini->sink, at(ini, line.start),
				   "a key before any section; write [policy] above it");
	return ini->in_section && !ini->skip;
}

static bool copy_span(struct ini *ini, struct span span, char **ret_text,
		      struct policy_scalar *ret)
{
	char *text = strndup(span.start, span.length);

	if (!text) {
		policy_sink_exhausted(ini->sink);
		return false;
	}
	*ret_text = text;
	*ret = (struct policy_scalar){
		.text = text,
		.length = span.length,
		.where = at(ini, span.start),
	};
	return true;
}

static void deliver_key(struct ini *ini)
{
	_cleanup_free_ char *name_text = NULL;
	_cleanup_free_ char *value_text = NULL;
	struct policy_scalar name, value;
	struct policy_entry entry;

	if (!copy_span(ini, ini->name, &name_text, &name) ||
	    !copy_span(ini, ini->value, &value_text, &value) ||
	    !policy_sink_key(ini->sink, ini->place, &name, SHAPE_VALUE, value.where,
			     &entry))
		return;
	if (entry.key && entry.key->form == KEY_LIST)
		policy_assign_line(ini->sink, &entry, &value);
	else
		policy_assign_value(ini->sink, &entry, &value);
}

static int handle(void *user, const char *section, const char *name, const char *value)
{
	struct ini *ini = user;

	(void)section;
	/* Whether a section without keys is delivered depends on how inih was built. */
	if (!name || !value)
		return 1;
	if (!ini->pending)
		return 0;
	ini->pending = false;
	deliver_key(ini);
	return 1;
}

static void report_undelivered(struct ini *ini)
{
	if (ini->pending)
		policy_sink_syntax(ini->sink, at(ini, ini->name.start),
				   "inih rejects this line; write NAME = VALUE");
	ini->pending = false;
}

/* Check one line, and write its short form. */
static void take_form(struct ini *ini, struct span line, char *form, size_t size)
{
	struct span text = trim(line);

	snprintf(form, size, "\n");
	if (text.length == 0 || text.start[0] == ';' || text.start[0] == '#')
		return;
	if (text.start != line.start) {
		policy_sink_syntax(ini->sink, at(ini, text.start),
				   "an indented line; a value cannot be continued, and "
				   "everything else begins in column 1");
		return;
	}
	if (text.start[0] == '[') {
		take_section(ini, text);
		snprintf(form, size, "[%u]\n", ini->line);
		return;
	}
	if (!take_key(ini, text))
		return;
	snprintf(form, size, "%.*s=%u\n",
		 (int)(ini->name.length < SHORT_NAME ? ini->name.length : SHORT_NAME),
		 ini->name.start, ini->line);
	ini->pending = true;
}

/* inih's fgets. */
static char *read_line(char *form, int size, void *stream)
{
	struct ini *ini = stream;
	struct span line;

	report_undelivered(ini);
	if (!take_line(ini, &line))
		return NULL;
	take_form(ini, line, form, (size_t)size);
	return form;
}

int policy_ini_parse(struct policy_sink *sink, const char *text, size_t length)
{
	struct ini ini = { .sink = sink, .next = text, .end = text + length };
	int line = ini_parse_stream(read_line, &ini, handle, &ini);

	if (line == -2)
		return -ENOMEM;
	report_undelivered(&ini);
	if (line != 0)
		policy_sink_syntax(
			sink, (struct location){ line > 0 ? (unsigned)line : 1, 1 },
			"inih finds an error in this line; write NAME = VALUE");
	else if (!ini.any)
		policy_sink_empty(sink, (struct location){ 1, 1 },
				  "[policy] and version = 1");
	return 0;
}
