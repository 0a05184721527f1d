/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/fd.h"

#define LINKS_MAX 40 /* the kernel's own limit */

/* What is asked for, and how a refusal is reported. */
struct lookup {
	const char *path; /* as given */
	enum error_code missing, code;
	struct error *err;
};

/* A walk from / along REST; PATH is the current place, without links and dots. */
struct walk {
	const struct lookup *lookup;
	int fd; /* of the directory PATH, O_PATH */
	char path[PATH_MAX];
	char rest[2 * PATH_MAX];
	char name[NAME_MAX + 1]; /* the current component */
	unsigned links;
};

static bool is_owner_good(const struct stat *st)
{
	return st->st_uid == 0 || st->st_uid == geteuid();
}

static int refuse_errno(const struct lookup *lookup, int errnum, const char *what)
{
	return error_set(lookup->err, errnum == ENOENT ? lookup->missing : lookup->code,
			 errnum, "%s: %s%s%s", lookup->path, what, what[0] ? ": " : "",
			 errnum == ENOENT ? "there is no such file" : strerror(errnum));
}

/* How every unmapped user appears in a user namespace. */
#define OVERFLOW_UID 65534 /* user_namespaces(7) */

bool trust_is_unmapped(uid_t uid)
{
	char map[64];
	unsigned inside, outside, count;

	if (uid != OVERFLOW_UID ||
	    fd_read_file(AT_FDCWD, "/proc/self/uid_map", map, sizeof(map)) < 0)
		return false;
	/* Empty if no user is mapped; a single full range outside of user namespaces. */
	return sscanf(map, "%u %u %u", &inside, &outside, &count) != 3 ||
	       count != (uid_t)-1;
}

static int refuse_owner(const struct lookup *lookup, const char *what, const char *path,
			const struct stat *st)
{
	if (trust_is_unmapped(st->st_uid))
		return error_set(
			lookup->err, lookup->code, EPERM,
			"%s: %sowned by a user that this user namespace does not map, so "
			"it cannot be known whether it is root; run drupe outside of "
			"it, or map uid 0",
			lookup->path, what);
	if (geteuid() == 0)
		return error_set(lookup->err, lookup->code, EPERM,
				 "%s: %sowned by uid %u, not by root; chown root %s",
				 lookup->path, what, (unsigned)st->st_uid, path);
	return error_set(
		lookup->err, lookup->code, EPERM,
		"%s: %sowned by uid %u, neither by root nor by you (uid %u); chown "
		"root %s",
		lookup->path, what, (unsigned)st->st_uid, (unsigned)geteuid(), path);
}

/* WHAT is "" for the file itself, else names the PATH at fault. */
static int check_file(const struct lookup *lookup, const char *what, const char *path,
		      const struct stat *st)
{
	bool group = st->st_mode & S_IWGRP, others = st->st_mode & S_IWOTH;

	if (!is_owner_good(st))
		return refuse_owner(lookup, what, path, st);
	if (!group && !others)
		return 0;
	/* In a sticky directory users cannot rename or remove other users' files. */
	if (S_ISDIR(st->st_mode) && (st->st_mode & S_ISVTX))
		return 0;
	return error_set(lookup->err, lookup->code, EPERM,
			 "%s: %swritable by %s (mode %04o); chmod %s-w %s", lookup->path,
			 what, others ? "others" : "its group",
			 (unsigned)(st->st_mode & 07777),
			 group && others ? "go"
			 : group	 ? "g"
					 : "o",
			 path);
}

/* Check the walk's current directory. */
static int check_directory(const struct walk *walk)
{
	char what[PATH_MAX + 32];
	struct stat st;

	if (fstat(walk->fd, &st) < 0)
		return refuse_errno(walk->lookup, errno, walk->path);
	snprintf(what, sizeof(what), "the directory %s is ", walk->path);
	return check_file(walk->lookup, what, walk->path, &st);
}

