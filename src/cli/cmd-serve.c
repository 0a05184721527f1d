/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>

#include "cli/commands.h"
#include "serve/serve.h"

int cmd_serve(const struct options *options)
{
	const struct serve_options serving = {
		.policy = options->policy,
		.request = &options->request,
		.paths = &options->paths,
		.mcp = options->mcp,
	};
	struct error err = { 0 };
	int r;

	if (options->request.workspace && !options->mcp)
		r = error_set(
			&err, ERROR_USAGE, EINVAL,
			"--workspace is for --mcp: each session.open names its own");
	else
		r = serve(&serving, &err);
	if (r < 0)
		error_print(&err);
	return r < 0 ? EXIT_MISUSE : r;
}
