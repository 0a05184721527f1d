/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Policies by name, by file and from text: valid as a whole, or not at all. */
#ifndef DRUPE_POLICY_OPEN_H
#define DRUPE_POLICY_OPEN_H

#include "policy/policy.h"

/* Larger policies are refused before they are read. */
#define POLICY_SIZE_MAX (256 * 1024)

/*
 * Parse and validate TEXT.  0 and *ret_policy (free with policy_free), or -errno: ERR
 * has the first finding (code policy-invalid, with FILE:LINE:COL) and the number of
 * others, FINDINGS (never NULL) has them all.
 */
int policy_parse(const char *source, const char *text, size_t length,
		 enum policy_format format, struct policy **ret_policy,
		 struct findings *findings, struct error *err);

/* Open FILE, check owner, mode, parents, type and size on the descriptor that is read,
 * then parse it according to its suffix (.yaml, .yml, .ini; else an error). */
int policy_load(const char *file, struct policy **ret_policy, struct findings *findings,
		struct error *err);

/*
 * Open the argument of -p.  NAME (no slash, no dot): CONFDIR/NAME.yaml or NAME.ini, an
 * error if both exist; anything else is a file.  NULL: the name "default", or the
 * built-in policy if that has neither file.
 */
int policy_open(const char *name_or_file, const char *confdir, struct policy **ret_policy,
		struct findings *findings, struct error *err);

/* The caller's own check of a DRAFT, which may have findings already: adds to FINDINGS.
 * 0 or -errno. */
typedef int policy_look(const struct policy *draft, struct findings *findings,
			const void *data);

/* Find all errors, including LOOK's, in what policy_open would open; FINDINGS names the
 * source. */
int policy_check(const char *name_or_file, const char *confdir, policy_look *look,
		 const void *data, struct findings *findings, struct error *err);

/* The built-in policy's own text: conf/default.yaml. */
extern const char policy_builtin_text[];

#endif
