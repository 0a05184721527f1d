/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The public interface: what a result says. */
#include <stdint.h>

#include "base/json.h"
#include "base/words.h"
#include "lib/private.h"

enum drupe_status drupe_result_status(const drupe_result *result)
{
	switch (result->result.status) {
	case RUN_REFUSED:
		break;
	case RUN_EXITED:
		return DRUPE_EXITED;
	case RUN_SIGNALED:
		return DRUPE_SIGNALED;
	case RUN_TIMED_OUT:
		return DRUPE_TIMED_OUT;
	case RUN_CANCELLED:
		return DRUPE_CANCELLED;
	case RUN_OUT_OF_MEMORY:
		return DRUPE_OUT_OF_MEMORY;
	}
	return DRUPE_REFUSED;
}

int drupe_result_exit_code(const drupe_result *result)
{
	return result->result.exit_code;
}

int drupe_result_signal(const drupe_result *result)
{
	return result->result.signal;
}

/* A drupe_error is its struct error. */
const drupe_error *drupe_result_refusal(const drupe_result *result)
{
	if (result->result.status != RUN_REFUSED)
		return NULL;
	return (const drupe_error *)(const void *)&result->result.refusal;
}

int drupe_result_exit_status(const drupe_result *result)
{
	return result_exit_status(&result->result);
}

static const struct captured *stream_of(const drupe_result *result,
					enum drupe_stream stream)
{
	return &result->result.streams[stream == DRUPE_STDERR];
}

const char *drupe_result_text(const drupe_result *result, enum drupe_stream stream,
			      size_t *ret_length)
{
	const struct captured *captured = stream_of(result, stream);

	if (ret_length)
		*ret_length = captured->length;
	if (!result->result.has_text)
		return NULL;
	return captured->text ? captured->text : "";
}

int drupe_result_is_utf8(const drupe_result *result, enum drupe_stream stream)
{
	return stream_of(result, stream)->utf8;
}

uint64_t drupe_result_bytes(const drupe_result *result, enum drupe_stream stream)
{
	return stream_of(result, stream)->bytes;
}

uint64_t drupe_result_omitted_bytes(const drupe_result *result, enum drupe_stream stream)
{
	return stream_of(result, stream)->omitted;
}

double drupe_result_wall_seconds(const drupe_result *result)
{
	return result->result.wall_seconds;
}

double drupe_result_user_seconds(const drupe_result *result)
{
	return result->result.usage.user_seconds;
}

double drupe_result_system_seconds(const drupe_result *result)
{
	return result->result.usage.system_seconds;
}

uint64_t drupe_result_memory_peak_bytes(const drupe_result *result)
{
	return result->result.usage.memory_peak;
}

uint64_t drupe_result_pids_peak(const drupe_result *result)
{
	return result->result.usage.pids_peak;
}

uint64_t drupe_result_oom_kills(const drupe_result *result)
{
	return result->result.usage.oom_kills;
}

const char *drupe_result_network(const drupe_result *result)
{
	return result->result.network ? result->result.network : "none";
}

int drupe_result_network_failed(const drupe_result *result)
{
	return result->result.network_failed;
}

const char *drupe_result_scope(const drupe_result *result)
{
	return result->result.scope[0] ? result->result.scope : NULL;
}

int drupe_result_output_errno(const drupe_result *result)
{
	return result->result.sink_errno;
}

char *drupe_result_json(const drupe_result *result)
{
	json_t *json = result_json(&result->result, result->policy->policy,
				   result->profile, result->command);
	char *text = json_line(json);

	json_decref(json);
	return text;
}

void drupe_result_free(drupe_result *result)
{
	if (!result)
		return;
	result_free(&result->result);
	drupe_policy_free(result->policy);
	words_free(result->command);
	free(result);
}
