/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef DRUPE_POLICY_YAML_H
#define DRUPE_POLICY_YAML_H

#include "policy/sink.h"

/* TEXT is valid UTF-8 with neither control characters nor a byte order mark.
 * 0 or -ENOMEM. */
int policy_yaml_parse(struct policy_sink *sink, const char *text, size_t length);

#endif
