/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "guard/kill.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/procfile.h"

static void kill_if_child(pid_t pid)
{
	if (procfile_parent_of(pid) == getpid())
		kill(pid, SIGKILL);
}

/* Where the kernel has no …/children file (CONFIG_PROC_CHILDREN). */
static void kill_by_scan(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	if (!proc)
		return;
	while ((entry = readdir(proc)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			kill_if_child(atoi(entry->d_name));
	closedir(proc);
}

void guard_kill_children(void)
{
	char path[64];
	FILE *file;
	int pid;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	file = fopen(path, "re");
	if (!file) {
		kill_by_scan();
		return;
	}
	while (fscanf(file, "%d", &pid) == 1)
		kill(pid, SIGKILL); /* not reaped yet, so not reused */
	fclose(file);
}
