/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a plan needs to know of the host, gathered once for a session so that the plan
 * itself is a pure function: layout, places that the policy and the session name.
 */
#ifndef DRUPE_VIEW_H
#define DRUPE_VIEW_H

#include "base/identity.h"
#include "policy/policy.h"
#include "view/place.h"
#include "view/request.h"

/* One of the top-level names that a merged /usr has as links. */
struct root_entry {
	const char *path; /* "/bin" */
	bool directory;	  /* a real one: bound read-only */
	char link[64];	  /* else the link's text; "": not there */
};
#define N_ROOT_ENTRIES 6

struct shown {
	struct place place;
	char *dest; /* where it appears; NULL: not mounted */
	bool writable;
};

struct view {
	struct root_entry root[N_ROOT_ENTRIES];
	bool alternatives;	/* /etc/alternatives is there */
	bool toolchains;	/* /opt/toolchains is there */
	bool group;		/* /etc/group is there */
	char *passwd;		/* text for /etc/passwd; NULL: the host's file will do */
	struct shown workspace; /* dest "/workspace" and no place: an empty directory */
	struct shown *corpora;
	size_t n_corpora;
};

/* Look, open and judge; nothing is changed on the host. */
int view_gather(const struct policy *policy, const struct profile *profile,
		const struct request *request, const struct identity *identity,
		struct view *ret_view, struct error *err);
void view_free(struct view *view);

void shown_free(struct shown *shown);
/* For qsort: by where they appear, those that do not last. */
int shown_by_dest(const void *a, const void *b);

#endif
