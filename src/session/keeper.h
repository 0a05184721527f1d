/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The private tmp of a lasting session is made and removed by a drupe-guard without a
 * launcher, so that it is removed even if the executor is killed between two commands.
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

/* On success the directory TMP exists. */
int keeper_start(struct keeper *keeper, const char *guard, const char *tmp,
		 const struct identity *identity, struct error *err);

/* Have it removed, and wait for that until a deadline. */
void keeper_stop(struct keeper *keeper);

#endif
