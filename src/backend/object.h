/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The one object of a loaded backend.  Nothing in it is believed: not its size,
 * not a pointer, not a count.  What stays is the executor's own copy.
 */
#ifndef DRUPE_OBJECT_H
#define DRUPE_OBJECT_H

#include "base/error.h"

struct backend;

/*
 * Find, check and copy `drupe_backend_v1` of HANDLE into BACKEND->object and the
 * ops of BACKEND->slot.  NAME is that of the file.  ERR: backend-invalid.
 */
int object_take(void *handle, const char *name, struct backend *backend,
		struct error *err);

#endif
