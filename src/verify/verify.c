/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "verify/verify.h"

#include <errno.h>
#include <string.h>

#include "base/fd.h"
#include "verify/checks.h"

/* THE CHECKS (R4).  The command is let go only if all of them pass. */
static int (*const checks[])(const struct held *, const struct verify_input *,
			     struct error *) = {
	verify_status, verify_namespaces, verify_descriptors,
	verify_mounts, verify_limits,
};

int verify_all(const struct held *held, const struct verify_input *input,
	       struct error *err)
{
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		int r = checks[i](held, input, err);

		if (r < 0)
			return r;
	}
	return 0;
}

/* Shared by the checks. */

int verify_bad_child(struct error *err, int errnum, const char *what)
{
	error_set(err, ERROR_VERIFY_CHILD, errnum, "the launcher's child %s%s%s", what,
		  errnum ? ": " : "", errnum ? strerror(errnum) : "");
	error_hint(err, "a healthy launcher never leaves such a state; see `drupe "
			"preflight`");
	return errnum > 0 ? -errnum : -EBADMSG;
}

int verify_bad_namespace(struct error *err, const char *what)
{
	error_set(err, ERROR_VERIFY_NAMESPACE, 0, "%s", what);
	error_hint(err, "the command was not started; see `drupe preflight`");
	return -EPERM;
}

int verify_bad_privilege(struct error *err, const char *what)
{
	error_set(err, ERROR_VERIFY_PRIVILEGE, 0, "the held process %s", what);
	error_hint(err, "the command was not started; see `drupe preflight`");
	return -EPERM;
}

int verify_read_status(const struct held *held, char *text, size_t size,
		       struct error *err)
{
	ssize_t n = fd_read_file(held->proc, "status", text, size);

	return n < 0 ? verify_bad_child(err, (int)-n, "is gone") : 0;
}

/* The command would be its child. */
bool verify_has_started(const struct held *held)
{
	char path[64], text[64];

	snprintf(path, sizeof(path), "task/%d/children", held->child);
	return fd_read_file(held->proc, path, text, sizeof(text)) > 0;
}
