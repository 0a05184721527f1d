/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a front end tells the validator, and nothing else passes between them.
 *
 * The document is a tree of sections.  A front end names the section, then sets
 * its keys; it reports the syntax errors of its own format as findings.
 */
#ifndef DRUPE_POLICY_SINK_H
#define DRUPE_POLICY_SINK_H

#include "policy.h"

struct policy_sink; /* a policy being filled, and its findings; policy.c */

int policy_yaml_parse(struct policy_sink *sink, const char *text, size_t length);
int policy_ini_parse(struct policy_sink *sink, const char *text, size_t length);

#endif
