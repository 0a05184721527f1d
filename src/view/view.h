/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a plan needs to know about the host, gathered once per session so that the plan
 * itself is a pure function: its layout, and the places named by the policy and the
 * session.
 */
#ifndef DRUPE_VIEW_H
#define DRUPE_VIEW_H

#include "base/identity.h"
#include "policy/policy.h"
#include "view/place.h"
#include "view/request.h"

/* One of the top-level names that are links on a host with a merged /usr. */
struct root_entry {
	const char *path; /* "/bin" */
	bool directory;	  /* a real one: bound read-only */
	char link[64];	  /* else the link's text; "": does not exist */
};
#define N_ROOT_ENTRIES 6

struct shown {
	struct place place;
	char *dest; /* where it appears; NULL: not mounted */
	bool writable;
};

struct view {
	struct root_entry root[N_ROOT_ENTRIES];
	bool alternatives;	/* /etc/alternatives exists */
	bool toolchains;	/* /opt/toolchains exists */
	bool group;		/* /etc/group exists */
	char *passwd;		/* text for /etc/passwd; NULL: use the host's file */
	struct shown workspace; /* dest "/workspace" and no place: an empty directory */
	struct shown *corpora;
	size_t n_corpora;
};

/* Look up, open and judge; changes nothing on the host. */
int view_gather(const struct policy *policy, const struct profile *profile,
		const struct request *request, const struct identity *identity,
		struct view *ret_view, struct error *err);
void view_free(struct view *view);

void shown_free(struct shown *shown);
/* For qsort: by dest, NULL last. */
int shown_by_dest(const void *a, const void *b);

#endif
