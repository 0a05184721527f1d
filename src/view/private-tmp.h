/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The private directory that a session's commands see as /tmp. */
#ifndef DRUPE_PRIVATE_TMP_H
#define DRUPE_PRIVATE_TMP_H

#include "base/identity.h"
#include "view/place.h"

struct private_tmp {
	int root;	    /* the folder that contains it */
	char name[40];	    /* drupe-UID-XXXXXX */
	struct place place; /* locked while in use */
};

#define PRIVATE_TMP_NONE           \
	{                          \
		-1, "", PLACE_NONE \
	}

/*
 * Choose a name below ROOT (TMP_FAILED if others could replace its entries: the folder
 * must be root's or the caller's, and sticky when others can write).  Leftovers of
 * killed executors are swept, for a tenth of a second at most: a lock, not their age,
 * tells dead from live.  The first run's guard makes the directory itself, mode 0700, as
 * the user that runs the command; place.fd is -1 until private_tmp_adopt.
 */
int private_tmp_choose(const char *root, const struct identity *identity,
		       struct private_tmp *ret_tmp, struct error *err);

/* Open the directory that the guard made, check it, and lock it. */
int private_tmp_adopt(struct private_tmp *tmp, const struct identity *identity,
		      struct error *err);

/* Remove it and its contents; does nothing if there is none.  -ETIMEDOUT after a minute:
 * the rest is a leftover. */
int private_tmp_remove(struct private_tmp *tmp, struct error *err);

#endif
