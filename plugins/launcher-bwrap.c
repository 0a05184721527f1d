/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Namespaces, mounts and environment by bubblewrap.  Behaviour that bwrap(1) does not
 * document is noted where this file relies on it.
 */
#include "drupe-backend.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <string.h>

/* Reports are a few hundred bytes; anything longer was not written by bwrap. */
#define REPORT_MAX 4096

enum feature { FEATURE_BIND_FD, FEATURE_RO_BIND_FD };
static const char *const features[] = {
	[FEATURE_BIND_FD] = "--bind-fd",
	[FEATURE_RO_BIND_FD] = "--ro-bind-fd",
	NULL,
};

/* ---- words ---- */

/* A bind by descriptor is immune to a path that is swapped for a link after the check. */
static void push_bind(const struct drupe_call *call, const struct drupe_mount *mount,
		      struct drupe_words *words)
{
	bool writable = mount->op == DRUPE_MOUNT_BIND;
	enum feature by_fd = writable ? FEATURE_BIND_FD : FEATURE_RO_BIND_FD;

	if (mount->fd) {
		call->host->push(words, features[by_fd]);
		call->host->push(words, mount->fd);
	} else {
		call->host->push(words, writable ? "--bind" : "--ro-bind");
		call->host->push(words, mount->source);
	}
	call->host->push(words, mount->dest);
}

/* --perms and --size apply only to the next operation. */
static void push_perms(const struct drupe_call *call, unsigned perms,
		       struct drupe_words *words)
{
	if (perms == 0)
		return;
	call->host->push(words, "--perms");
	call->host->pushf(words, "%04o", perms);
}

static void push_tmpfs(const struct drupe_call *call, const struct drupe_mount *mount,
		       struct drupe_words *words)
{
	push_perms(call, mount->perms, words);
	call->host->push(words, "--size");
	call->host->pushf(words, "%llu", (unsigned long long)mount->bytes);
	call->host->push(words, "--tmpfs");
	call->host->push(words, mount->dest);
}

/* bwrap's default is 0600, which only the owner could read. */
static void push_data(const struct drupe_call *call, const struct drupe_mount *mount,
		      struct drupe_words *words)
{
	push_perms(call, mount->perms ? mount->perms : 0444, words);
	call->host->push(words, "--ro-bind-data");
	call->host->push(words, mount->fd);
	call->host->push(words, mount->dest);
}

static void push_dir(const struct drupe_call *call, const struct drupe_mount *mount,
		     struct drupe_words *words)
{
	push_perms(call, mount->perms, words);
	call->host->push(words, "--dir");
	call->host->push(words, mount->dest);
}

/* The operations that take a single option, with or without a source before the dest. */
static const struct {
	const char *option;
	bool has_source;
} plain_mounts[] = {
	[DRUPE_MOUNT_RO_BIND_TRY] = { "--ro-bind-try", true },
	[DRUPE_MOUNT_SYMLINK] = { "--symlink", true },
	[DRUPE_MOUNT_PROC] = { "--proc", false },
	[DRUPE_MOUNT_DEV] = { "--dev", false },
	[DRUPE_MOUNT_REMOUNT_RO] = { "--remount-ro", false },
};

static void push_mount(const struct drupe_call *call, const struct drupe_mount *mount,
		       struct drupe_words *words)
{
	switch (mount->op) {
	case DRUPE_MOUNT_BIND:
	case DRUPE_MOUNT_RO_BIND:
		push_bind(call, mount, words);
		return;
	case DRUPE_MOUNT_TMPFS:
		push_tmpfs(call, mount, words);
		return;
	case DRUPE_MOUNT_DIR:
		push_dir(call, mount, words);
		return;
	case DRUPE_MOUNT_DATA:
		push_data(call, mount, words);
		return;
	case DRUPE_MOUNT_RO_BIND_TRY:
	case DRUPE_MOUNT_SYMLINK:
	case DRUPE_MOUNT_PROC:
	case DRUPE_MOUNT_DEV:
	case DRUPE_MOUNT_REMOUNT_RO:
		call->host->push(words, plain_mounts[mount->op].option);
		if (plain_mounts[mount->op].has_source)
			call->host->push(words, mount->source);
		call->host->push(words, mount->dest);
		return;
	}
	call->host->fail(words, ENOTSUP,
			 "the mount operation %d of %s is not known to bwrap",
			 (int)mount->op, mount->dest);
}

