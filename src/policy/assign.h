/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Assign the values from a front end to their keys. */
#ifndef DRUPE_POLICY_ASSIGN_H
#define DRUPE_POLICY_ASSIGN_H

#include "policy/sink.h"

void policy_assign_value(struct policy_sink *sink, const struct policy_entry *entry,
			 const struct policy_scalar *value);
/* One element of a list. */
void policy_assign_element(struct policy_sink *sink, const struct policy_entry *entry,
			   const struct policy_scalar *value);
void policy_assign_corpus(struct policy_sink *sink, const struct policy_entry *entry,
			  const struct policy_scalar *access,
			  const struct policy_scalar *path);
/* INI: one of the lines that make a list; `none` is the empty list. */
void policy_assign_line(struct policy_sink *sink, const struct policy_entry *entry,
			const struct policy_scalar *value);

#endif
