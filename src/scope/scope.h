/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The executor's side of the cgroup scope: the request, what is read back before the
 * release, the evidence at the end, and the end itself.
 */
#ifndef DRUPE_SCOPE_H
#define DRUPE_SCOPE_H

#include "backend/registry.h"
#include "base/identity.h"
#include "drupe-backend.h"
#include "plan/plan.h"
#include "scope/usage.h"

/* The scope of one run. */
struct scope {
	const struct backend *backend;
	struct drupe_scope request; /* what the backend is given; size 0: no scope */
	char unit[80];
	char runtime[4200]; /* NAME=value for the scope's tool, or "" */
	char *environment[2];
	char path[4096]; /* of the cgroup below /sys/fs/cgroup, once verified */
	int folder;	 /* the cgroup's folder */
	struct drupe_cgroup_setup *setup; /* for a scope that is a folder of ours */
	int lock; /* on that folder, while it is in use (folder.h) */
};

#define SCOPE_NONE                       \
	{                                \
		.folder = -1, .lock = -1 \
	}

/* The request for a plan: UNIT is a placeholder there. */
void scope_describe(const struct identity *identity, const struct plan *plan,
		    struct drupe_scope *ret_request);

/* Before the spawn: name, manager's address, or the folder with its limits. */
int scope_prepare(struct scope *scope, const struct backend *backend,
		  const struct identity *identity, const struct plan *plan,
		  struct error *err);

/* R4: the held child (PROC: its folder in /proc) is in that cgroup, and each limit reads
 * back as asked. */
int scope_verify(struct scope *scope, const struct plan *plan, int proc,
		 struct error *err);

/* Why the scope's tool ended before anything in it started, from its TEXT. */
int scope_failure(const struct scope *scope, const char *text, int wait_status,
		  struct error *err);

/* Read the evidence; the guard keeps the cgroup until it was read. */
void scope_read_usage(const struct scope *scope, struct usage *usage);

/* End all processes in it, by the kernel or, if it cannot, by the manager; bounded. */
void scope_kill(const struct scope *scope);

/* Wait until the cgroup is gone, remove it where it is ours; bounded.  False: it stays.
 */
bool scope_close(struct scope *scope);

#endif