static void push_all(const struct drupe_call *call, const char *const *list,
		     struct drupe_words *words)
{
	for (; *list; list++)
		call->host->push(words, *list);
}

static void bwrap_words(const struct drupe_call *call, const struct drupe_launch *launch,
			struct drupe_words *words)
{
	static const char *const namespaces[] = { BWRAP_PATH,
						  "--unshare-user",
						  "--unshare-pid",
						  "--unshare-ipc",
						  "--unshare-uts",
						  "--unshare-net",
						  NULL };
	static const char *const lifetime[] = { "--die-with-parent", "--new-session",
						"--cap-drop",	     "ALL",
						"--clearenv",	     NULL };
	const char *const gate[] = { "--chdir",		 launch->chdir,
				     "--info-fd",	 launch->info_fd,
				     "--json-status-fd", launch->status_fd,
				     "--block-fd",	 launch->block_fd,
				     "--sync-fd",	 launch->sync_fd };

	push_all(call, namespaces, words);
	if (!launch->nested_userns)
		call->host->push(words, "--disable-userns");
	push_all(call, lifetime, words);
	for (size_t i = 0; launch->env_names[i]; i++) {
		call->host->push(words, "--setenv");
		call->host->push(words, launch->env_names[i]);
		call->host->push(words, launch->env_values[i]);
	}
	for (size_t i = 0; i < launch->n_mounts; i++)
		push_mount(call, drupe_mount_at(launch, i), words);
	/* Not push_all: a missing descriptor (NULL) must fail the run, since bwrap
	 * without --block-fd starts the command at once. */
	for (size_t i = 0; i < sizeof(gate) / sizeof(gate[0]); i++)
		call->host->push(words, gate[i]);
	call->host->push(words, "--");
}

/* ---- reports ---- */

/* A positive integer of at most MAX, and nothing that merely looks like one. */
static bool get_positive(const json_t *object, const char *key, json_int_t max,
			 json_int_t *ret)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_integer(value) || json_integer_value(value) < 1 ||
	    json_integer_value(value) > max)
		return false;
	*ret = json_integer_value(value);
	return true;
}

static bool get_inode(const json_t *object, const char *key, uint64_t *ret)
{
	json_int_t value;

	if (!get_positive(object, key, LLONG_MAX, &value))
		return false;
	*ret = (uint64_t)value;
	return true;
}

/* bwrap writes it in several pieces and then closes the descriptor.  The host has read
 * to the end, so an incomplete text is one that bwrap did not finish. */
static int bwrap_parse_info(const struct drupe_call *call, const char *text,
			    size_t length, struct drupe_child *ret_child)
{
	struct drupe_child child = { .size = ret_child->size };
	json_int_t pid;
	json_t *report;
	bool good;

	(void)call;
	if (length > REPORT_MAX)
		return -EBADMSG;
	report = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
	good = json_is_object(report) &&
	       get_positive(report, "child-pid", INT_MAX, &pid) &&
	       get_inode(report, "net-namespace", &child.net_ns) &&
	       get_inode(report, "pid-namespace", &child.pid_ns) &&
	       get_inode(report, "ipc-namespace", &child.ipc_ns) &&
	       get_inode(report, "uts-namespace", &child.uts_ns) &&
	       get_inode(report, "mnt-namespace", &child.mnt_ns);
	json_decref(report);
	if (!good)
		return -EBADMSG;
	child.pid = pid;
	*ret_child = child;
	return 0;
}

/* One line of the status.  There is an exit code only if the command was started: a
 * failed set-up has none, whatever bwrap's own status is. */
static int parse_status_line(const char *line, size_t length, struct drupe_exit *exit)
{
	json_t *report = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
	const json_t *code = json_object_get(report, "exit-code");
	int r = json_is_object(report) ? 0 : -EBADMSG;

	if (code && (!json_is_integer(code) || json_integer_value(code) < 0 ||
		     json_integer_value(code) > 255))
		r = -EBADMSG;
	if (code && r == 0) {
		exit->exited = true;
		exit->status = (int32_t)json_integer_value(code);
	}
	json_decref(report);
	return r;
}

