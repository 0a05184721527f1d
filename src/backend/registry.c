/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "backend/registry.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "backend/call.h"
#include "backend/elf-check.h"
#include "backend/object.h"
#include "backend/tool.h"
#include "base/argv.h"
#include "base/fd.h"
#include "base/trust.h"
#include "base/value.h"

const char *registry_dir(const char *dir)
{
	return dir ? dir : BACKENDDIR;
}

const char *backend_tool(const struct backend *backend)
{
	return backend->object.tool ? backend->object.tool : backend->file;
}

bool backend_runs_tool(const struct backend *backend, const struct drupe_words *words)
{
	return backend->object.tool && words->count > 0 &&
	       strcmp(words->words[0], backend->object.tool) == 0;
}

static int out_of_memory(struct error *err)
{
	return error_set(err, ERROR_SYSTEM, ENOMEM, "out of memory");
}

/* dlopen would search LD_LIBRARY_PATH for a name without a slash, and remembers a
 * relative one even after the current folder has changed. */
static int absolute_folder(const char *dir, char **ret_dir, struct error *err)
{
	_cleanup_free_ char *here = NULL;
	char *absolute = NULL;

	dir = registry_dir(dir);
	if (dir[0] == '\0')
		return error_set(err, ERROR_USAGE, EINVAL,
				 "the folder of backends has an empty name");
	if (dir[0] == '/') {
		absolute = strdup(dir);
	} else {
		here = getcwd(NULL, 0);
		if (!here)
			return error_set(
				err, ERROR_SYSTEM, errno,
				"cannot tell where \"%s\" is: the current folder: %s",
				dir, strerror(errno));
		if (asprintf(&absolute, "%s/%s", here, dir) < 0)
			absolute = NULL;
	}
	if (!absolute)
		return out_of_memory(err);
	*ret_dir = absolute;
	return 0;
}

/* ---- the folder ---- */

static int open_folder(const char *dir, int *ret_fd, struct error *err)
{
	int r;

	if (dir[0] != '/')
		return error_set(
			err, ERROR_USAGE, EINVAL,
			"the folder of backends, \"%s\", is not an absolute path", dir);
	r = trust_open_dir(dir, ERROR_BACKEND_MISSING, ERROR_BACKEND_UNTRUSTED, ret_fd,
			   err);
	if (r == -ENOENT)
		error_hint(
			err,
			"drupe looks for backends in %s; install drupe, or name another "
			"folder with --backend-dir",
			dir);
	return r;
}

/* "launcher-bwrap.so": the slot and the name in it. */
static bool parse_file_name(const char *file, enum slot *ret_slot, char ret_name[40])
{
	size_t length = strlen(file);

	if (length < 4 || strcmp(file + length - 3, ".so") != 0)
		return false;
	for (enum slot slot = 0; slot < N_SLOTS; slot++) {
		size_t kind = strlen(slot_names[slot]);

		if (strncmp(file, slot_names[slot], kind) != 0 || file[kind] != '-' ||
		    length - 3 <= kind || length - 3 - (kind + 1) >= 40)
			continue;
		snprintf(ret_name, 40, "%.*s", (int)(length - 3 - (kind + 1)),
			 file + kind + 1);
		*ret_slot = slot;
		return value_name(ret_name);
	}
	return false;
}

