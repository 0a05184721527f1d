/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "guard/tmp.h"

#include <errno.h>
#include <unistd.h>

#include "base/claim.h"

/* Made here and not by the executor: there must never be one without a process that
 * will remove it. */
int guard_tmp_make(const char *path, int place, int *ret_lock)
{
	int r = claim_make(path, 0700, ret_lock);

	if (r == 0 && place >= 0 && dup2(*ret_lock, place) < 0)
		return -errno;
	return r;
}
