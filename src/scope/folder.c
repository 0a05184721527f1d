/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scope/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>

#include "backend/call.h"
#include "base/claim.h"
#include "base/clock.h"
#include "base/fd.h"
#include "scope/cgroup-folder.h"

#define DIGITS "0123456789"
/* A run waits this long for leftovers to go; the next ones go on. */
#define SWEEP_MS 100

static int failed(const struct backend *backend, int errnum, const char *what,
		  const char *which, struct error *err)
{
	error_set(err, ERROR_SCOPE_FAILED, errnum, "%s %s: %s", what, which,
		  strerror(errnum));
	error_hint(err,
		   "option `parent` of scope-cgroup2 must name a delegated cgroup v2 "
		   "folder whose cgroup.subtree_control has the controllers");
	error_backend(err, slot_names[SLOT_SCOPE], backend->object.name);
	return -errnum;
}

int scope_write(int folder, const char *file, const char *value)
{
	int fd = openat(folder, file, O_WRONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, value, strlen(value));
	n = n < 0 ? -errno : 0;
	close(fd);
	return (int)n;
}

int scope_folder_ask(const struct backend *backend, const struct drupe_scope *request,
		     struct drupe_cgroup_setup *ret_setup, struct error *err)
{
	int r = call_scope_setup(backend, request, ret_setup);

	return r < 0 ? failed(backend, -r, "no place for", request->unit, err) : 0;
}

bool scope_is_folder(const struct scope *scope)
{
	return scope->setup && scope->setup->folder[0];
}

/* ---- leftovers ---- */

/* Whether NAME is drupe-UID-PID-(16 hexadecimal digits).scope, as made by make_unit in
 * scope.c. */
static bool is_unit(const char *name)
{
	size_t n;

	if (strncmp(name, "drupe-", 6) != 0)
		return false;
	name += 6;
	for (int i = 0; i < 2; i++) {
		n = strspn(name, DIGITS);
		if (n == 0 || name[n] != '-')
			return false;
		name += n + 1;
	}
	return strspn(name, DIGITS "abcdef") == 16 && strcmp(name + 16, ".scope") == 0;
}

/* The kernel refuses to remove one with a process in it. */
static void sweep_one(int parent, const char *name)
{
	_cleanup_close_ int fd = claim_take(parent, name, LOCK_EX);

	if (fd >= 0)
		(void)unlinkat(parent, name, AT_REMOVEDIR);
}

static void sweep(const char *own)
{
	_cleanup_free_ char *parent = strdup(own);
	const char *own_name = strrchr(own, '/');
	int64_t deadline = deadline_in_ms(SWEEP_MS);
	struct dirent *entry;
	DIR *dir = NULL;

	if (parent && own_name && is_unit(++own_name)) {
		parent[own_name - own] = '\0';
		dir = opendir(parent);
	}
	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		if (is_unit(entry->d_name) && strcmp(entry->d_name, own_name) != 0)
			sweep_one(dirfd(dir), entry->d_name);
		if (clock_now() >= deadline)
			break;
	}
	closedir(dir);
}

/* ---- ours ---- */

static int make_locked(struct scope *scope)
{
	int lock, r = claim_make(scope->setup->folder, 0755, &lock);

	if (r < 0)
		return r;
	scope->lock = fd_above_stdio(lock);
	return scope->lock < 0 ? scope->lock : 0;
}

int scope_folder_make(struct scope *scope, struct error *err)
{
	const struct drupe_cgroup_setup *setup;
	int r;

	scope->setup = malloc(sizeof(*scope->setup));
	if (!scope->setup)
		return error_set(err, ERROR_SYSTEM, ENOMEM, "out of memory");
	setup = scope->setup;
	r = scope_folder_ask(scope->backend, &scope->request, scope->setup, err);
	if (r < 0 || !scope_is_folder(scope))
		return r;
	r = make_locked(scope);
	if (r < 0)
		return failed(scope->backend, -r, "cannot make the cgroup", setup->folder,
			      err);
	sweep(setup->folder);
	for (size_t i = 0; i < setup->n_writes; i++) {
		r = scope_write(scope->lock, setup->writes[i].file,
				setup->writes[i].value);
		if (r < 0)
			return failed(scope->backend, -r, "cannot set",
				      setup->writes[i].file, err);
	}
	return 0;
}

int scope_folder_entrance(const struct scope *scope, int *ret_fd, struct error *err)
{
	*ret_fd = -1;
	if (!scope_is_folder(scope))
		return 0;
	*ret_fd = fd_above_stdio(
		openat(scope->lock, "cgroup.procs", O_WRONLY | O_CLOEXEC));
	if (*ret_fd < 0)
		return failed(scope->backend, -*ret_fd, "cannot open", "cgroup.procs",
			      err);
	return 0;
}
