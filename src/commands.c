/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "commands.h"

#include <errno.h>

#include "confirm.h"

int command_open(const struct options *options, const struct confirmation *confirmation,
		 struct policy **ret_policy, struct session *ret_session,
		 struct error *err)
{
	struct request request = options->request;
	_cleanup_findings_ struct findings findings = { 0 };
	int r = policy_open(options->policy, options->paths.policies, ret_policy,
			    &findings, err);

	if (r < 0)
		return r;
	request.confirmed = confirmation->given;
	r = session_open(*ret_policy, &request, &options->paths, ret_session, err);
	if (r != -EAGAIN || err->code != ERROR_NETWORK_DENIED)
		return r;
	r = confirm_network(request.command, confirmation->cancel, err);
	if (r < 0)
		return r;
	request.confirmed = true;
	return session_open(*ret_policy, &request, &options->paths, ret_session, err);
}

int print_json(json_t *json)
{
	int r = 0;

	if (!json || json_dumpf(json, stdout, JSON_COMPACT) < 0 ||
	    fputc('\n', stdout) < 0 || fflush(stdout) != 0)
		r = -(errno ? errno : EIO);
	json_decref(json);
	return r;
}
