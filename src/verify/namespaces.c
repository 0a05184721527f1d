/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every namespace is the child's own, and the one that was reported. */
#include <string.h>

#include "base/fd.h"
#include "verify/checks.h"

static int bad_private(struct error *err, const char *name, const char *what)
{
	char text[128];

	snprintf(text, sizeof(text), "the %s namespace %s", name, what);
	return verify_bad_namespace(err, text);
}

int verify_namespaces(const struct held *held, const struct verify_input *input,
		      struct error *err)
{
	const struct drupe_child *report = input->report;
	const struct {
		const char *name;
		uint64_t reported; /* 0: the launcher does not report it */
	} namespaces[] = {
		{ "net", report->net_ns }, { "pid", report->pid_ns },
		{ "ipc", report->ipc_ns }, { "uts", report->uts_ns },
		{ "mnt", report->mnt_ns }, { "user", 0 },
	};

	for (size_t i = 0; i < sizeof(namespaces) / sizeof(namespaces[0]); i++) {
		const char *name = namespaces[i].name;
		struct stat own, child;
		char path[32];

		snprintf(path, sizeof(path), "/proc/self/ns/%s", name);
		if (stat(path, &own) < 0 ||
		    fstatat(held->proc, path + strlen("/proc/self/"), &child, 0) < 0)
			return bad_private(err, name, "cannot be read");
		if (own.st_ino == child.st_ino && own.st_dev == child.st_dev)
			return bad_private(err, name, "is the executor's own");
		if (namespaces[i].reported && namespaces[i].reported != child.st_ino)
			return bad_private(err, name, "is not the one that was reported");
	}
	return 0;
}
