/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the child sees: the mount table against the plan, and the places themselves. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "base/fd.h"
#include "base/path.h"
#include "verify/checks.h"
#include "verify/mountinfo.h"

static int bad_mount(struct error *err, const char *dest, const char *what)
{
	error_set(err, ERROR_VERIFY_MOUNT, 0, "%s inside the sandbox %s", dest, what);
	error_hint(err, "the command was not started; something changed the folder "
			"meanwhile, or the launcher did not do as it was told");
	return -EPERM;
}

static int check_mount(const struct mountinfo *table, const struct drupe_mount *mount,
		       const struct mount_source *source, struct error *err)
{
	const struct mount_line *line = mountinfo_top(table, mount->dest);

	switch (mount->op) {
	case DRUPE_MOUNT_DIR:
	case DRUPE_MOUNT_SYMLINK:
	case DRUPE_MOUNT_RO_BIND_TRY:
		return 0;
	case DRUPE_MOUNT_PROC:
		return line && strcmp(line->type, "proc") == 0
			       ? 0
			       : bad_mount(err, mount->dest, "is not a fresh procfs");
	case DRUPE_MOUNT_TMPFS:
		if (!line || strcmp(line->type, "tmpfs") != 0)
			return bad_mount(err, mount->dest, "is not a tmpfs");
		return 0;
	case DRUPE_MOUNT_RO_BIND:
	case DRUPE_MOUNT_DATA:
	case DRUPE_MOUNT_REMOUNT_RO:
		return line && line->read_only
			       ? 0
			       : bad_mount(err, mount->dest, "is not mounted read-only");
	case DRUPE_MOUNT_BIND:
	case DRUPE_MOUNT_DEV:
		if (!line)
			return bad_mount(err, mount->dest, "is not mounted");
		if (source->writable && line->read_only)
			return bad_mount(err, mount->dest,
					 "is read-only (is it so on the host?)");
		return 0;
	}
	return bad_mount(err, mount->dest, "is of a kind that cannot be verified");
}

static bool is_device(const char *point)
{
	static const char *const devices[] = { "/dev/null",   "/dev/zero",    "/dev/full",
					       "/dev/random", "/dev/urandom", "/dev/tty",
					       "/dev/pts" };

	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
		if (strcmp(point, devices[i]) == 0)
			return true;
	return false;
}

/* The innermost planned mount that LINE is or lies in; the last one if several share the
 * place. */
static size_t planned_mount(const struct plan *plan, const struct mount_line *line)
{
	size_t longest = 0, found = plan->n_mounts;

	for (size_t i = 0; i < plan->n_mounts; i++) {
		size_t length = strlen(plan->mounts[i].dest);

		if (plan->mounts[i].op != DRUPE_MOUNT_REMOUNT_RO &&
		    plan->mounts[i].op != DRUPE_MOUNT_SYMLINK && length >= longest &&
		    path_is_within(line->point, plan->mounts[i].dest)) {
			longest = length;
			found = i;
		}
	}
	return found;
}

/* Whether LINE lies in a bind, where the host has a mount too. */
static bool came_along(const struct drupe_mount *mount, const struct mount_line *line,
		       struct mountinfo *host)
{
	char path[PATH_MAX];

	if (!mount ||
	    (mount->op != DRUPE_MOUNT_BIND && mount->op != DRUPE_MOUNT_RO_BIND &&
	     mount->op != DRUPE_MOUNT_RO_BIND_TRY))
		return false;
	if (!host->lines) { /* read once, and only if needed */
		_cleanup_close_ int self = open("/proc/self",
						O_PATH | O_DIRECTORY | O_CLOEXEC);

		if (self < 0 || mountinfo_read(self, host) < 0)
			return false;
	}
	snprintf(path, sizeof(path), "%s%s", mount->source,
		 line->point + strlen(mount->dest));
	return mountinfo_top(host, path) != NULL;
}

