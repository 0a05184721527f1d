/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "verify/verify.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "base/fd.h"
#include "verify/mounts.h"

/* ---- who the child is ---------------------------------------------------------- */

static int bad_child(struct error *err, int errnum, const char *what)
{
	error_set(err, ERROR_VERIFY_CHILD, errnum, "the launcher's child %s%s%s", what,
		  errnum ? ": " : "", errnum ? strerror(errnum) : "");
	error_hint(err, "this is not a state that a healthy launcher leaves; see `drupe "
			"preflight`");
	return errnum > 0 ? -errnum : -EBADMSG;
}

static int bad_namespace(struct error *err, const char *what)
{
	error_set(err, ERROR_VERIFY_NAMESPACE, 0, "%s", what);
	error_hint(err, "the command was not started; see `drupe preflight`");
	return -EPERM;
}

static int pin_owner(struct held *held, const struct identity *identity,
		     struct error *err)
{
	uid_t owner;

	if (ioctl(held->netns, NS_GET_NSTYPE) != CLONE_NEWNET)
		return bad_namespace(err, "pinned namespace is not a network namespace");
	held->userns = fd_above_stdio(ioctl(held->netns, NS_GET_USERNS));
	if (held->userns < 0)
		return bad_namespace(err,
				     "the owner of the network namespace cannot be had");
	if (ioctl(held->userns, NS_GET_NSTYPE) != CLONE_NEWUSER)
		return bad_namespace(err, "owning namespace is not a user namespace");
	if (ioctl(held->userns, NS_GET_OWNER_UID, &owner) < 0 || owner != identity->uid)
		return bad_namespace(err,
				     "the owning user namespace belongs to another user");
	return 0;
}

int verify_pin(const struct drupe_child *report, const struct identity *identity,
	       struct held *ret_held, struct error *err)
{
	struct held held = HELD_NONE;
	char path[64];
	struct stat st;
	int r;

	snprintf(path, sizeof(path), "/proc/%lld/ns/net", (long long)report->pid);
	held.netns = fd_above_stdio(open(path, O_RDONLY | O_CLOEXEC));
	if (held.netns < 0)
		return bad_child(err, -held.netns, "has no network namespace to pin");
	if (fstat(held.netns, &st) < 0 || st.st_ino != report->net_ns)
		r = bad_namespace(
			err, "pinned network namespace does not match namespace info");
	else
		r = pin_owner(&held, identity, err);
	if (r == 0) {
		held.child = (pid_t)report->pid;
		held.pidfd = fd_above_stdio(pidfd_open(held.child, 0));
		if (held.pidfd < 0)
			r = bad_child(err, -held.pidfd, "is gone");
	}
	if (r == 0) {
		snprintf(path, sizeof(path), "/proc/%d", held.child);
		held.proc = fd_above_stdio(open(path, O_PATH | O_DIRECTORY | O_CLOEXEC));
		if (held.proc < 0)
			r = bad_child(err, -held.proc, "is gone");
	}
	if (r < 0) {
		held_close(&held);
		return r;
	}
	*ret_held = held;
	return 0;
}

void held_close(struct held *held)
{
	close_fd(&held->pidfd);
	close_fd(&held->proc);
	close_fd(&held->netns);
	close_fd(&held->userns);
}

/* proc(5): pid (comm) state ppid; comm may hold anything, ")" too. */
static pid_t parent_in_stat(const char *text)
{
	const char *paren = strrchr(text, ')');
	int ppid = -1;

	if (paren && sscanf(paren + 1, " %*c %d", &ppid) != 1)
		ppid = -1;
	return ppid;
}

int verify_ancestry(struct held *held, pid_t guard, struct error *err)
{
	char path[64], text[1024];

	if (fd_read_file(held->proc, "stat", text, sizeof(text)) < 0)
		return bad_child(err, ESRCH, "is gone");
	held->monitor = parent_in_stat(text);
	snprintf(path, sizeof(path), "/proc/%d/stat", held->monitor);
	if (held->monitor <= 1 || fd_read_file(AT_FDCWD, path, text, sizeof(text)) < 0 ||
	    parent_in_stat(text) != guard)
		return bad_child(err, 0, "was not started by this run");
	held->ours = true;
	return 0;
}

