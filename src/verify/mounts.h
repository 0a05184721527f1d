/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file system that the held child sees, against the plan. */
#ifndef DRUPE_VERIFY_MOUNTS_H
#define DRUPE_VERIFY_MOUNTS_H

#include "verify/verify.h"

/*
 * Every planned mount is there with its kind and its access, nothing else is
 * writable, what was opened and checked on the host is what is seen inside, and so
 * is the rlimits program.
 */
int verify_mounts(const struct held *held, const struct verify_input *input,
		  struct error *err);

#endif
