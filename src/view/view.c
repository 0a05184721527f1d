/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/view.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/path.h"

#define FALLBACK "/workspace"

static const char *const root_paths[N_ROOT_ENTRIES] = { "/bin",	  "/sbin",  "/lib",
							"/lib32", "/lib64", "/libx32" };

static int look_at_root(struct view *view, struct error *err)
{
	for (size_t i = 0; i < N_ROOT_ENTRIES; i++) {
		struct root_entry *entry = &view->root[i];
		struct stat st;
		ssize_t n;

		entry->path = root_paths[i];
		if (lstat(entry->path, &st) < 0)
			continue;
		entry->directory = S_ISDIR(st.st_mode);
		if (!S_ISLNK(st.st_mode))
			continue;
		n = readlink(entry->path, entry->link, sizeof(entry->link));
		if (n < 0 || n == (ssize_t)sizeof(entry->link)) {
			error_set(err, ERROR_MOUNT_REFUSED, ENOTSUP,
				  "%s is a link that cannot be mirrored", entry->path);
			error_hint(err, "drupe supports hosts where it leads into /usr, "
					"or is a directory");
			return -ENOTSUP;
		}
		entry->link[n] = '\0';
	}
	return 0;
}

/* Build tools resolve their own uid through /etc/passwd: for a user from elsewhere
 * (LDAP, homed, a bare number) a line is added to the host's. */
static int make_passwd(struct view *view, const struct identity *identity,
		       struct error *err)
{
	char text[65536];
	ssize_t n;

	if (identity_in_passwd_file(identity->uid))
		return 0;
	n = fd_read_file(AT_FDCWD, "/etc/passwd", text, sizeof(text));
	if (n < 0)
		text[0] = '\0';
	else if (n == (ssize_t)sizeof(text) - 1)
		return 0; /* too long to add to: show the host's file */
	if (asprintf(&view->passwd, "%s%s%s:x:%u:%u::/home/sandbox:/bin/sh\n", text,
		     n > 0 && text[n - 1] != '\n' ? "\n" : "", identity->name,
		     identity->uid, identity->gid) < 0) {
		view->passwd = NULL;
		return error_set(err, ERROR_SYSTEM, ENOMEM, "out of memory");
	}
	return 0;
}

static int gather_workspace(struct view *view, const struct policy *policy,
			    const struct profile *profile, const struct request *request,
			    const struct identity *identity, struct error *err)
{
	struct shown *workspace = &view->workspace;
	enum place_verdict verdict;
	int r;

	workspace->writable = profile->workspace == ACCESS_WRITE && !request->read_only;
	if (profile->workspace != ACCESS_NONE) {
		r = place_open(request->workspace ? request->workspace : ".", true,
			       ERROR_WORKSPACE_MISSING, &workspace->place, err);
		if (r < 0) {
			error_hint(err, "give an existing folder with --workspace");
			return r;
		}
		r = place_check_access(&workspace->place, identity, err);
		if (r < 0)
			return r;
		verdict = place_judge(&workspace->place, policy->tmp_root, identity, err);
		if (verdict == PLACE_REFUSED)
			return -EPERM;
		if (verdict == PLACE_MIRROR && profile->identity_mount)
			workspace->dest = strdup(workspace->place.path);
	}
	if (!workspace->dest)
		workspace->dest = strdup(FALLBACK);
	return workspace->dest ? 0
			       : error_set(err, ERROR_SYSTEM, ENOMEM, "out of memory");
}

int shown_by_dest(const void *a, const void *b)
{
	const struct shown *x = a, *y = b;

	if (!x->dest || !y->dest)
		return !!x->dest - !!y->dest;
	return strcmp(x->dest, y->dest);
}

static int refuse_corpus(const struct policy *policy, const struct corpus *corpus,
			 const char *why, struct error *err)
{
	error_set(err, ERROR_MOUNT_REFUSED, EPERM, "%s:%u:%u: corpus \"%s\": %s",
		  policy->source, corpus->where.line, corpus->where.column, corpus->path,
		  why);
	error_hint(err,
		   "change corpora in the policy, or leave them out with --single-root");
	return -EPERM;
}

static int gather_corpus(struct view *view, const struct policy *policy,
			 const struct corpus *corpus, const struct identity *identity,
			 struct error *err)
{
	struct shown *shown = &view->corpora[view->n_corpora++];
	struct error why = { 0 };
	int r;