/* ---- the block point --------------------------------------------------------------- */

/* The value of a "Name:\tvalue" line of /proc/PID/status, or NULL. */
static const char *status_field(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, n) == 0 && line[n] == ':')
			return line + n + 1;
	}
	return NULL;
}

static bool field_is_zero(const char *text, const char *name)
{
	const char *value = status_field(text, name);

	return value && strtoull(value, NULL, 16) == 0;
}

static int read_status(const struct held *held, char *text, size_t size,
		       struct error *err)
{
	ssize_t n = fd_read_file(held->proc, "status", text, size);

	return n < 0 ? bad_child(err, (int)-n, "is gone") : 0;
}

/* The command would be its child. */
static bool has_started(const struct held *held)
{
	char path[64], text[64];

	snprintf(path, sizeof(path), "task/%d/children", held->child);
	return fd_read_file(held->proc, path, text, sizeof(text)) > 0;
}

enum reads { READS_NOT, READS_GATE, READS_UNTOLD };

/* proc(5): the system call that a process waits in, and its arguments.  Where the kernel
 * does not tell (yama's ptrace_scope of 3), the dropped capabilities must do. */
static enum reads reads_from(const struct held *held, int gate)
{
	char text[256];
	unsigned long fd;
	long call;

	if (fd_read_file(held->proc, "syscall", text, sizeof(text)) <= 0)
		return READS_UNTOLD;
	return sscanf(text, "%ld %lx", &call, &fd) == 2 && call == SYS_read &&
			       fd == (unsigned long)gate
		       ? READS_GATE
		       : READS_NOT;
}

int verify_at_block_point(const struct held *held, int gate, bool thorough,
			  struct error *err)
{
	char text[8192];
	enum reads reads = reads_from(held, gate);
	int r;

	/* Whether it has dropped all before, verify_all says. */
	if (reads == READS_GATE)
		return 1;
	if (reads == READS_NOT && !thorough)
		return 0;
	r = read_status(held, text, sizeof(text), err);
	/* The launcher drops everything immediately before it reads the gate. */
	if (r < 0 || !field_is_zero(text, "CapPrm") || !field_is_zero(text, "CapEff"))
		return r;
	if (has_started(held))
		return bad_child(err, 0, "did not wait at the gate");
	return reads == READS_UNTOLD;
}

static int bad_privilege(struct error *err, const char *what)
{
	error_set(err, ERROR_VERIFY_PRIVILEGE, 0, "the held process %s", what);
	error_hint(err, "the command was not started; see `drupe preflight`");
	return -EPERM;
}

/* Whether every group of this line is OWN or one of MORE. */
static bool has_only(const char *line, gid_t own, const gid_t *more, size_t n)
{
	char *end;

	if (!line)
		return false;
	for (;; line = end) {
		bool known;
		gid_t group;

		line += strspn(line, " \t");
		if (*line == '\n')
			return true;
		group = (gid_t)strtoul(line, &end, 10);
		known = group == own;
		for (size_t i = 0; i < n && !known; i++)
			known = group == more[i];
		if (!known || end == line)
			return false;
	}
}

/* Where drupe took on another user (R14): its groups, and none of ours. */
static bool has_other_groups(const char *status, const struct identity *identity)
{
	return identity->drop &&
	       (!has_only(status_field(status, "Gid"), identity->gid, NULL, 0) ||
		!has_only(status_field(status, "Groups"), identity->gid, identity->groups,
			  identity->n_groups));
}

