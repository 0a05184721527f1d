/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The user that runs the command (R14). */
#ifndef DRUPE_IDENTITY_H
#define DRUPE_IDENTITY_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct identity {
	uid_t uid;
	gid_t gid;
	gid_t *groups; /* supplementary, set when `drop` */
	size_t n_groups;
	bool drop;  /* the caller is root: switch to these before any exec */
	char *name; /* from the user database, or the number */
	char *home; /* from the user database, or NULL */
};

/*
 * The caller, or, when that is root, an unprivileged user: the one ASKED for, else the
 * POLICY's (names or numbers; both NULL: user-required).  A caller that is not root may
 * ask only for itself, and the policy's user is ignored.
 */
int identity_resolve(const char *asked, const char *policy, struct identity *ret_identity,
		     struct error *err);
void identity_free(struct identity *identity);

/* Whether /etc/passwd itself has a line for the uid. */
bool identity_in_passwd_file(uid_t uid);

#endif