static int compare_entries(const void *a, const void *b)
{
	const struct registry_entry *x = a, *y = b;

	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Slot and name of each backend in the folder, sorted; nothing is loaded. */
static int scan_folder(int fd, struct registry_entry **ret_entries, size_t *ret_count)
{
	_cleanup_free_ struct registry_entry *entries = NULL;
	size_t count = 0;
	struct dirent *file;
	DIR *folder = fd_listing(fd, ".");

	if (!folder)
		return -errno;
	while ((file = readdir(folder))) {
		struct registry_entry entry = { 0 }, *grown;

		if (!parse_file_name(file->d_name, &entry.slot, entry.name))
			continue;
		grown = reallocarray(entries, count + 1, sizeof(*entries));
		if (!grown) {
			closedir(folder);
			return -ENOMEM;
		}
		entries = grown;
		entries[count++] = entry;
	}
	closedir(folder);
	if (count > 0)
		qsort(entries, count, sizeof(*entries), compare_entries);
	*ret_entries = entries;
	entries = NULL;
	*ret_count = count;
	return 0;
}

/* The names that the folder has for a slot, for a message about a wrong one. */
static void list_names(int fd, enum slot slot, char *ret, size_t size)
{
	_cleanup_free_ struct registry_entry *entries = NULL;
	size_t count = 0, used = 0;

	ret[0] = '\0';
	if (scan_folder(fd, &entries, &count) < 0)
		return;
	for (size_t i = 0; i < count && used < size; i++)
		if (entries[i].slot == slot)
			used += (size_t)snprintf(ret + used, size - used, "%s%s",
						 used ? ", " : "", entries[i].name);
}

/* ---- one file ---- */

static int missing(int folder, const char *dir, enum slot slot, const char *name,
		   struct error *err)
{
	char names[400];

	list_names(folder, slot, names, sizeof(names));
	if (names[0])
		error_set(err, ERROR_BACKEND_MISSING, ENOENT,
			  "there is no %s-%s.so in %s; the %s backends there: %s",
			  slot_names[slot], name, dir, slot_names[slot], names);
	else
		error_set(err, ERROR_BACKEND_MISSING, ENOENT,
			  "there is no %s-%s.so in %s, nor any other %s backend",
			  slot_names[slot], name, dir, slot_names[slot]);
	error_hint(err, "install the backend, or correct \"%s: %s\" of the policy",
		   slot_names[slot], name);
	return -ENOENT;
}

/*
 * dlopen wants a name, and /proc/self/fd/N will not do: dlopen remembers what it loaded
 * by name, so a reused descriptor number would give the first backend again.  So the
 * path is opened a second time, and must still lead to the checked file afterwards.
 * That suffices, since folder and parents are trusted: only root or the caller could
 * have swapped the file and put it back.  If a file is replaced after it was loaded (an
 * upgrade under a long-running server), the one that was loaded and checked stays in
 * use.
 */
static int load_file(const char *file, const struct stat *checked, void **ret_handle,
		     struct error *err)
{
	void *handle = call_dlopen(file);
	struct stat now;

	if (!handle) {
		const char *why = dlerror();

		error_set(err, ERROR_BACKEND_INVALID, 0, "%s", why ? why : file);
		error_hint(
			err,
			"install the library that it names, or a version of this backend "
			"that was built for this system");
		return -EINVAL;
	}
	/* Never dlclose, here or later: whatever a backend registered would dangle. */
	if (stat(file, &now) < 0 || now.st_dev != checked->st_dev ||
	    now.st_ino != checked->st_ino)
		return error_set(err, ERROR_BACKEND_UNTRUSTED, ESTALE,
				 "%s was replaced while it was loaded; run drupe again",
				 file);
	*ret_handle = handle;
	return 0;
}

static int load_object(const char *dir, enum slot slot, const char *name,
		       struct backend *backend, struct error *err)
{
	_cleanup_close_ int folder = -1, fd = -1;
	const char *base;
	struct stat st;
	void *handle = NULL;
	int r;

	r = open_folder(dir, &folder, err);
	if (r < 0)
		return r;
	if (asprintf(&backend->file, "%s/%s-%s.so", dir, slot_names[slot], name) < 0) {
		backend->file = NULL;
		return out_of_memory(err);
	}
	base = strrchr(backend->file, '/') + 1;
	r = trust_open_at(folder, dir, base, ERROR_BACKEND_MISSING,
			  ERROR_BACKEND_UNTRUSTED, &fd, &st, err);
	if (r == -ENOENT)
		return missing(folder, dir, slot, name, err);
	if (r == 0)
		r = elf_check(fd, backend->file, st.st_size, err);
	if (r == 0)
		r = load_file(backend->file, &st, &handle, err);
	if (r == 0)
		r = object_take(handle, name, backend, err);
	return r;
}

/* ---- one backend ---- */

static int check_name(enum slot slot, const char *name, struct error *err)
{
	/* "none" means "no layer", so no file may have that name. */
	if (strcmp(name, "none") == 0) {
		error_set(err, ERROR_BACKEND_INVALID, EINVAL,
			  "\"none\" means that there is no %s, and cannot be a backend",
			  slot_names[slot]);
		error_hint(err, "name a backend; drupe backends lists them");
		return -EINVAL;
	}
	if (value_name(name))
		return 0;
	error_set(err, ERROR_BACKEND_INVALID, EINVAL,
		  "\"%s\" is not the name of a backend: a name is [a-z][a-z0-9-]{0,31}, "
		  "not a "
		  "path or a file",
		  name);
	error_hint(err, "drupe backends lists the names");
	return -EINVAL;
}

static int load(const char *dir, enum slot slot, const char *name,
		struct backend **ret_backend, struct error *err)
{
	_cleanup_backend_ struct backend *backend = NULL;
	int r;

	r = check_name(slot, name, err);
	if (r < 0)
		return r;
	backend = calloc(1, sizeof(*backend));
	if (!backend)
		return out_of_memory(err);
	backend->slot = slot;
	r = load_object(dir, slot, name, backend, err);
	if (r < 0)
		return r;
	*ret_backend = backend;
	backend = NULL;
	return 0;
}

static int configure(struct backend *backend, const struct policy *policy, uid_t run_uid,
		     struct error *err)
{
	struct tool tool = { 0 };
	int r;

	r = host_options(&backend->object, policy, &backend->options, err);
	if (r == 0 && backend->object.tool)
		r = tool_check(backend->object.tool, backend->object.tool_features,
			       run_uid, backend->slot == SLOT_RLIMITS, &tool, err);
	if (r < 0)
		return r;
	backend->tool_dev = tool.dev;
	backend->tool_ino = tool.ino;
	backend->call = (struct drupe_call){
		.size = sizeof(backend->call),
		.host = &host_callbacks,
		.options = backend->options,
		.features = tool.features,
	};
	return 0;
}

int registry_look(const char *dir, enum slot slot, const char *name,
		  struct backend **ret_backend, struct error *err)
{
	_cleanup_free_ char *folder = NULL;
	int r = absolute_folder(dir, &folder, err);

	return r < 0 ? r : load(folder, slot, name, ret_backend, err);
}

int registry_load(const char *dir, enum slot slot, const char *name,
		  const struct policy *policy, uid_t run_uid,
		  struct backend **ret_backend, struct error *err)
{
	_cleanup_backend_ struct backend *backend = NULL;
	int r;

	r = registry_look(dir, slot, name, &backend, err);
	if (r == 0)
		r = configure(backend, policy, run_uid, err);
	if (r < 0) {
		error_backend(err, slot_names[slot], name);
		return r;
	}
	*ret_backend = backend;
	backend = NULL;
	return 0;
}

void registry_unref(struct backend *backend)
{
	if (!backend)
		return;
	host_options_free(backend->options);
	free(backend->file);
	free(backend);
}

/* ---- all backends ---- */

int registry_list(const char *dir, struct registry_entry **ret_entries, size_t *ret_count,
		  struct error *err)
{
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *folder = NULL;
	struct registry_entry *entries = NULL;
	size_t count = 0;
	int r;

	r = absolute_folder(dir, &folder, err);
	if (r == 0)
		r = open_folder(folder, &fd, err);
	if (r < 0)
		return r;
	r = scan_folder(fd, &entries, &count);
	if (r < 0)
		return error_set(err, ERROR_SYSTEM, -r, "cannot read the folder %s: %s",
				 dir, strerror(-r));
	for (size_t i = 0; i < count; i++) {
		struct registry_entry *entry = &entries[i];

		r = load(folder, entry->slot, entry->name, &entry->backend,
			 &entry->error);
		if (r == 0)
			r = configure(entry->backend, NULL, geteuid(), &entry->error);
		if (r < 0)
			error_backend(&entry->error, slot_names[entry->slot],
				      entry->name);
	}
	*ret_entries = entries;
	*ret_count = count;
	return 0;
}

void registry_list_free(struct registry_entry *entries, size_t count)
{
	for (size_t i = 0; i < count; i++)
		registry_unref(entries[i].backend);
	free(entries);
}
