/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bytes that no policy may contain, whatever its format. */
#ifndef DRUPE_POLICY_TEXT_H
#define DRUPE_POLICY_TEXT_H

#include "policy/sink.h"

/*
 * Report the first bad character of each line.  *RET_COPY is then a copy of the text
 * without them, so that a front end finds the other errors.  False: there is no point
 * in parsing it.
 */
bool policy_text_screen(struct policy_sink *sink, const char *text, size_t length,
			char **ret_copy);

#endif