static int bwrap_parse_status(const struct drupe_call *call, const char *text,
			      size_t length, struct drupe_exit *ret_exit)
{
	struct drupe_exit exit = { .size = ret_exit->size };
	const char *end = text + length;

	(void)call;
	if (length > REPORT_MAX)
		return -EBADMSG;
	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((newline ? newline : end) - text);

		if (n > 0 && parse_status_line(text, n, &exit) < 0)
			return -EBADMSG;
		text += newline ? n + 1 : n;
	}
	*ret_exit = exit;
	return 0;
}

/* ---- diagnosis ---- */

#define USERNS "userns-denied"
#define PROC "proc-denied"
#define FAILED "launcher-failed"

/*
 * What bwrap prints, specific messages before general ones.  The wording differs
 * between versions and distributions, so each needle is what they have in common.
 */
static const struct {
	const char *needle, *code, *cause, *remedy;
} diagnoses[] = {
	{ "namespaces exceeded (ENOSPC)", USERNS,
	  "the kernel allows no further namespace: user.max_user_namespaces or another "
	  "user.max_*_namespaces is 0 or used up, or drupe itself runs in a sandbox that "
	  "forbids user namespaces",
	  "raise it (sysctl user.max_user_namespaces=15000), or in an outer sandbox of "
	  "drupe set nested_userns: true" },
	{ "Creating new namespace failed: Resource temporarily unavailable", FAILED,
	  "this user may not start another process",
	  "raise TasksMax of the unit or slice, or RLIMIT_NPROC (ulimit -u), for the "
	  "user "
	  "of drupe" },
	{ "fork for pid 1", FAILED, "this user may not start another process",
	  "raise TasksMax of the unit or slice, or RLIMIT_NPROC (ulimit -u), for the "
	  "user "
	  "of drupe" },
	{ "No permissions to creat", /* "create", "creating", "create a", "creating a" */
	  USERNS, "the kernel, or a seccomp filter around drupe, forbids user namespaces",
	  "sysctl kernel.unprivileged_userns_clone=1 where that key exists; in a unit "
	  "remove RestrictNamespaces=; in a container allow unshare and clone with "
	  "CLONE_NEWUSER" },
	{ "setting up uid map: Permission denied", USERNS,
	  "AppArmor restricts unprivileged user namespaces on this system",
	  "install drupe's AppArmor profile, or sysctl "
	  "kernel.apparmor_restrict_unprivileged_userns=0" },
	{ "loopback: Failed RTM_NEWADDR: Operation not permitted", USERNS,
	  "AppArmor or the container lets the user namespace be made but gives it no "
	  "capabilities",
	  "install drupe's AppArmor profile, or sysctl "
	  "kernel.apparmor_restrict_unprivileged_userns=0; the private network stays" },
	{ "loopback: Failed RTM_NEWADDR: No child processes", FAILED,
	  "another program raised the private loopback device before bwrap did",
	  "find out which program attaches to new network namespaces on this host" },
	{ "loopback: ", FAILED,
	  "the loopback device of the private network could not be set up",
	  "check whether a seccomp filter or the container's runtime forbids netlink "
	  "sockets" },
	{ "mount proc on", PROC,
	  "an outer container masks parts of /proc, so the kernel refuses a new procfs",
	  "run the container with an unmasked /proc (podman: --security-opt "
	  "unmask=/proc/*; Kubernetes: procMount: Unmasked with hostUsers: false); in a "
	  "unit remove ProtectKernelTunables=" },
	{ "overflowuid", PROC, "/proc/sys cannot be read here",
	  "in a unit remove ProcSubset=pid; in a container mount the whole /proc" },
	{ "to make / slave", USERNS,
	  "mounting is forbidden here, by a seccomp filter or a security module",
	  "allow mount, umount2 and pivot_root in the container's seccomp profile" },
	{ "setuid use of bubblewrap", FAILED,
	  "this bwrap is set-uid and refuses to run that way", "chmod u-s " BWRAP_PATH },
	{ "Unexpected capabilities but not setuid", FAILED,
	  "drupe was started with capabilities by a user other than root",
	  "remove AmbientCapabilities= from the unit" },
	{ "Exceeded maximum number of arguments", "arguments-too-long",
	  "bwrap takes at most 9000 words, its own and those of the command together",
	  "give the command fewer arguments: through a file, or standard input" },
	{ "Argument list too long", "arguments-too-long",
	  "the words and variables of the command are longer than the kernel takes",
	  "give the command fewer or shorter arguments: through a file, or standard "
	  "input" },
	{ "Unknown option", FAILED, "this bwrap is too old",
	  "install bubblewrap 0.8.0 or newer" },
	{ "find source path", FAILED,
	  "a file or folder to show to the command does not exist",
	  "check the path that bwrap names; it was removed, or the policy misspells "
	  "it" },
	{ "Too many levels of symbolic links", FAILED,
	  "a path to show to the command leads through a loop of links",
	  "name the real path in the policy" },
	{ "chdir to", FAILED, "the working folder does not exist in the command's view",
	  "check whether the workspace was removed or replaced meanwhile" },
	{ "remount readonly", FAILED, "a mount could not be sealed read-only",
	  "check the path that bwrap names: a file system mounted there or below it "
	  "may be locked by an outer container" },
	{ "Can't mkdir", FAILED, "a mount point could not be made",
	  "check the path that bwrap names: its parent is read-only or not a folder" },
	{ "Can't create file", FAILED, "a mount point could not be made",
	  "check the path that bwrap names: its parent is read-only or not a folder" },
	{ "execvp ", FAILED,
	  "the program that sets the rlimits is not in the command's view",
	  "it must lie below /usr, with the libraries it needs" },
	{ "Permission denied", FAILED,
	  "a path to show cannot be reached by the user that runs bwrap",
	  "give that user search permission (x) on each folder above it" },
};

