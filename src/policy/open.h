/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Policies by name, by file and from text: valid as a whole, or not at all. */
#ifndef DRUPE_POLICY_OPEN_H
#define DRUPE_POLICY_OPEN_H

#include "policy/policy.h"

/* Larger policies are refused before they are read. */
#define POLICY_SIZE_MAX (256 * 1024)

/*
 * Parse and validate TEXT.  0 and *ret_policy (free with policy_free), or
 * -errno: ERR says the first finding (code policy-invalid, with FILE:LINE:COL)
 * and how many more there are, FINDINGS (never NULL) has them all.
 */
int policy_parse(const char *source, const char *text, size_t length,
		 enum policy_format format, struct policy **ret_policy,
		 struct findings *findings, struct error *err);

/* Open FILE, check owner, mode, parents, type and size on the descriptor that is
 * read, then policy_parse by its suffix (.yaml, .yml, .ini; else an error). */
int policy_load(const char *file, struct policy **ret_policy, struct findings *findings,
		struct error *err);

/*
 * What -p means.  NAME (no slash, no dot): CONFDIR/NAME.yaml or NAME.ini, it is
 * an error if both exist; anything else is a file.  NULL: the name "default", and the
 * built-in policy where that has neither file.
 */
int policy_open(const char *name_or_file, const char *confdir, struct policy **ret_policy,
		struct findings *findings, struct error *err);

/* What the caller looks for besides, in a DRAFT that may have findings already: it adds
 * its own to FINDINGS.  0 or -errno. */
typedef int policy_look(const struct policy *draft, struct findings *findings,
			const void *data);

/* Find all that is wrong with what policy_open would open, with LOOK's findings among
 * the others; FINDINGS names the source. */
int policy_check(const char *name_or_file, const char *confdir, policy_look *look,
		 const void *data, struct findings *findings, struct error *err);

/* The built-in policy's own text: conf/default.yaml. */
extern const char policy_builtin_text[];

#endif