static int walk_to_root(struct walk *walk)
{
	close_fd(&walk->fd);
	strcpy(walk->path, "/");
	walk->fd = fd_above_stdio(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
	if (walk->fd < 0)
		return refuse_errno(walk->lookup, -walk->fd, "/");
	return check_directory(walk);
}

/* The walk starts at /.  A relative path goes through the current directory first,
 * since a user that can change that can change the file. */
static int walk_start(struct walk *walk)
{
	const char *path = walk->lookup->path;
	char cwd[PATH_MAX] = "";

	if (!path[0])
		return refuse_errno(walk->lookup, ENOENT, "an empty name");
	if (path[0] != '/') {
		if (!getcwd(cwd, sizeof(cwd)))
			return refuse_errno(walk->lookup, errno, "the current directory");
		/* The kernel prefixes "(unreachable)" when it is outside of our root. */
		if (cwd[0] != '/')
			return refuse_errno(walk->lookup, EXDEV, "the current directory");
	}
	if (strlen(path) >= PATH_MAX)
		return refuse_errno(walk->lookup, ENAMETOOLONG, "");
	snprintf(walk->rest, sizeof(walk->rest), "%s/%s", cwd, path);
	return walk_to_root(walk);
}

/* Move the next component from REST to NAME; 0 when there is none, else 1. */
static int walk_component(struct walk *walk)
{
	size_t skip = strspn(walk->rest, "/");
	size_t n = strcspn(walk->rest + skip, "/");

	if (n == 0)
		return 0;
	if (n > NAME_MAX)
		return refuse_errno(walk->lookup, ENAMETOOLONG, "");
	memcpy(walk->name, walk->rest + skip, n);
	walk->name[n] = '\0';
	memmove(walk->rest, walk->rest + skip + n, strlen(walk->rest + skip + n) + 1);
	return 1;
}

static bool walk_is_last(const struct walk *walk)
{
	return !walk->rest[0];
}

static int walk_up(struct walk *walk)
{
	char *slash = strrchr(walk->path, '/');
	int fd = fd_above_stdio(
		openat(walk->fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));

	if (fd < 0)
		return refuse_errno(walk->lookup, -fd, walk->path);
	slash[slash == walk->path] = '\0';
	close_fd(&walk->fd);
	walk->fd = fd;
	return check_directory(walk);
}

static int walk_down(struct walk *walk, int *fd)
{
	size_t length = strlen(walk->path);
	int n = snprintf(walk->path + length, sizeof(walk->path) - length, "%s%s",
			 length > 1 ? "/" : "", walk->name);

	if ((size_t)n >= sizeof(walk->path) - length)
		return refuse_errno(walk->lookup, ENAMETOOLONG, "");
	close_fd(&walk->fd);
	walk->fd = take_fd(fd);
	return check_directory(walk);
}

/* In a sticky directory the owner of a link decides where it leads. */
static int walk_link(struct walk *walk, int fd, const struct stat *st)
{
	char target[PATH_MAX], rest[2 * PATH_MAX], what[NAME_MAX + 32];
	ssize_t n;

	snprintf(what, sizeof(what), "the link %s is ", walk->name);
	if (!is_owner_good(st))
		return refuse_owner(walk->lookup, what, walk->name, st);
	if (++walk->links > LINKS_MAX)
		return refuse_errno(walk->lookup, ELOOP, "");
	n = readlinkat(fd, "", target, sizeof(target));
	if (n <= 0)
		return refuse_errno(walk->lookup, n < 0 ? errno : ENOENT, walk->name);
	if ((size_t)n >= sizeof(target))
		return refuse_errno(walk->lookup, ENAMETOOLONG, walk->name);
	target[n] = '\0';
	n = snprintf(rest, sizeof(rest), "%s%s", target, walk->rest);
	if ((size_t)n >= sizeof(rest))
		return refuse_errno(walk->lookup, ENAMETOOLONG, "");
	strcpy(walk->rest, rest);
	return target[0] == '/' ? walk_to_root(walk) : 0;
}

/*
 * Walk REST to its end.  If that is a file, walk->fd is its directory, walk->name its
 * name, and *RET_FILE true; if it is a directory, walk->fd is that.
 */
static int walk_all(struct walk *walk, bool *ret_file)
{
	int r;

	while ((r = walk_component(walk)) > 0) {
		_cleanup_close_ int fd = -1;
		struct stat st;

		if (strcmp(walk->name, ".") == 0)
			continue;
		if (strcmp(walk->name, "..") == 0) {
			r = walk_up(walk);
			if (r < 0)
				return r;
			continue;
		}
		fd = fd_above_stdio(
			openat(walk->fd, walk->name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
		if (fd < 0)
			return refuse_errno(walk->lookup, -fd, "");
		if (fstat(fd, &st) < 0)
			return refuse_errno(walk->lookup, errno, "");
		if (!S_ISLNK(st.st_mode) && !S_ISDIR(st.st_mode)) {
			if (!walk_is_last(walk))
				return refuse_errno(walk->lookup, ENOTDIR, "");
			*ret_file = true;
			return 0;
		}
		r = S_ISLNK(st.st_mode) ? walk_link(walk, fd, &st) : walk_down(walk, &fd);
		if (r < 0)
			return r;
	}
	*ret_file = false;
	return r;
}

static int refuse_type(const struct lookup *lookup, mode_t mode)
{
	return error_set(lookup->err, lookup->code, EINVAL,
			 "%s: %s, not a regular file; name a file", lookup->path,
			 S_ISDIR(mode)	  ? "a directory"
			 : S_ISFIFO(mode) ? "a FIFO"
			 : S_ISSOCK(mode) ? "a socket"
			 : S_ISLNK(mode)  ? "a symbolic link"
					  : "a device");
}

/* Open NAME of the checked directory DIRFD, and check what was opened. */
static int open_file(const struct lookup *lookup, int dirfd, const char *name,
		     int *ret_fd, struct stat *ret_stat)
{
	_cleanup_close_ int fd = -1;
	struct stat st;
	int flags, r;

	/* Opening a device can have side effects: check before, and again once opened. */
	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return refuse_errno(lookup, errno, "");
	if (!S_ISREG(st.st_mode))
		return refuse_type(lookup, st.st_mode);
	fd = fd_above_stdio(openat(
		dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK));
	if (fd < 0)
		return refuse_errno(lookup, -fd, "");
	if (fstat(fd, &st) < 0)
		return refuse_errno(lookup, errno, "");
	if (!S_ISREG(st.st_mode))
		return refuse_type(lookup, st.st_mode);
	r = check_file(lookup, "", lookup->path, &st);
	if (r < 0)
		return r;
	flags = fcntl(fd, F_GETFL);
	if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0)
		return refuse_errno(lookup, errno, "");
	*ret_fd = take_fd(&fd);
	*ret_stat = st;
	return 0;
}

static int trust_walk(struct walk *walk, bool *ret_file)
{
	int r = walk_start(walk);

	return r < 0 ? r : walk_all(walk, ret_file);
}

int trust_open(const char *path, enum error_code missing, enum error_code code,
	       int *ret_fd, struct stat *ret_stat, struct error *err)
{
	const struct lookup lookup = { path, missing, code, err };
	struct walk walk = { .lookup = &lookup, .fd = -1 };
	bool file = false;
	int r;

	r = trust_walk(&walk, &file);
	if (r == 0 && !file)
		r = refuse_type(&lookup, S_IFDIR);
	if (r == 0)
		r = open_file(&lookup, walk.fd, walk.name, ret_fd, ret_stat);
	close_fd(&walk.fd);
	return r;
}

int trust_open_dir(const char *path, enum error_code missing, enum error_code code,
		   int *ret_fd, struct error *err)
{
	const struct lookup lookup = { path, missing, code, err };
	struct walk walk = { .lookup = &lookup, .fd = -1 };
	bool file = false;
	int fd, r;

	r = trust_walk(&walk, &file);
	if (r == 0 && file)
		r = refuse_errno(&lookup, ENOTDIR, "");
	if (r == 0) {
		/* "." of the checked descriptor is the same inode, opened for listing. */
		fd = fd_above_stdio(
			openat(walk.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
		if (fd < 0)
			r = refuse_errno(&lookup, -fd, "");
		else
			*ret_fd = fd;
	}
	close_fd(&walk.fd);
	return r;
}

int trust_open_at(int dirfd, const char *dir, const char *name, enum error_code missing,
		  enum error_code code, int *ret_fd, struct stat *ret_stat,
		  struct error *err)
{
	char path[PATH_MAX];
	const struct lookup lookup = { path, missing, code, err };

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return error_set(err, code, ENAMETOOLONG, "%s: the path is too long",
				 dir);
	if (!name[0] || strchr(name, '/'))
		return error_set(err, code, EINVAL,
				 "%s: \"%s\" is not the name of a file in it", dir, name);
	return open_file(&lookup, dirfd, name, ret_fd, ret_stat);
}
