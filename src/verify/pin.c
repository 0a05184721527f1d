/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The child itself: its namespaces pinned, its ancestry checked. */
#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/pidfd.h>

#include "base/fd.h"
#include "base/procfile.h"
#include "verify/checks.h"

static int pin_owner(struct held *held, const struct identity *identity,
		     struct error *err)
{
	uid_t owner;

	if (ioctl(held->netns, NS_GET_NSTYPE) != CLONE_NEWNET)
		return verify_bad_namespace(
			err, "pinned namespace is not a network namespace");
	held->userns = fd_above_stdio(ioctl(held->netns, NS_GET_USERNS));
	if (held->userns < 0)
		return verify_bad_namespace(
			err, "the owner of the network namespace cannot be determined");
	if (ioctl(held->userns, NS_GET_NSTYPE) != CLONE_NEWUSER)
		return verify_bad_namespace(err,
					    "owning namespace is not a user namespace");
	if (ioctl(held->userns, NS_GET_OWNER_UID, &owner) < 0 || owner != identity->uid)
		return verify_bad_namespace(
			err, "the owning user namespace belongs to another user");
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
		return verify_bad_child(err, -held.netns,
					"has no network namespace to pin");
	if (fstat(held.netns, &st) < 0 || st.st_ino != report->net_ns)
		r = verify_bad_namespace(
			err, "pinned network namespace does not match namespace info");
	else
		r = pin_owner(&held, identity, err);
	if (r == 0) {
		held.child = (pid_t)report->pid;
		held.pidfd = fd_above_stdio(pidfd_open(held.child, 0));
		if (held.pidfd < 0)
			r = verify_bad_child(err, -held.pidfd, "is gone");
	}
	if (r == 0) {
		snprintf(path, sizeof(path), "/proc/%d", held.child);
		held.proc = fd_above_stdio(open(path, O_PATH | O_DIRECTORY | O_CLOEXEC));
		if (held.proc < 0)
			r = verify_bad_child(err, -held.proc, "is gone");
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

int verify_ancestry(struct held *held, pid_t guard, struct error *err)
{
	char path[64], text[1024];

	if (fd_read_file(held->proc, "stat", text, sizeof(text)) < 0)
		return verify_bad_child(err, ESRCH, "is gone");
	held->monitor = procfile_parent(text);
	snprintf(path, sizeof(path), "/proc/%d/stat", held->monitor);
	if (held->monitor <= 1 || fd_read_file(AT_FDCWD, path, text, sizeof(text)) < 0 ||
	    procfile_parent(text) != guard)
		return verify_bad_child(err, 0, "was not started by this run");
	held->ours = true;
	return 0;
}
