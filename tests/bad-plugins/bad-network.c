/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A good network backend, of which each macro of build.sh spoils one thing. */
#include "drupe-backend.h"

#include <errno.h>

#ifndef READY
#define READY DRUPE_READY_FD
#endif
#ifndef STOP
#define STOP DRUPE_STOP_SIGNAL
#endif
#ifndef PROBE
#define PROBE probe
#endif
#ifndef NEEDS
#define NEEDS probe
#endif
#ifndef MESSAGE
#define MESSAGE "it lacks what is needed"
#endif

static const char *const probe[] = { "--help", NULL };

static int some_file(const struct drupe_call *call, size_t i, char *scratch, size_t size,
		     struct drupe_resolver_file *ret_file)
{
	(void)call, (void)i, (void)scratch, (void)size, (void)ret_file;
	return -ENOENT;
}

static void some_words(const struct drupe_call *call, const struct drupe_attach *attach,
		       struct drupe_words *words)
{
	(void)attach;
	call->host->push(words, "/usr/bin/env");
}

static const struct drupe_network_ops ops = {
	.size = sizeof(ops),
	.ready = READY,
	.stop = STOP,
	.probe = PROBE,
	.probe_needs = NEEDS,
	.probe_message = MESSAGE,
	.file = some_file,
	.words = some_words,
};

DRUPE_BACKEND_EXPORT = {
	.size = sizeof(struct drupe_backend),
	.abi = DRUPE_BACKEND_ABI,
	.kind = DRUPE_KIND_NETWORK,
	.name = NAME,
	.version = "1",
	.summary = "spoilt on purpose",
	.tool = "/usr/bin/env",
	.network = &ops,
};
