/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a plan needs to know of the host, gathered once so that the plan itself is
 * a pure function: layout, places that the policy and the request name.
 */
#ifndef DRUPE_VIEW_H
#define DRUPE_VIEW_H

#include "identity.h"
#include "network.h"
#include "place.h"
#include "policy.h"
#include "request.h"

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
	struct resolver_file *files; /* for /etc, of the network backend */
	size_t n_files;
	struct shown ca; /* the host's CA bundle, where one of them wants it */
	struct root_entry root[N_ROOT_ENTRIES];
	bool alternatives;	/* /etc/alternatives is there */
	bool toolchains;	/* /opt/toolchains is there */
	bool group;		/* /etc/group is there */
	char *passwd;		/* text for /etc/passwd; NULL: the host's file will do */
	struct shown workspace; /* dest "/workspace" and no place: an empty directory */
	struct shown *reads;
	size_t n_reads;
	struct shown *corpora;
	size_t n_corpora;
};

/* Look, open and judge; nothing is changed on the host.  NETWORK: its backend, NULL
 * where the run gets no network. */
int view_gather(const struct policy *policy, const struct profile *profile,
		const struct request *request, const struct identity *identity,
		const struct backend *network, struct view *ret_view, struct error *err);
void view_free(struct view *view);

#endif
