/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "guard/kill.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/procfile.h"

static void kill_if_child(const char *name)
{
	char path[300], text[512];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%s/stat", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	if (procfile_parent(text) == getpid())
		kill(atoi(name), SIGKILL);
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
			kill_if_child(entry->d_name);
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
