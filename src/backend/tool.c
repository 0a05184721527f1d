/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "backend/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "base/fd.h"
#include "base/trust.h"

#define LINKS_MAX 40
#define PROGRAM_MAX (64 << 20)
#define PIECE 16384
#define OVERLAP 256 /* more than a feature's name with a NUL on each side */

static int refuse_owner(const char *path, const char *part, uid_t owner,
			struct error *err)
{
	int r;

	if (trust_is_unmapped(owner)) {
		r = error_set(
			err, ERROR_TOOL_UNTRUSTED, EPERM,
			"%s: %s belongs to a user that this user namespace does not "
			"map, so it cannot be known whether it is root",
			path, part);
		error_hint(err, "run drupe outside of the namespace, or map uid 0");
		return r;
	}
	r = error_set(err, ERROR_TOOL_UNTRUSTED, EPERM,
		      "%s: %s belongs to uid %u, and only root may own a program that a "
		      "run starts: its owner could rewrite it from inside the sandbox",
		      path, part, (unsigned)owner);

	error_hint(err, "use the distribution's package, or chown root %s", part);
	return r;
}

/* Prepend the text of the link DONE to LEFT, the rest of the path; DONE becomes the
 * folder that the text is relative to. */
static int follow_link(char done[PATH_MAX], char left[PATH_MAX])
{
	char text[PATH_MAX], rest[PATH_MAX];
	ssize_t n = readlink(done, text, sizeof(text) - 1);

	if (n < 0)
		return -errno;
	text[n] = '\0';
	if (text[0] == '/')
		done[0] = '\0';
	else
		*strrchr(done, '/') = '\0';
	if ((size_t)snprintf(rest, sizeof(rest), "%s/%s", text, left) >= sizeof(rest))
		return -ENAMETOOLONG;
	memcpy(left, rest, sizeof(rest));
	return 0;
}

/* Take the first component off LEFT and append it to DONE. */
static int next_component(char done[PATH_MAX], char left[PATH_MAX])
{
	char *start = left + strspn(left, "/");
	size_t n = strcspn(start, "/"), length = strlen(done);

	if (n == 2 && memcmp(start, "..", 2) == 0) {
		if (length > 0)
			*strrchr(done, '/') = '\0';
	} else if (n > 0 && !(n == 1 && *start == '.')) {
		if (length + 1 + n >= PATH_MAX)
			return -ENAMETOOLONG;
		done[length] = '/';
		memcpy(done + length + 1, start, n);
		done[length + 1 + n] = '\0';
	}
	memmove(left, start + n, strlen(start + n) + 1);
	return 0;
}

/* Every folder, link and file along the path must belong to root. trust_open has
 * checked that only root and the caller can change the path while it is walked. */
static int check_owners(const char *path, char ret_resolved[PATH_MAX], struct error *err)
{
	char left[PATH_MAX];
	unsigned links = 0;
	struct stat st;
	int r = 0;

	if (strlen(path) >= sizeof(left))
		r = -ENAMETOOLONG;
	else
		memcpy(left, path, strlen(path) + 1);
	ret_resolved[0] = '\0';
	while (r == 0 && left[strspn(left, "/")]) {
		r = next_component(ret_resolved, left);
		if (r < 0)
			break;
		if (lstat(ret_resolved[0] ? ret_resolved : "/", &st) < 0) {
			r = -errno;
			break;
		}
		if (st.st_uid != 0)
			return refuse_owner(path, ret_resolved, st.st_uid, err);
		if (S_ISLNK(st.st_mode))
			r = ++links > LINKS_MAX ? -ELOOP
						: follow_link(ret_resolved, left);
	}
	if (r < 0)
		return error_set(err, ERROR_TOOL_UNTRUSTED, -r, "cannot follow %s: %s",
				 path, strerror(-r));
	return 0;
}

/* A program that gains privileges when it starts is refused: such a launcher cannot be
 * watched, and its vulnerabilities affect the whole system. */
static int check_privileges(const char *path, int fd, const struct stat *st,
			    struct error *err)
{
	if (st->st_mode & S_ISUID)
		return error_set(
			err, ERROR_TOOL_UNTRUSTED, EPERM,
			"%s is set-uid: drupe needs the plain, unprivileged program; "
			"chmod u-s %s",
			path, path);
	if (st->st_mode & S_ISGID)
		return error_set(
			err, ERROR_TOOL_UNTRUSTED, EPERM,
			"%s is set-gid: drupe needs the plain, unprivileged program; "
			"chmod g-s %s",
			path, path);
	if (fd >= 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0)
		return error_set(
			err, ERROR_TOOL_UNTRUSTED, EPERM,
			"%s has file capabilities: drupe needs the plain, unprivileged "
			"program; setcap -r %s",
			path, path);
	return 0;
}

