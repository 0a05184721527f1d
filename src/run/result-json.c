/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/json.h"
#include "run/result.h"

static const char *const status_names[] = {
	[RUN_REFUSED] = "refused",     [RUN_EXITED] = "exited",
	[RUN_SIGNALED] = "signaled",   [RUN_TIMED_OUT] = "timed_out",
	[RUN_CANCELLED] = "cancelled", [RUN_OUT_OF_MEMORY] = "out_of_memory",
};

static json_t *stream_json(const struct captured *stream, bool has_text)
{
	bool utf8 = stream->utf8 || stream->length == 0;
	json_t *json = json_object();

	if (has_text)
		json_put_bytes(&json, stream->text ? stream->text : "", stream->length,
			       utf8);
	else
		json_put(&json, "text", json_null());
	json_put(&json, "encoding",
		 has_text ? json_text(utf8 ? "utf-8" : "base64") : json_null());
	json_put(&json, "bytes", json_count(stream->bytes));
	json_put(&json, "omitted_bytes", json_count(stream->omitted));
	json_put(&json, "truncated", json_boolean(stream->omitted > 0));
	return json;
}

static json_t *usage_json(const struct usage *usage)
{
	json_t *json = json_object();

	json_put(&json, "user_seconds", json_seconds(usage->user_seconds));
	json_put(&json, "system_seconds", json_seconds(usage->system_seconds));
	json_put(&json, "memory_peak_bytes", json_count(usage->memory_peak));
	json_put(&json, "pids_peak", json_count(usage->pids_peak));
	json_put(&json, "oom_kills", json_count(usage->oom_kills));
	return json;
}

static json_t *policy_json(const struct policy *policy)
{
	json_t *json;

	if (!policy)
		return json_null();
	json = json_object();
	json_put(&json, "source", json_text(policy->source));
	json_put(&json, "sha256", json_text(policy->sha256));
	return json;
}

json_t *result_json(const struct result *result, const struct policy *policy,
		    const char *profile, char *const *command)
{
	bool refused = result->status == RUN_REFUSED, has_text = result->has_text;
	json_t *json = json_object();

	json_put(&json, "drupe", json_text(PACKAGE_VERSION));
	json_put(&json, "status", json_text(status_names[result->status]));
	json_put(&json, "exit_code",
		 result->exit_code < 0 ? json_null() : json_integer(result->exit_code));
	json_put(&json, "signal",
		 result->signal ? json_integer(result->signal) : json_null());
	json_put(&json, "refusal",
		 refused ? refusal_json(&result->refusal) : json_null());
	json_put(&json, "stdout", stream_json(&result->streams[0], has_text));
	json_put(&json, "stderr", stream_json(&result->streams[1], has_text));
	json_put(&json, "wall_seconds", json_seconds(result->wall_seconds));
	json_put(&json, "usage", usage_json(&result->usage));
	json_put(&json, "network", json_text(result->network ? result->network : "none"));
	json_put(&json, "network_failed", json_boolean(result->network_failed));
	json_put(&json, "scope", json_text_or_null(result->scope));
	json_put(&json, "profile", json_text_or_null(profile));
	json_put(&json, "policy", policy_json(policy));
	json_put(&json, "command", json_words((const char *const *)command));
	return json;
}