static void bwrap_diagnose(const struct drupe_call *call, const char *text,
			   struct drupe_diagnosis *ret_diagnosis)
{
	(void)call;
	for (size_t i = 0; i < sizeof(diagnoses) / sizeof(diagnoses[0]); i++) {
		if (!strstr(text, diagnoses[i].needle))
			continue;
		ret_diagnosis->code = diagnoses[i].code;
		ret_diagnosis->cause = diagnoses[i].cause;
		ret_diagnosis->remedy = diagnoses[i].remedy;
		return;
	}
}

/* ---- the one object ---- */

static const struct drupe_guarantee_word guarantees[] = {
	{ DRUPE_UNSHARE_USER, "--unshare-user" },
	{ DRUPE_UNSHARE_PID, "--unshare-pid" },
	{ DRUPE_UNSHARE_IPC, "--unshare-ipc" },
	{ DRUPE_UNSHARE_UTS, "--unshare-uts" },
	{ DRUPE_UNSHARE_NET, "--unshare-net" },
	{ DRUPE_CLEAR_ENVIRONMENT, "--clearenv" },
	{ DRUPE_DIE_WITH_PARENT, "--die-with-parent" },
	{ DRUPE_NEW_SESSION, "--new-session" },
	{ DRUPE_DROP_CAPABILITIES, "--cap-drop" },
};

static const struct drupe_launcher_ops ops = {
	.size = sizeof(ops),
	.guarantees = guarantees,
	.n_guarantees = sizeof(guarantees) / sizeof(guarantees[0]),
	.guarantee_size = sizeof(guarantees[0]),
	.words = bwrap_words,
	.parse_info = bwrap_parse_info,
	.parse_status = bwrap_parse_status,
	.diagnose = bwrap_diagnose,
	.bind_fd_features = UINT64_C(1) << FEATURE_BIND_FD |
			    UINT64_C(1) << FEATURE_RO_BIND_FD,
};

DRUPE_BACKEND_EXPORT = {
	.size = sizeof(struct drupe_backend),
	.abi = DRUPE_BACKEND_ABI,
	.kind = DRUPE_KIND_LAUNCHER,
	.name = "bwrap",
	.version = BACKEND_VERSION,
	.summary = "namespaces, mounts and environment by bubblewrap",
	.tool = BWRAP_PATH,
	.tool_features = features,
	.launcher = &ops,
};
