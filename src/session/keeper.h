/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The private tmp of a lasting session: made, and removed at the end, by a drupe-guard
 * without a launcher.  So it goes with a killed executor also between two commands.
 */
#ifndef DRUPE_KEEPER_H
#define DRUPE_KEEPER_H

#include <sys/types.h>

#include "base/error.h"
#include "base/identity.h"

struct keeper {
	int pidfd;   /* -1: none */
	int control; /* lifeline */
};

#define KEEPER_NONE    \
	{              \
		-1, -1 \
	}

/* When 0 is returned the directory TMP is there. */
int keeper_start(struct keeper *keeper, const char *guard, const char *tmp,
		 const struct identity *identity, struct error *err);

/* Have it removed, and wait for that, bounded. */
void keeper_stop(struct keeper *keeper);

#endif
