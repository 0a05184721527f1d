/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/path.h"

/* Neither these nor anything below them can be a workspace. */
static const char *const refused_trees[] = { "/etc", "/proc", "/sys", "/dev", "/run" };

/* Neither these nor their ancestors can be a workspace. */
static const char *const refused_folders[] = { "/usr", "/home", "/root",
					       "/var", "/tmp",	"/var/tmp" };

/* Shown at /workspace: below these the sandbox has mounts of its own, or a command
 * could rearrange what a later launcher would walk through. */
static const char *const unsafe_to_mirror[] = {
	"/tmp", "/var/tmp", "/usr", "/opt/toolchains", "/home/sandbox", "/workspace",
	"/bin", "/sbin",    "/lib", "/lib32",	       "/lib64",	"/libx32"
};

/* Never shown by an outside read: they would hide or widen what the sandbox has there. */
static const char *const never_read[] = { "/proc", "/sys",	    "/dev",	 "/run",
					  "/tmp",  "/home/sandbox", "/workspace" };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *within_any(const char *path, const char *const *prefixes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (path_is_within(path, prefixes[i]))
			return prefixes[i];
	return NULL;
}

/* Whether a mount at PATH would cover one of PLACES. */
static bool covers_any(const char *path, const char *const *places, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (path_is_within(places[i], path))
			return true;
	return false;
}

/* The path of an open descriptor, checked to lead back to the same object: the kernel
 * marks a removed one only by a suffix, which a real name may have too. */
static int lead_back(int fd, const struct stat *st, char path[static PATH_MAX])
{
	char link[64];
	struct stat again;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, PATH_MAX - 1);
	if (n < 0)
		return -errno;
	if (n == PATH_MAX - 1)
		return -ENAMETOOLONG;
	path[n] = '\0';
	if (path[0] != '/')
		return -ENOENT;
	if (stat(path, &again) < 0)
		return -errno;
	return again.st_dev == st->st_dev && again.st_ino == st->st_ino ? 0 : -ENOENT;
}

static int canonical_path(int fd, const struct stat *st, char **ret_path)
{
	char path[PATH_MAX];
	int r = lead_back(fd, st, path);

	if (r < 0)
		return r == -ENAMETOOLONG ? r : -ENOENT;
	*ret_path = strdup(path);
	return *ret_path ? 0 : -ENOMEM;
}

int place_check_present(const struct place *place, enum error_code code, const char *what,
			struct error *err)
{
	char path[PATH_MAX];
	int r = lead_back(place->fd, &place->st, path);

	/* A folder above that was closed to us is for the launcher to report. */
	if (r != -ENOENT && r != -ENOTDIR && r != -ESTALE)
		return 0;
	error_set(err, code, ESTALE,
		  "the %s \"%s\" was removed while the session was open", what,
		  place->path);
	error_hint(err, "open a new session: a folder made anew at that path is another "
			"one");
	return -ESTALE;
}

int place_open(const char *path, bool directory, enum error_code code,
	       struct place *ret_place, struct error *err)
{
	_cleanup_close_ int fd = open(path,
				      O_PATH | O_CLOEXEC | (directory ? O_DIRECTORY : 0));
	struct place place = PLACE_NONE;
	int r;

	if (fd < 0)
		return error_set(err, code, errno, "cannot open \"%s\": %s", path,
				 strerror(errno));
	fd = fd_above_stdio(take_fd(&fd));
	if (fd < 0 || fstat(fd, &place.st) < 0)
		return error_set(err, code, errno, "cannot look at \"%s\": %s", path,
				 strerror(errno));
	r = canonical_path(fd, &place.st, &place.path);
	if (r < 0)
		return error_set(err, code, -r, "\"%s\" has no path of its own: %s", path,
				 strerror(-r));
	place.fd = take_fd(&fd);
	*ret_place = place;
	return 0;
}

