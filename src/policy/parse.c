/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the text to the policy, or to all that is wrong with it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <sha2.h>

#include "base/fd.h"
#include "policy/state.h"

static int parse_text(struct policy_sink *sink, const char *text, size_t length)
{
	_cleanup_free_ char *copy = NULL;
	int r = 0;

	if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		length -= 3;
	}
	if (!policy_text_screen(sink, text, length, &copy))
		return 0;
	if (copy) {
		text = copy;
		sink->n_screened = sink->findings->count;
	}
	r = sink->format == POLICY_INI ? policy_ini_parse(sink, text, length)
				       : policy_yaml_parse(sink, text, length);
	if (r == 0 && !sink->exhausted)
		policy_rules_check(sink);
	return r;
}

static int policy_new(const char *source, const char *text, size_t length,
		      struct policy **ret_policy)
{
	struct policy *policy = calloc(1, sizeof(*policy));

	if (!policy)
		return -ENOMEM;
	policy->source = strdup(source);
	SHA256Data((const unsigned char *)text, length, policy->sha256);
	if (!policy->source || policy_keys_default(SECTION_TOP, policy) < 0 ||
	    policy_keys_default(SECTION_BACKENDS, policy) < 0) {
		policy_free(policy);
		return -ENOMEM;
	}
	*ret_policy = policy;
	return 0;
}

static int report_findings(const char *source, struct findings *findings,
			   struct error *err)
{
	const struct finding *first = findings->items;
	bool builtin = strcmp(source, POLICY_BUILTIN) == 0;

	policy_findings_sort(findings);
	if (findings->count == 1)
		return error_set(err, ERROR_POLICY_INVALID, EINVAL, "%s:%u:%u: %s",
				 source, first->where.line, first->where.column,
				 first->text);
	return error_set(err, ERROR_POLICY_INVALID, EINVAL,
			 "%s:%u:%u: %s (and %zu more: drupe check%s%s shows them)",
			 source, first->where.line, first->where.column, first->text,
			 findings->count - 1, builtin ? "" : " ", builtin ? "" : source);
}

static void sink_free(struct policy_sink *sink)
{
	for (size_t i = 0; i < sink->n_options; i++)
		free(sink->options[i].backend);
	free(sink->options);
	free(sink->profiles);
}

int policy_parse(const char *source, const char *text, size_t length,
		 enum policy_format format, struct policy **ret_policy,
		 struct findings *findings, struct error *err)
{
	_cleanup_policy_ struct policy *policy = NULL;
	struct policy_sink sink = { .findings = findings, .format = format };
	int r;

	r = policy_new(source, text, length, &policy);
	if (r == 0) {
		sink.policy = policy;
		r = parse_text(&sink, text, length);
	}
	if (sink.exhausted)
		r = -ENOMEM;
	sink_free(&sink);
	if (r == 0 && !findings->source)
		r = (findings->source = strdup(source)) ? 0 : -ENOMEM;
	if (r < 0)
		return error_set(err, ERROR_SYSTEM, -r, "%s: %s", source, strerror(-r));
	if (findings->count > 0)
		return report_findings(source, findings, err);
	*ret_policy = policy;
	policy = NULL;
	return 0;
}
