/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether the child waits at the gate. */
#include <string.h>
#include <sys/syscall.h>

#include "base/fd.h"
#include "base/procfile.h"
#include "verify/checks.h"

enum reads { READS_NOT, READS_GATE, READS_UNTOLD };

/* proc(5): the system call that a process waits in, and its arguments.  Where the kernel
 * hides it (yama's ptrace_scope 3), the dropped capabilities must do. */
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

	/* verify_all checks that it has dropped everything before. */
	if (reads == READS_GATE)
		return 1;
	if (reads == READS_NOT && !thorough)
		return 0;
	r = verify_read_status(held, text, sizeof(text), err);
	/* The launcher drops everything immediately before it reads the gate. */
	if (r < 0 || procfile_number(text, "CapPrm", 16) != 0 ||
	    procfile_number(text, "CapEff", 16) != 0)
		return r;
	if (verify_has_started(held))
		return verify_bad_child(err, 0, "did not wait at the gate");
	return reads == READS_UNTOLD;
}
