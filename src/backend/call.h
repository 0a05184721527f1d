/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls into a backend: a wrapper for each of its functions, which nothing else calls.
 * Only one thread of the process is in a backend at a time (drupe-backend.h).  The
 * wrapper of a function that may be NULL supplies the default.
 */
#ifndef DRUPE_CALL_H
#define DRUPE_CALL_H

#include "backend/registry.h"

/* Load the shared object FILE, which may run code from it; NULL: see dlerror(3). */
void *call_dlopen(const char *file);

void call_scope_words(const struct backend *scope, const struct drupe_scope *request,
		      struct drupe_words *words);
void call_scope_stop_words(const struct backend *scope, const struct drupe_scope *request,
			   struct drupe_words *words);
int call_scope_cgroup(const struct backend *scope, const struct drupe_scope *request,
		      char *ret, size_t size);

/* Without the function: the scope has words, and `folder` is "". */
int call_scope_setup(const struct backend *scope, const struct drupe_scope *request,
		     struct drupe_cgroup_setup *ret_setup);

void call_launcher_words(const struct backend *launcher,
			 const struct drupe_launch *launch, struct drupe_words *words);
int call_parse_info(const struct backend *launcher, const char *text, size_t length,
		    struct drupe_child *ret_child);
int call_parse_status(const struct backend *launcher, const char *text, size_t length,
		      struct drupe_exit *ret_exit);

/* Of a launcher or a scope.  Without the function: not recognised, all NULL. */
void call_diagnose(const struct backend *backend, const char *text,
		   struct drupe_diagnosis *ret_diagnosis);

void call_rlimits_words(const struct backend *rlimits, const struct drupe_rlimits *limits,
			struct drupe_words *words);

int call_network_file(const struct backend *network, size_t i, char *scratch, size_t size,
		      struct drupe_resolver_file *ret_file);
void call_network_words(const struct backend *network, const struct drupe_attach *attach,
			struct drupe_words *words);

#endif
