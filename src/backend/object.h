/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The one object of a loaded backend.  Nothing in it is trusted: no size, pointer or
 * count.  Only the executor's own copy is kept.
 */
#ifndef DRUPE_OBJECT_H
#define DRUPE_OBJECT_H

#include "base/error.h"

struct backend;

/*
 * Find, check and copy `drupe_backend_v1` of HANDLE into BACKEND->object and the ops of
 * BACKEND->slot.  NAME is from the file's name.  ERR: backend-invalid.
 */
int object_take(void *handle, const char *name, struct backend *backend,
		struct error *err);

#endif