/* Every mount is planned, or came along with a planned bind (what the host has mounted
 * below that folder), or is one of the launcher's minimal devices or covers in /proc.
 * None outside the plan is writable. */
static int check_line(const struct plan *plan, const struct mount_line *line,
		      struct mountinfo *host, struct error *err)
{
	size_t i = planned_mount(plan, line);
	const struct drupe_mount *mount = i < plan->n_mounts ? &plan->mounts[i] : NULL;
	bool is_planned = mount && strcmp(mount->dest, line->point) == 0;
	bool is_proc = mount && mount->op == DRUPE_MOUNT_PROC;

	if (line->hidden || strcmp(line->point, "/") == 0 || is_device(line->point))
		return line->read_only || line->hidden || is_device(line->point)
			       ? 0
			       : bad_mount(err, line->point,
					   "is writable and must not be");
	if (!is_planned && !is_proc && !came_along(mount, line, host))
		return bad_mount(err, line->point, "is mounted and was not planned");
	if (!line->read_only && !plan->sources[i].writable && !(is_proc && is_planned))
		return bad_mount(err, line->point, "is writable and must not be");
	return 0;
}

static int check_table(const struct held *held, const struct verify_input *input,
		       struct error *err)
{
	const struct plan *plan = input->plan;
	_cleanup_mountinfo_ struct mountinfo table = { 0 }, host = { 0 };
	int r = mountinfo_read(held->proc, &table);

	if (r < 0)
		return error_set(err, ERROR_VERIFY_MOUNT, -r,
				 "the child's mount table cannot be read: %s",
				 strerror(-r));
	for (size_t i = 0; r == 0 && i < plan->n_mounts; i++)
		r = check_mount(&table, &plan->mounts[i], &plan->sources[i], err);
	for (size_t i = 0; r == 0 && i < table.count; i++)
		r = check_line(plan, &table.lines[i], &host, err);
	return r;
}

static int check_places(const struct held *held, const struct verify_input *input,
			struct error *err)
{
	const struct plan *plan = input->plan;
	_cleanup_close_ int root = openat(held->proc, "root",
					  O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat st, own_proc;

	if (root < 0)
		return bad_mount(err, "/", "cannot be looked at");
	for (size_t i = 0; i < plan->n_mounts; i++) {
		const struct place *place = plan->sources[i].place;
		_cleanup_close_ int seen = -1;

		if (!place)
			continue;
		seen = path_open_in(root, plan->mounts[i].dest);
		if (seen < 0 || fstat(seen, &st) < 0)
			return bad_mount(err, plan->mounts[i].dest,
					 "cannot be looked at");
		if (st.st_dev != place->st.st_dev || st.st_ino != place->st.st_ino)
			return bad_mount(err, plan->mounts[i].dest,
					 "is not the folder that was checked");
	}
	/* A procfs of the child's own PID namespace is a different file system from
	 * ours. */
	if (stat("/proc", &own_proc) < 0 || fstatat(root, "proc", &st, 0) < 0 ||
	    st.st_dev == own_proc.st_dev)
		return bad_mount(err, "/proc", "is the host's");
	/* Below /usr, just verified to be the read-only one. */
	if (fstatat(root, backend_tool(input->rlimits) + 1, &st, 0) < 0 ||
	    st.st_dev != input->rlimits->tool_dev ||
	    st.st_ino != input->rlimits->tool_ino) {
		error_set(err, ERROR_VERIFY_TOOL, 0,
			  "%s inside the sandbox is not the checked one",
			  backend_tool(input->rlimits));
		error_hint(err, "it must be the same file below /usr, for host and "
				"sandbox");
		return -EPERM;
	}
	return 0;
}

int verify_mounts(const struct held *held, const struct verify_input *input,
		  struct error *err)
{
	int r = check_table(held, input, err);

	return r < 0 ? r : check_places(held, input, err);
}
