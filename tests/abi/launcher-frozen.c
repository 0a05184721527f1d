/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A launcher as it was built against the header of version 0.1.  With OPS_SIZE it
 * is one that ends before the last, optional function: the host must read that as
 * NULL and never look beyond the size.
 */
#include "drupe-backend-1.h"

#include <string.h>

#ifndef NAME
#define NAME "frozen"
#endif
#ifndef OPS_SIZE
#define OPS_SIZE sizeof(struct drupe_launcher_ops)
#endif

static void frozen_words(const struct drupe_call *call, const struct drupe_launch *launch,
			 struct drupe_words *words)
{
	call->host->push(words, "/usr/bin/bwrap");
	for (size_t i = 0; i < launch->n_mounts; i++)
		call->host->push(words, drupe_mount_at(launch, i)->dest);
	call->host->push(words, launch->chdir);
	call->host->push(words, launch->sync_fd);
	call->host->push(words, "--");
}

static int frozen_info(const struct drupe_call *call, const char *text, size_t length,
		       struct drupe_child *ret_child)
{
	(void)call;
	ret_child->pid = text[0];
	ret_child->mnt_ns = length;
	return 0;
}

static int frozen_status(const struct drupe_call *call, const char *text, size_t length,
			 struct drupe_exit *ret_exit)
{
	(void)call;
	ret_exit->exited = length > 0;
	ret_exit->status = text[0];
	return 0;
}

static void frozen_diagnose(const struct drupe_call *call, const char *text,
			    struct drupe_diagnosis *ret_diagnosis)
{
	(void)call;
	if (strstr(text, "frozen"))
		ret_diagnosis->code = "launcher-failed";
}

static const struct drupe_guarantee_word guarantees[] = {
	{ DRUPE_UNSHARE_USER, "a" },	  { DRUPE_UNSHARE_PID, "b" },
	{ DRUPE_UNSHARE_IPC, "c" },	  { DRUPE_UNSHARE_UTS, "d" },
	{ DRUPE_UNSHARE_NET, "e" },	  { DRUPE_CLEAR_ENVIRONMENT, "f" },
	{ DRUPE_DIE_WITH_PARENT, "g" },	  { DRUPE_NEW_SESSION, "h" },
	{ DRUPE_DROP_CAPABILITIES, "i" },
};

static const struct drupe_launcher_ops ops = {
	.size = OPS_SIZE,
	.guarantees = guarantees,
	.n_guarantees = sizeof(guarantees) / sizeof(guarantees[0]),
	.guarantee_size = sizeof(guarantees[0]),
	.words = frozen_words,
	.parse_info = frozen_info,
	.parse_status = frozen_status,
	.diagnose = frozen_diagnose,
};

DRUPE_BACKEND_EXPORT = {
	.size = sizeof(struct drupe_backend),
	.abi = DRUPE_BACKEND_ABI,
	.kind = DRUPE_KIND_LAUNCHER,
	.name = NAME,
	.version = "1",
	.summary = "built against the header of 0.1",
	.tool = "/usr/bin/bwrap",
	.launcher = &ops,
};