static int check_status(const struct held *held, const struct verify_input *input,
			struct error *err)
{
	static const char *const sets[] = { "CapInh", "CapPrm", "CapEff", "CapAmb" };
	unsigned ids[4] = { 0 };
	const char *value;
	char text[8192];
	int outer, inner, r = read_status(held, text, sizeof(text), err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		if (!field_is_zero(text, sets[i]))
			return bad_privilege(err, "has capabilities left");
	value = status_field(text, "NoNewPrivs");
	if (!value || atoi(value) != 1)
		return bad_privilege(err,
				     "could gain privileges (NoNewPrivs is not set)");
	value = status_field(text, "Uid");
	if (!value ||
	    sscanf(value, "%u %u %u %u", &ids[0], &ids[1], &ids[2], &ids[3]) != 4)
		return bad_privilege(err, "has no user ids to read");
	for (size_t i = 0; i < 4; i++)
		if (ids[i] != input->identity->uid)
			return bad_privilege(err, "runs as another user");
	if (has_other_groups(text, input->identity))
		return bad_privilege(err, "has groups that are not its user's");
	value = status_field(text, "NSpid");
	if (!value || sscanf(value, "%d %d", &outer, &inner) != 2 ||
	    outer != held->child || inner != 1)
		return bad_child(err, 0, "is not the init of a PID namespace of its own");
	return 0;
}

/* ---- namespaces -----------------------------------------------------------------------
 */

static int bad_private(struct error *err, const char *name, const char *what)
{
	char text[128];

	snprintf(text, sizeof(text), "the %s namespace %s", name, what);
	return bad_namespace(err, text);
}

static int check_namespaces(const struct held *held, const struct verify_input *input,
			    struct error *err)
{
	const struct drupe_child *report = input->report;
	const struct {
		const char *name;
		uint64_t reported; /* 0: the launcher does not report it */
	} namespaces[] = {
		{ "net", report->net_ns }, { "pid", report->pid_ns },
		{ "ipc", report->ipc_ns }, { "uts", report->uts_ns },
		{ "mnt", report->mnt_ns }, { "user", 0 },
	};

