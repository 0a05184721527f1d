/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/result.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>

void result_init(struct result *result)
{
	*result = (struct result){
		.status = RUN_REFUSED,
		.exit_code = -1,
		.usage = { NAN, NAN, UINT64_MAX, UINT64_MAX, UINT64_MAX },
	};
}

void result_free(struct result *result)
{
	free(result->streams[0].text);
	free(result->streams[1].text);
	result->streams[0].text = result->streams[1].text = NULL;
}

int result_exit_status(const struct result *result)
{
	switch (result->status) {
	case RUN_REFUSED:
		return EXIT_REFUSED;
	case RUN_TIMED_OUT:
		return EXIT_TIMEOUT;
	case RUN_CANCELLED:
		if (result->sink_errno)
			return EXIT_PIPE;
		return EXIT_SIGNAL + (result->signal ? result->signal : SIGTERM);
	case RUN_SIGNALED:
		return EXIT_SIGNAL + result->signal;
	case RUN_EXITED:
	case RUN_OUT_OF_MEMORY:
		break;
	}
	return result->exit_code >= 0 ? result->exit_code : EXIT_SIGNAL + SIGKILL;
}