void place_close(struct place *place)
{
	free(place->path);
	place->path = NULL;
	close_fd(&place->fd);
}

int place_check_access(const struct place *place, const struct identity *identity,
		       struct error *err)
{
	/* As root, access() would answer for root. */
	if (identity->drop ||
	    faccessat(place->fd, "", X_OK, AT_EACCESS | AT_EMPTY_PATH) == 0 ||
	    errno != EACCES)
		return 0;
	error_set(err, ERROR_WORKSPACE_REFUSED, EACCES,
		  "\"%s\" cannot be entered by user %s (mode %04o)", place->path,
		  identity->name, place->st.st_mode & 07777);
	error_hint(err, "chmod u+rx it, or give another folder with --workspace");
	return -EACCES;
}

static enum place_verdict refuse(const char *path, const char *why, struct error *err)
{
	error_set(err, ERROR_WORKSPACE_REFUSED, EPERM,
		  "\"%s\" must not be a workspace: %s", path, why);
	error_hint(err, "make a folder for the work and give it with --workspace");
	return PLACE_REFUSED;
}

/* The home of the user that called sudo, from sudo's own variable; NULL: no sudo. */
static const char *sudo_home(struct passwd *entry, char *buffer, size_t size)
{
	const char *uid = getenv("SUDO_UID");
	struct passwd *found = NULL;

	if (!uid ||
	    getpwuid_r((uid_t)strtoul(uid, NULL, 10), entry, buffer, size, &found) != 0)
		return NULL;
	return found ? found->pw_dir : NULL;
}

/* The caller's HOME, from the user database or the environment: it contains keys. */
static bool is_home(const char *path, const struct identity *identity)
{
	struct passwd entry;
	char buffer[4096];
	const char *homes[] = { identity->home, getenv("HOME"),
				identity->drop ? sudo_home(&entry, buffer, sizeof(buffer))
					       : NULL };

	for (size_t i = 0; i < COUNT(homes); i++) {
		char resolved[PATH_MAX];

		if (!homes[i] || homes[i][0] != '/' || strcmp(homes[i], "/") == 0)
			continue;
		if (path_is_within(homes[i], path))
			return true;
		if (realpath(homes[i], resolved) && path_is_within(resolved, path))
			return true;
	}
	return false;
}

enum place_verdict place_judge(const struct place *place, const char *tmp_root,
			       const struct identity *identity, struct error *err)
{
	const char *path = place->path;
	char resolved[PATH_MAX];
	const char *tree;

	if (strcmp(path, "/") == 0)
		return refuse(path, "it covers everything", err);
	tree = within_any(path, refused_trees, COUNT(refused_trees));
	if (tree)
		return refuse(path, "it belongs to the system", err);
	for (size_t i = 0; i < COUNT(refused_folders); i++)
		if (path_is_within(refused_folders[i], path))
			return refuse(path, "it belongs to the system or to all users",
				      err);
	if (is_home(path, identity))
		return refuse(path, "it is or holds a home directory, with its keys",
			      err);
	if (path_is_within(tmp_root, path) ||
	    (realpath(tmp_root, resolved) && path_is_within(resolved, path)))
		return refuse(path, "it holds the private tmps", err);
	if (within_any(path, unsafe_to_mirror, COUNT(unsafe_to_mirror)) ||
	    covers_any(path, unsafe_to_mirror, COUNT(unsafe_to_mirror)) ||
	    path_is_within(path, tmp_root))
		return PLACE_FALLBACK;
	return PLACE_MIRROR;
}

static bool is_granted(const char *path, const struct strings *granted)
{
	for (size_t i = 0; i < granted->count; i++)
		if (path_is_within(path, granted->items[i]))
			return true;
	return false;
}

/* PATH made absolute, "." and "//" taken out.  ".." is refused: where it leads depends
 * on links, and the read is shown under the given name. */