	for (size_t i = 0; i < sizeof(namespaces) / sizeof(namespaces[0]); i++) {
		const char *name = namespaces[i].name;
		struct stat own, child;
		char path[32];

		snprintf(path, sizeof(path), "/proc/self/ns/%s", name);
		if (stat(path, &own) < 0 ||
		    fstatat(held->proc, path + strlen("/proc/self/"), &child, 0) < 0)
			return bad_private(err, name, "cannot be read");
		if (own.st_ino == child.st_ino && own.st_dev == child.st_dev)
			return bad_private(err, name, "is the executor's own");
		if (namespaces[i].reported && namespaces[i].reported != child.st_ino)
			return bad_private(err, name, "is not the one that was reported");
	}
	return 0;
}

/* ---- descriptors and the gate ---------------------------------------------------- */

/* The flags in /proc/PID/fdinfo of descriptor NAME; UINT_MAX when they cannot be read. */
static unsigned descriptor_flags(const struct held *held, const char *name)
{
	char path[64], text[512];
	const char *flags;

	snprintf(path, sizeof(path), "fdinfo/%.20s", name);
	if (fd_read_file(held->proc, path, text, sizeof(text)) < 0)
		return UINT_MAX;
	flags = strstr(text, "flags:");
	return flags ? (unsigned)strtoul(flags + strlen("flags:"), NULL, 8) : UINT_MAX;
}

static bool same_object(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* R7: what is open beside 0, 1, 2 and is not closed by an exec is the gate; a directory
 * in that table would be a way out of the sandbox.  (bwrap itself keeps an O_PATH
 * descriptor of the host's /proc until it closes it before the exec.) */
static int check_descriptor(const struct held *held, const struct verify_gate *gate,
			    int dirfd, const char *name, bool ret_gate[2])
{
	unsigned flags = descriptor_flags(held, name);
	struct stat st, proc;
	int fd = atoi(name);

	if (fstatat(dirfd, name, &st, 0) < 0)
		return 0; /* closed in this moment */
	if (same_object(&st, &gate->st)) {
		if (fd == gate->read && !(flags & O_NONBLOCK))
			ret_gate[0] = true;
		if (fd == gate->write)
			ret_gate[1] = true;
		return 0;
	}
	if (fd <= STDERR_FILENO || (flags != UINT_MAX && (flags & O_CLOEXEC)))
		return 0;
	return stat("/proc", &proc) == 0 && same_object(&st, &proc) ? 0 : -EPERM;
}

/* R5: it reads a gate that blocks, and holds the other end, so that nothing but the
 * byte can let it go; and it has started nothing yet. */
static int check_descriptors(const struct held *held, const struct verify_input *input,
			     struct error *err)
{
	int fd = openat(held->proc, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	bool gate[2] = { false, false };
	struct dirent *entry;
	int r = 0;

	if (!dir) {
		close_fd(&fd);
		return bad_child(err, errno, "has no descriptors to look at");
	}
	while (r == 0 && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			r = check_descriptor(held, &input->gate, dirfd(dir),
					     entry->d_name, gate);
	closedir(dir);
	if (r < 0)
		return bad_privilege(err, "would hand a descriptor to the command");
	if (!gate[0] || !gate[1])
		return bad_child(err, 0, "does not wait at the gate");
	if (has_started(held))
		return bad_child(err, 0, "did not wait at the gate");
	return 0;
}

/* ---- all of it
 * --------------------------------------------------------------------------- */

int verify_all(const struct held *held, const struct verify_input *input,
	       struct error *err)
{
	static int (*const checks[])(const struct held *, const struct verify_input *,
				     struct error *) = {
		check_status,
		check_namespaces,
		check_descriptors,
		verify_mounts,
	};

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		int r = checks[i](held, input, err);

		if (r < 0)
			return r;
	}
	return verify_limits(held, input->plan, err);
}

/* What getrlimit(2) calls it and what /proc/PID/limits does.  prlimit(2) would need
 * CAP_SYS_RESOURCE where the caller is root and the child is not. */
static const struct {
	int resource;
	const char *label;
} limit_labels[] = {
	{ RLIMIT_NOFILE, "Max open files" }, { RLIMIT_CORE, "Max core file size" },
	{ RLIMIT_CPU, "Max cpu time" },	     { RLIMIT_FSIZE, "Max file size" },
	{ RLIMIT_AS, "Max address space" },  { RLIMIT_NPROC, "Max processes" },
	{ RLIMIT_STACK, "Max stack size" },  { RLIMIT_MEMLOCK, "Max locked memory" },
};

/* The hard limit, UINT64_MAX for unlimited; false: not told. */
static bool hard_limit(const char *text, int resource, uint64_t *ret_value)
{
	const char *label = NULL, *line;
	char hard[32];

	for (size_t i = 0; i < sizeof(limit_labels) / sizeof(limit_labels[0]); i++)
		if (limit_labels[i].resource == resource)
			label = limit_labels[i].label;
	line = label ? strstr(text, label) : NULL;
	if (!line || sscanf(line + strlen(label), " %*s %31s", hard) != 1)
		return false;
	*ret_value = strcmp(hard, "unlimited") == 0 ? UINT64_MAX
						    : strtoull(hard, NULL, 10);
	return true;
}

int verify_limits(const struct held *held, const struct plan *plan, struct error *err)
{
	char text[4096];
	ssize_t n = fd_read_file(held->proc, "limits", text, sizeof(text));

	if (n < 0)
		return bad_child(err, (int)-n, "does not tell its limits");
	for (size_t i = 0; i < plan->n_limits; i++) {
		const struct drupe_rlimit *limit = &plan->limits[i];
		uint64_t hard;

		if (!hard_limit(text, limit->resource, &hard))
			return bad_child(err, 0, "does not tell all its limits");
		if (limit->value <= hard)
			continue;
		error_set(err, ERROR_LIMIT_ABOVE_HARD, EPERM,
			  "cannot set RLIMIT %s to %llu: the hard limit is %llu",
			  limit->name, (unsigned long long)limit->value,
			  (unsigned long long)hard);
		error_hint(err,
			   "raise the caller's hard limit (limits.conf, LimitXXX= of its "
			   "unit), or lower `%s` in the policy",
			   limit->name);
		return -EPERM;
	}
	return 0;
}
