/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "policy/findings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "policy/policy.h"

/* Make room for one more.  The array doubles at each power of two, so no capacity is
 * stored. */
static int grow(struct findings *findings)
{
	size_t n = findings->count;
	struct finding *items;

	if ((n & (n - 1)) != 0)
		return 0;
	items = reallocarray(findings->items, n ? 2 * n : 1, sizeof(*items));
	if (!items)
		return -ENOMEM;
	findings->items = items;
	return 0;
}

int findings_vadd(struct findings *findings, struct location where, const char *format,
		  va_list args)
{
	char *text;
	int r = grow(findings);

	if (r < 0)
		return r;
	if (vasprintf(&text, format, args) < 0)
		return -ENOMEM;
	findings->items[findings->count++] = (struct finding){ .where = where,
							       .text = text };
	return 0;
}

int findings_add(struct findings *findings, struct location where, const char *format,
		 ...)
{
	va_list args;
	int r;

	va_start(args, format);
	r = findings_vadd(findings, where, format, args);
	va_end(args);
	return r;
}

static int compare(const void *left, const void *right)
{
	const struct finding *a = left, *b = right;

	if (a->where.line != b->where.line)
		return a->where.line < b->where.line ? -1 : 1;
	if (a->where.column != b->where.column)
		return a->where.column < b->where.column ? -1 : 1;
	return strcmp(a->text, b->text);
}

int findings_report(struct findings *findings, const char *source, enum error_code code,
		    struct error *err)
{
	const struct finding *first = findings->items;
	bool builtin = strcmp(source, POLICY_BUILTIN) == 0;

	qsort(findings->items, findings->count, sizeof(*findings->items), compare);
	if (findings->count == 1)
		return error_set(err, code, EINVAL, "%s:%u:%u: %s", source,
				 first->where.line, first->where.column, first->text);
	return error_set(err, code, EINVAL,
			 "%s:%u:%u: %s (and %zu more: drupe check%s%s shows them)",
			 source, first->where.line, first->where.column, first->text,
			 findings->count - 1, builtin ? "" : " ", builtin ? "" : source);
}

void findings_free(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		free(findings->items[i].text);
	free(findings->items);
	free(findings->source);
	*findings = (struct findings){ 0 };
}

struct quoted findings_quote(const char *text)
{
	struct quoted quoted;
	size_t n = 0, length = strlen(text), step;

	while (n < length && n < 60) {
		step = utf8_character(text + n, length - n);
		n += step ? step : 1;
	}
	snprintf(quoted.text, sizeof(quoted.text), "\"%.*s%s\"", (int)n, text,
		 n < length ? "..." : "");
	return quoted;
}
