/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the child has open: the gate, and nothing that an exec would keep. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/procfile.h"
#include "verify/checks.h"

/* The flags in /proc/PID/fdinfo of descriptor NAME; UINT_MAX when they cannot be read. */
static unsigned descriptor_flags(const struct held *held, const char *name)
{
	char path[64], text[512];

	snprintf(path, sizeof(path), "fdinfo/%.20s", name);
	if (fd_read_file(held->proc, path, text, sizeof(text)) < 0)
		return UINT_MAX;
	return (unsigned)procfile_number(text, "flags", 8);
}

static bool same_object(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* R7: beyond 0, 1 and 2 only the gate may stay open across an exec; an open directory
 * would be a way out of the sandbox.  (bwrap holds an O_PATH descriptor of the host's
 * /proc, and closes it before the exec.) */
static int check_descriptor(const struct held *held, const struct verify_gate *gate,
			    int dirfd, const char *name, bool ret_gate[2])
{
	unsigned flags = descriptor_flags(held, name);
	struct stat st, proc;
	int fd = atoi(name);

	if (fstatat(dirfd, name, &st, 0) < 0)
		return 0; /* closed meanwhile */
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

/* R5: the child reads a blocking gate and holds its other end too, so that only the byte
 * can let it go; and it has started nothing yet. */
int verify_descriptors(const struct held *held, const struct verify_input *input,
		       struct error *err)
{
	DIR *dir = fd_listing(held->proc, "fd");
	bool gate[2] = { false, false };
	struct dirent *entry;
	int r = 0;

	if (!dir)
		return verify_bad_child(err, errno, "has no descriptors to look at");
	while (r == 0 && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			r = check_descriptor(held, &input->gate, dirfd(dir),
					     entry->d_name, gate);
	closedir(dir);
	if (r < 0)
		return verify_bad_privilege(err,
					    "would hand a descriptor to the command");
	if (!gate[0] || !gate[1])
		return verify_bad_child(err, 0, "does not wait at the gate");
	if (verify_has_started(held))
		return verify_bad_child(err, 0, "did not wait at the gate");
	return 0;
}