static int check_executable(const char *path, const struct stat *st, uid_t run_uid,
			    struct error *err)
{
	bool can;

	/* For another user the groups are unknown: the bits for others decide. */
	if (run_uid == geteuid())
		can = faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;
	else
		can = st->st_mode & S_IXOTH;
	if (can)
		return 0;
	return error_set(err, ERROR_TOOL_UNTRUSTED, EACCES,
			 "%s cannot be executed by uid %u; chmod a+rx %s", path,
			 (unsigned)run_uid, path);
}

static int check_place(const char *path, const char *resolved, struct error *err)
{
	int r;

	if (strncmp(path, "/usr/", 5) == 0 && strncmp(resolved, "/usr/", 5) == 0)
		return 0;
	r = error_set(err, ERROR_TOOL_UNTRUSTED, EPERM,
		      "%s (%s) is not below /usr: it runs inside, where only /usr "
		      "is seen",
		      path, resolved);
	error_hint(err, "install it below /usr and build the backend with that path");
	return r;
}

/* Before it is opened for reading, so that an unreadable set-uid program is refused for
 * being set-uid. */
static int check_kind(const char *path, struct error *err)
{
	_cleanup_close_ int fd = open(path, O_PATH | O_CLOEXEC);
	struct stat st;
	int r;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) {
		error_set(err, ERROR_TOOL_MISSING, ENOENT, "%s is missing", path);
		error_hint(
			err,
			"install the package that has it; if it is elsewhere, the "
			"path is fixed when the backend is built (configure --with-…)");
		return -ENOENT;
	}
	if (fd < 0 || fstat(fd, &st) < 0)
		return error_set(err, ERROR_TOOL_UNTRUSTED, errno,
				 "cannot look at %s: %s", path, strerror(errno));
	r = check_privileges(path, -1, &st, err);
	if (r == 0 && !S_ISREG(st.st_mode))
		r = error_set(err, ERROR_TOOL_UNTRUSTED, EINVAL,
			      "%s is not a regular file", path);
	return r;
}

/* A string constant of a program has a NUL before and after it; a script has none, so
 * no feature is found there. */
static bool has_constant(const char *program, size_t length, const char *text)
{
	size_t n = strlen(text);
	const char *at = program, *end = program + length;

	while ((at = memmem(at, (size_t)(end - at), text, n + 1))) {
		if (at > program && at[-1] == '\0')
			return true;
		at++;
	}
	return false;
}

/* Read, not mapped: a program truncated meanwhile must not cause a SIGBUS.  In small
 * overlapping pieces, to touch few new pages. */
static int find_features(const char *path, int fd, off_t size,
			 const char *const *features, uint64_t *ret_features,
			 struct error *err)
{
	char text[OVERLAP + PIECE];
	uint64_t found = 0;
	size_t kept = 0;
	off_t at = 0;

	if (size > PROGRAM_MAX)
		return error_set(err, ERROR_TOOL_UNTRUSTED, EFBIG,
				 "%s is larger than 64M, too large for a tool", path);
	for (;;) {
		ssize_t n = pread(fd, text + kept, PIECE, at);
		size_t length = kept + (n > 0 ? (size_t)n : 0);

		if (n < 0)
			return error_set(err, ERROR_TOOL_UNTRUSTED, errno,
					 "cannot read %s: %s", path, strerror(errno));
		if (n == 0)
			break;
		for (unsigned i = 0; features[i]; i++)
			if (has_constant(text, length, features[i]))
				found |= UINT64_C(1) << i;
		at += n;
		kept = length < OVERLAP ? length : OVERLAP;
		memmove(text, text + length - kept, kept);
	}
	*ret_features = found;
	return 0;
}

int tool_check(const char *path, const char *const *features, uid_t run_uid, bool inside,
	       struct tool *ret_tool, struct error *err)
{
	char resolved[PATH_MAX];
	_cleanup_close_ int fd = -1;
	struct tool tool = { 0 };
	struct stat st;
	int r;

	r = check_kind(path, err);
	if (r == 0)
		r = trust_open(path, ERROR_TOOL_MISSING, ERROR_TOOL_UNTRUSTED, &fd, &st,
			       err);
	if (r == 0)
		r = check_owners(path, resolved, err);
	if (r == 0)
		r = check_privileges(path, fd, &st, err);
	if (r == 0)
		r = check_executable(path, &st, run_uid, err);
	if (r == 0 && inside)
		r = check_place(path, resolved, err);
	if (r == 0 && features && features[0])
		r = find_features(path, fd, st.st_size, features, &tool.features, err);
	if (r < 0)
		return r;
	tool.dev = st.st_dev;
	tool.ino = st.st_ino;
	*ret_tool = tool;
	return 0;
}
