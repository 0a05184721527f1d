/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scope/cgroup-folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"

#define STEP_NS (2 * NS_PER_MS)
#define MAX_LEAVES \
	4096 /* per call: a process still alive inside could make them for ever */

int cgroup_folder_enter(int procs)
{
	return write(procs, "0", 1) == 1 ? 0 : -errno;
}

/* Open the first folder in FOLDER; -1: there is none. */
static int open_first(int folder, char name[static 256])
{
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	int found = -1;

	if (!dir) {
		if (copy >= 0)
			close(copy);
		return -1;
	}
	while (found < 0 && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' &&
		    (!entry->d_name[1] || !strcmp(entry->d_name, "..")))
			continue;
		/* The kernel's own entries are not folders. */
		found = openat(folder, entry->d_name,
			       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (found >= 0)
			snprintf(name, 256, "%s", entry->d_name);
	}
	closedir(dir);
	return found;
}

/* Where nested user namespaces are allowed, a command can mount cgroup2 and make groups
 * below, to any depth.  Remove one of the innermost. */
static bool remove_leaf(const char *path)
{
	int parent = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	char name[256], below[256];
	int child = parent < 0 ? -1 : open_first(parent, name);
	bool removed = false;

	while (child >= 0) {
		int next = open_first(child, below);

		if (next < 0) {
			removed = unlinkat(parent, name, AT_REMOVEDIR) == 0;
			close(child);
			break;
		}
		close(parent);
		parent = child;
		child = next;
		memcpy(name, below, sizeof(name));
	}
	if (parent >= 0)
		close(parent);
	return removed;
}

int cgroup_folder_remove(const char *path, uint64_t ms)
{
	const struct timespec step = { .tv_nsec = STEP_NS };
	int64_t deadline = deadline_in_ms(ms);
	int leaves = 0;

	while (rmdir(path) < 0) {
		if (errno == ENOENT)
			return 0;
		if (errno != EBUSY && errno != ENOTEMPTY)
			return -errno;
		if (leaves < MAX_LEAVES && remove_leaf(path)) {
			leaves++;
			continue;
		}
		if (clock_now() >= deadline)
			return -EBUSY;
		nanosleep(&step, NULL);
	}
	return 0;
}
