/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Folders and files of the host that the command may see: opened once, named after what
 * was opened, with the verdict whether and where they may be shown.
 */
#ifndef DRUPE_PLACE_H
#define DRUPE_PLACE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/identity.h"
#include "policy/policy.h"

/* A host path that is held open by an O_PATH descriptor. */
struct place {
	char *path; /* canonical: the descriptor's own path, without links */
	int fd;
	struct stat st;
};

#define PLACE_NONE        \
	{                 \
		NULL, -1, \
		{         \
			0 \
		}         \
	}

/* Open PATH; CODE is the refusal if that fails (errno is kept). */
int place_open(const char *path, bool directory, enum error_code code,
	       struct place *ret_place, struct error *err);
void place_close(struct place *place);

/* Refuse with CODE if the folder, called WHAT, was removed after it was opened, or
 * another one now hides it.  One that was moved is still there. */
int place_check_present(const struct place *place, enum error_code code, const char *what,
			struct error *err);

/* Whether the user can enter it: if not, the launcher would fail with a less clear
 * error. */
int place_check_access(const struct place *place, const struct identity *identity,
		       struct error *err);

/* Where a workspace is shown. */
enum place_verdict {
	PLACE_REFUSED,	/* must not be a workspace; err says why */
	PLACE_MIRROR,	/* at its own path */
	PLACE_FALLBACK, /* at /workspace: its own path would be unsafe to mirror */
};

/* TMP_ROOT contains the private tmps. */
enum place_verdict place_judge(const struct place *place, const char *tmp_root,
			       const struct identity *identity, struct error *err);

/*
 * An outside read that the command line names: absolute, covered by one of the granted
 * prefixes as named and as resolved, and not a place that is never shown.  *ret_dest is
 * where it is mounted (its own path; free it), NULL when there is no need: it is gone
 * (-try), or below /usr, which is visible anyway.
 */
int place_open_read(const char *path, const struct strings *granted, const char *tmp_root,
		    struct place *ret_place, char **ret_dest, struct error *err);

#endif
