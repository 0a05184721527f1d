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

	json_t *row = json_object();

	rows->failed |= check->verdict == PREFLIGHT_BAD;
	json_put(&row, "check", json_text(check->name));
	json_put(&row, "result", json_text(preflight_words[check->verdict]));
	json_put(&row, "detail", json_text_or_null(check->detail));
	json_put(&row, "fix", json_text_or_null(check->fix));
	json_push(&rows->list, row);
}

json_t *preflight_json(const char *policy, const struct request *request,
		       const struct paths *paths, const int *cancel, bool *ret_failed)
{
	struct rows rows = { .list = json_array() };
	const struct preflight_sink sink = { add_row, &rows, cancel, NULL };
	json_t *json = json_object();

	preflight_all(policy, request, paths, &sink);
	if (ret_failed)
		*ret_failed = rows.failed;
	json_put(&json, "ok", json_boolean(!rows.failed));
	json_put(&json, "checks", rows.list);
	return json;
}
