/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <stdlib.h>

#include "base/base64.h"
#include "base/json.h"
#include "run/result.h"

static const char *const status_names[] = {
	[RUN_REFUSED] = "refused",     [RUN_EXITED] = "exited",
	[RUN_SIGNALED] = "signaled",   [RUN_TIMED_OUT] = "timed_out",
	[RUN_CANCELLED] = "cancelled", [RUN_OUT_OF_MEMORY] = "out_of_memory",
};

static json_t *number_or_null(uint64_t value)
{
	return value == UINT64_MAX ? json_null() : json_integer((json_int_t)value);
}

static json_t *seconds_or_null(double value)
{
	return isnan(value) ? json_null() : json_real(value);
}

static json_t *stream_json(const struct captured *stream, bool has_text)
{
	json_t *json = json_object();

	if (!has_text) {
		json_object_set_new(json, "text", json_null());
		json_object_set_new(json, "encoding", json_null());
	} else if (stream->utf8 || stream->length == 0) {
		json_object_set_new(
			json, "text",
			json_stringn(stream->text ? stream->text : "", stream->length));
		json_object_set_new(json, "encoding", json_string("utf-8"));
	} else {
		char *text = base64_encode(stream->text, stream->length);

		json_object_set_new(json, "base64", json_string(text ? text : ""));
		json_object_set_new(json, "encoding", json_string("base64"));
		free(text);
	}
	json_object_set_new(json, "bytes", json_integer((json_int_t)stream->bytes));
	json_object_set_new(json, "omitted_bytes",
			    json_integer((json_int_t)stream->omitted));
	json_object_set_new(json, "truncated", json_boolean(stream->omitted > 0));
	return json;
}

static json_t *usage_json(const struct usage *usage)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "user_seconds",
			 seconds_or_null(usage->user_seconds), "system_seconds",
			 seconds_or_null(usage->system_seconds), "memory_peak_bytes",
			 number_or_null(usage->memory_peak), "pids_peak",
			 number_or_null(usage->pids_peak), "oom_kills",
			 number_or_null(usage->oom_kills));
}

static json_t *command_json(char *const *command)
{
	json_t *json = json_array();

	for (; command && *command; command++)
		json_array_append_new(json, json_text(*command));
	return json;
}

static json_t *policy_json(const struct policy *policy)
{
	if (!policy)
		return json_null();
	return json_pack("{s:o, s:s}", "source", json_text(policy->source), "sha256",
			 policy->sha256);
}

json_t *result_json(const struct result *result, const struct policy *policy,
		    const char *profile, char *const *command)
{
	bool refused = result->status == RUN_REFUSED;
	json_t *json = json_object();

	json_object_set_new(json, "drupe", json_string(PACKAGE_VERSION));
	json_object_set_new(json, "status", json_string(status_names[result->status]));
	json_object_set_new(json, "exit_code",
			    result->exit_code < 0 ? json_null()
						  : json_integer(result->exit_code));
	json_object_set_new(json, "signal",
			    result->signal ? json_integer(result->signal) : json_null());
	json_object_set_new(json, "refusal",
			    refused ? refusal_json(&result->refusal) : json_null());
	json_object_set_new(json, "stdout",
			    stream_json(&result->streams[0], result->has_text));
	json_object_set_new(json, "stderr",
			    stream_json(&result->streams[1], result->has_text));
	json_object_set_new(json, "wall_seconds", json_real(result->wall_seconds));
	json_object_set_new(json, "usage", usage_json(&result->usage));
	json_object_set_new(json, "network",
			    json_text(result->network ? result->network : "none"));
	json_object_set_new(json, "network_failed", json_boolean(result->network_failed));
	json_object_set_new(json, "scope", json_text_or_null(result->scope));
	json_object_set_new(json, "profile", json_text_or_null(profile));
	json_object_set_new(json, "policy", policy_json(policy));
	json_object_set_new(json, "command", command_json(command));
	return json;
}
