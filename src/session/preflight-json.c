/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/json.h"
#include "session/preflight.h"

struct rows {
	json_t *list;
	bool failed;
};

static void add_row(void *data, const struct preflight_check *check)
{
	struct rows *rows = data;

	rows->failed |= check->verdict == PREFLIGHT_BAD;
	json_array_append_new(
		rows->list,
		json_pack("{s:s, s:s, s:o, s:o}", "check", check->name, "result",
			  preflight_words[check->verdict], "detail",
			  *check->detail ? json_text(check->detail) : json_null(), "fix",
			  *check->fix ? json_text(check->fix) : json_null()));
}

json_t *preflight_json(const char *policy, const struct request *request,
		       const struct paths *paths, const int *cancel, bool *ret_failed)
{
	struct rows rows = { .list = json_array() };
	const struct preflight_sink sink = { add_row, &rows, cancel, NULL };

	preflight_all(policy, request, paths, &sink);
	if (ret_failed)
		*ret_failed = rows.failed;
	return json_pack("{s:b, s:o}", "ok", !rows.failed, "checks", rows.list);
}