	shown->place.fd = -1;
	shown->writable = corpus->writable;
	r = place_open(corpus->path, true, ERROR_MOUNT_REFUSED, &shown->place, &why);
	if (r < 0)
		return refuse_corpus(policy, corpus, strerror(-r), err);
	/* A link in the path may have been planted by a command. */
	if (strcmp(shown->place.path, corpus->path) != 0)
		return refuse_corpus(policy, corpus,
				     "its path has a link in it: write the real path",
				     err);
	switch (place_judge(&shown->place, policy->tmp_root, identity, &why)) {
	case PLACE_REFUSED:
		return refuse_corpus(policy, corpus, why.message, err);
	case PLACE_FALLBACK:
		return refuse_corpus(
			policy, corpus,
			"it cannot be shown at its own path, where the sandbox "
			"has mounts of its own",
			err);
	case PLACE_MIRROR:
		shown->dest = strdup(shown->place.path);
	}
	return shown->dest ? 0 : error_set(err, ERROR_SYSTEM, ENOMEM, "out of memory");
}

/*
 * A launcher that makes a mount point below a tree that earlier commands could write
 * follows links they planted, out to the host.  So nothing is ever mounted below a
 * writable tree.
 */
static int check_nesting(const struct view *view, const struct shown *shown,
			 struct error *err)
{
	const struct shown *above = &view->workspace;

	for (size_t i = 0; i <= view->n_corpora; i++) {
		if (i > 0)
			above = &view->corpora[i - 1];
		if (above == shown || above->place.fd < 0 || shown->place.fd < 0)
			continue;
		if (path_is_within(shown->place.path, above->place.path) &&
		    (above->writable || strcmp(shown->dest, above->dest) == 0)) {
			error_set(err, ERROR_MOUNT_REFUSED, EPERM,
				  "\"%s\" lies in \"%s\", which is writable: commands "
				  "could "
				  "plant links where it would be mounted",
				  shown->place.path, above->place.path);
			error_hint(
				err,
				"keep the workspace and the corpora beside each other");
			return -EPERM;
		}
	}
	return 0;
}

static int gather_corpora(struct view *view, const struct policy *policy,
			  const struct profile *profile, const struct identity *identity,
			  struct error *err)
{
	int r = 0;

	view->corpora = calloc(profile->n_corpora, sizeof(*view->corpora));
	if (!view->corpora)
		return error_set(err, ERROR_SYSTEM, ENOMEM, "out of memory");
	for (size_t i = 0; r == 0 && i < profile->n_corpora; i++)
		r = gather_corpus(view, policy, &profile->corpora[i], identity, err);
	for (size_t i = 0; r == 0 && i < view->n_corpora; i++)
		r = check_nesting(view, &view->corpora[i], err);
	if (r == 0)
		r = check_nesting(view, &view->workspace, err);
	if (r == 0)
		qsort(view->corpora, view->n_corpora, sizeof(*view->corpora),
		      shown_by_dest);
	return r;
}

int view_gather(const struct policy *policy, const struct profile *profile,
		const struct request *request, const struct identity *identity,
		struct view *ret_view, struct error *err)
{
	struct view view = { .workspace.place.fd = -1 };
	int r;

	view.alternatives = access("/etc/alternatives", F_OK) == 0;
	view.toolchains = access("/opt/toolchains", F_OK) == 0;
	view.group = access("/etc/group", F_OK) == 0;
	r = look_at_root(&view, err);
	if (r == 0)
		r = make_passwd(&view, identity, err);
	if (r == 0)
		r = gather_workspace(&view, policy, profile, request, identity, err);
	if (r == 0 && profile->n_corpora > 0 && !request->single_root)
		r = gather_corpora(&view, policy, profile, identity, err);
	if (r < 0) {
		view_free(&view);
		return r;
	}
	*ret_view = view;
	return 0;
}

void shown_free(struct shown *shown)
{
	place_close(&shown->place);
	free(shown->dest);
}

void view_free(struct view *view)
{
	free(view->passwd);
	shown_free(&view->workspace);
	for (size_t i = 0; i < view->n_corpora; i++)
		shown_free(&view->corpora[i]);
	free(view->corpora);
	*view = (struct view){ .workspace.place.fd = -1 };
}
