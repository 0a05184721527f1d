/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/tree.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/procfile.h"

/* Those found so far; each is looked into once. */
struct found {
	pid_t *pids;
	size_t count, room;
};

static bool add(struct found *found, pid_t pid)
{
	if (found->count == found->room) {
		size_t room = found->room ? found->room * 2 : 256;
		pid_t *more = realloc(found->pids, room * sizeof(*more));

		if (!more)
			return false;
		found->pids = more;
		found->room = room;
	}
	found->pids[found->count++] = pid;
	return true;
}

/* A number that was read may have been reused since.  What the handle is of is a child of
 * PARENT, or dead. */
static void kill_child(pid_t pid, pid_t parent)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (pidfd < 0)
		return;
	if (procfile_parent_of(pid) == parent)
		(void)syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
	close(pidfd);
}

static void take_children(struct found *found, pid_t parent, const char *task)
{
	char path[128];
	FILE *file;
	int pid;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/children", (int)parent, task);
	file = fopen(path, "re");
	if (!file)
		return;
	while (fscanf(file, "%d", &pid) == 1) {
		kill_child(pid, parent);
		if (!add(found, pid))
			break;
	}
	fclose(file);
}

/* A child is listed with the thread that made it. */
static void look_into(struct found *found, pid_t parent)
{
	struct dirent *entry;
	char path[64];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)parent);
	tasks = opendir(path);
	if (!tasks)
		return;
	while ((entry = readdir(tasks)))
		if (entry->d_name[0] != '.')
			take_children(found, parent, entry->d_name);
	closedir(tasks);
}

void tree_kill(pid_t root)
{
	struct found found = { NULL, 0, 0 };

	look_into(&found, root);
	for (size_t i = 0; i < found.count; i++)
		look_into(&found, found.pids[i]);
	free(found.pids);
}
