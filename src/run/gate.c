/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run/gate.h"

#include <errno.h>
#include <unistd.h>

#include "base/fd.h"

int gate_open(struct gate *gate, struct error *err)
{
	struct gate opened = GATE_NONE;
	int r;

	/* Blocking pipes: a read that does not block would release at once. */
	r = fd_pipe(&opened.info_read, &opened.info_write, err);
	if (r == 0)
		r = fd_pipe(&opened.status_read, &opened.status_write, err);
	if (r == 0)
		r = fd_pipe(&opened.block_read, &opened.block_write, err);
	if (r < 0) {
		gate_close(&opened);
		return r;
	}
	*gate = opened;
	return 0;
}

void gate_close_child_ends(struct gate *gate)
{
	close_fd(&gate->info_write);
	close_fd(&gate->status_write);
	close_fd(&gate->block_read);
}

int gate_release(struct gate *gate)
{
	/* One byte, once.  The caller of run_execute ignores or blocks SIGPIPE. */
	if (write(gate->block_write, "x", 1) != 1)
		return -errno;
	close_fd(&gate->block_write);
	return 0;
}

void gate_close(struct gate *gate)
{
	close_fd(&gate->info_read);
	close_fd(&gate->info_write);
	close_fd(&gate->status_read);
	close_fd(&gate->status_write);
	close_fd(&gate->block_read);
	close_fd(&gate->block_write);
}
