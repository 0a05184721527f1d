/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A launcher whose table of guarantees is spoilt by LAST, the ninth entry. */
#include "drupe-backend.h"

#include <errno.h>
#include <stdlib.h>

#ifndef LAST
#define LAST { DRUPE_DROP_CAPABILITIES, "--cap-drop" },
#endif

static void some_words(const struct drupe_call *call, const struct drupe_launch *launch,
		       struct drupe_words *words)
{
	(void)launch;
#ifdef EXITS
	exit(0);
#endif
	call->host->push(words, "/usr/bin/bwrap");
	call->host->push(words, "--");
}

static int some_info(const struct drupe_call *call, const char *text, size_t length,
		     struct drupe_child *ret_child)
{
	(void)call, (void)text, (void)length, (void)ret_child;
	return -EBADMSG;
}

static int some_status(const struct drupe_call *call, const char *text, size_t length,
		       struct drupe_exit *ret_exit)
{
	(void)call, (void)text, (void)length, (void)ret_exit;
	return -EBADMSG;
}

static const struct drupe_guarantee_word guarantees[] = {
	{ DRUPE_UNSHARE_USER, "--unshare-user" },
	{ DRUPE_UNSHARE_PID, "--unshare-pid" },
	{ DRUPE_UNSHARE_IPC, "--unshare-ipc" },
	{ DRUPE_UNSHARE_UTS, "--unshare-uts" },
	{ DRUPE_UNSHARE_NET, "--unshare-net" },
	{ DRUPE_CLEAR_ENVIRONMENT, "--clearenv" },
	{ DRUPE_DIE_WITH_PARENT, "--die-with-parent" },
	{ DRUPE_NEW_SESSION, "--new-session" },
	LAST
};

static const struct drupe_launcher_ops ops = {
	.size = sizeof(ops),
	.guarantees = guarantees,
	.n_guarantees = sizeof(guarantees) / sizeof(guarantees[0]),
	.guarantee_size = sizeof(guarantees[0]),
	.words = some_words,
	.parse_info = some_info,
	.parse_status = some_status,
};

DRUPE_BACKEND_EXPORT = {
	.size = sizeof(struct drupe_backend),
	.abi = DRUPE_BACKEND_ABI,
	.kind = DRUPE_KIND_LAUNCHER,
	.name = NAME,
	.version = "1",
	.summary = "spoilt on purpose",
	.tool = "/usr/bin/bwrap",
	.launcher = &ops,
};
