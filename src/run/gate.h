/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The gate at which every command is held, and the only place that opens it.
 *
 * The launcher reads one byte from `block` before it starts the command.  It gets
 * both ends of that pipe, so that closing ours cannot look like a release: the
 * byte is the only one (R5).
 */
#ifndef DRUPE_GATE_H
#define DRUPE_GATE_H

#include "base/error.h"

struct gate {
	int info_read, info_write;     /* the report about the child */
	int status_read, status_write; /* how the command ended */
	int block_read, block_write;
};

#define GATE_NONE                      \
	{                              \
		-1, -1, -1, -1, -1, -1 \
	}

int gate_open(struct gate *gate, struct error *err);

/* After the spawn: keep only our ends. */
void gate_close_child_ends(struct gate *gate);

/* Let the command go.  -EPIPE: the child is gone, the command never ran. */
int gate_release(struct gate *gate);

void gate_close(struct gate *gate);

#endif