static int named_path(const char *path, char *ret, size_t size, struct error *err)
{
	char whole[PATH_MAX * 2], *rest = whole, *part;
	size_t n = 0;
	int length;

	if (path[0] == '/')
		length = snprintf(whole, sizeof(whole), "%s", path);
	else {
		_cleanup_free_ char *cwd = getcwd(NULL, 0);

		length = snprintf(whole, sizeof(whole), "%s/%s", cwd ? cwd : "", path);
	}
	if (length < 0 || (size_t)length >= size)
		return error_set(err, ERROR_MOUNT_REFUSED, ENAMETOOLONG,
				 "--read: the path is too long");
	ret[0] = '\0';
	while ((part = strsep(&rest, "/"))) {
		if (*part == '\0' || strcmp(part, ".") == 0)
			continue;
		if (strcmp(part, "..") == 0)
			return error_set(err, ERROR_MOUNT_REFUSED, EINVAL,
					 "--read \"%s\": write the path without \"..\"",
					 path);
		n += (size_t)snprintf(ret + n, size - n, "/%s", part);
	}
	return 0;
}

/* TMP_ROOT, which may be a link, holds the private tmps of all sessions. */
static bool shows_tmps(const char *path, const char *tmp_root)
{
	char resolved[PATH_MAX];

	return path_is_within(path, tmp_root) || path_is_within(tmp_root, path) ||
	       (realpath(tmp_root, resolved) &&
		(path_is_within(path, resolved) || path_is_within(resolved, path)));
}

static int refuse_read(const char *path, const char *resolved, const char *why,
		       struct error *err)
{
	bool other = strcmp(path, resolved) != 0;

	error_set(err, ERROR_MOUNT_REFUSED, EPERM, "--read \"%s\"%s%s: %s", path,
		  other ? " leads to " : "", other ? resolved : "", why);
	error_hint(err, "name the file or folder itself, below what the profile's "
			"host_read has, or copy it into the workspace");
	return -EPERM;
}

int place_open_read(const char *path, const struct strings *granted, const char *tmp_root,
		    struct place *ret_place, char **ret_dest, struct error *err)
{
	char named[PATH_MAX];
	struct place place = PLACE_NONE;
	struct error missing = { 0 };
	int r = named_path(path, named, sizeof(named), err);

	if (r < 0)
		return r;
	if (granted->count == 0 || !is_granted(named, granted)) {
		error_set(err, ERROR_NOT_GRANTED, EPERM,
			  "--read \"%s\" is not covered by host_read of the profile",
			  path);
		error_hint(err, "an admin may add the folder to host_read in the policy");
		return -EPERM;
	}
	if (within_any(named, never_read, COUNT(never_read)) ||
	    shows_tmps(named, tmp_root))
		return refuse_read(path, path, "such a path is never shown", err);
	if (covers_any(named, never_read, COUNT(never_read)))
		return refuse_read(path, path,
				   "it would hide what the sandbox has below it", err);
	r = place_open(named, false, ERROR_MOUNT_REFUSED, &place, &missing);
	if (r == -ENOENT) { /* gone is not an error, as with --ro-bind-try */
		*ret_dest = NULL;
		return 0;
	}
	if (r < 0) {
		*err = missing;
		return r;
	}
	if (!is_granted(place.path, granted))
		r = refuse_read(path, place.path, "that is outside host_read", err);
	else if (within_any(place.path, never_read, COUNT(never_read)) ||
		 shows_tmps(place.path, tmp_root))
		r = refuse_read(path, place.path, "such a path is never shown", err);
	else if (!S_ISREG(place.st.st_mode) && !S_ISDIR(place.st.st_mode))
		r = refuse_read(path, place.path, "not a file or folder", err);
	if (r == 0) {
		*ret_dest = path_is_within(named, "/usr") ? NULL : strdup(named);
		*ret_place = place;
		return 0;
	}
	place_close(&place);
	return r;
}
