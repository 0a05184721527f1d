/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Paths as text, and opened without following links. */
#ifndef DRUPE_PATH_H
#define DRUPE_PATH_H

#include <stdbool.h>

/* Whether PATH is PREFIX or lies below it; both canonical. */
bool path_is_within(const char *path, const char *prefix);

/* Open the absolute PATH with O_PATH, taking the directory ROOT as /.  -ELOOP if a
 * component is a link, which could lead out of it. */
int path_open_in(int root, const char *path);

#endif
