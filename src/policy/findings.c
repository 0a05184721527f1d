/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is wrong with a policy, collected; and text of the file as a message shows it. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/state.h"
#include "base/utf8.h"

static int compare_line(const void *line, const void *finding)
{
	unsigned a = *(const unsigned *)line;
	unsigned b = ((const struct finding *)finding)->where.line;

	return (a > b) - (a < b);
}

/* Room for one more.  It doubles at each power of two, so no capacity is kept. */
static bool findings_grow(struct findings *findings)
{
	size_t n = findings->count;
	struct finding *items;

	if ((n & (n - 1)) != 0)
		return true;
	items = reallocarray(findings->items, n ? 2 * n : 1, sizeof(*items));
	if (!items)
		return false;
	findings->items = items;
	return true;
}

static void findings_add(struct policy_sink *sink, struct location where,
			 const char *format, va_list args)
{
	struct findings *findings = sink->findings;
	char *text;

	if (sink->n_screened > 0 &&
	    bsearch(&where.line, findings->items, sink->n_screened,
		    sizeof(*findings->items), compare_line))
		return;
	if (!findings_grow(findings) || vasprintf(&text, format, args) < 0) {
		sink->exhausted = true;
		return;
	}
	findings->items[findings->count++] = (struct finding){ .where = where,
							       .text = text };
}

void policy_sink_find(struct policy_sink *sink, struct location where, const char *format,
		      ...)
{
	va_list args;

	va_start(args, format);
	findings_add(sink, where, format, args);
	va_end(args);
}

void policy_sink_syntax(struct policy_sink *sink, struct location where,
			const char *format, ...)
{
	va_list args;

	sink->broken = true;
	va_start(args, format);
	findings_add(sink, where, format, args);
	va_end(args);
}

void policy_sink_exhausted(struct policy_sink *sink)
{
	sink->exhausted = true;
}

void policy_sink_empty(struct policy_sink *sink, struct location where, const char *how)
{
	policy_sink_syntax(sink, where, "no policy in this file; write %s", how);
}

static int compare_findings(const void *left, const void *right)
{
	const struct finding *a = left, *b = right;

	if (a->where.line != b->where.line)
		return a->where.line < b->where.line ? -1 : 1;
	if (a->where.column != b->where.column)
		return a->where.column < b->where.column ? -1 : 1;
	return strcmp(a->text, b->text);
}

void policy_findings_sort(struct findings *findings)
{
	qsort(findings->items, findings->count, sizeof(*findings->items),
	      compare_findings);
}

void findings_free(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		free(findings->items[i].text);
	free(findings->items);
	free(findings->source);
	*findings = (struct findings){ 0 };
}

struct policy_shown policy_show(const char *text)
{
	struct policy_shown shown;
	size_t n = 0, length = strlen(text), step;

	while (n < length && n < 60) {
		step = utf8_character(text + n, length - n);
		n += step ? step : 1;
	}
	snprintf(shown.text, sizeof(shown.text), "\"%.*s%s\"", (int)n, text,
		 n < length ? "..." : "");
	return shown;
}
