/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The checks of verify.c, and what they share.  Each only looks: 0, or -errno and a
 * refusal that names the wrong fact. */
#ifndef DRUPE_CHECKS_H
#define DRUPE_CHECKS_H

#include "verify/verify.h"

int verify_status(const struct held *held, const struct verify_input *input,
		  struct error *err);
int verify_namespaces(const struct held *held, const struct verify_input *input,
		      struct error *err);
int verify_descriptors(const struct held *held, const struct verify_input *input,
		       struct error *err);
/* Every planned mount is there and no other; the places are those that were checked. */
int verify_mounts(const struct held *held, const struct verify_input *input,
		  struct error *err);
/* The rlimits layer acts after the release, too late for a refusal. */
int verify_limits(const struct held *held, const struct verify_input *input,
		  struct error *err);

int verify_bad_child(struct error *err, int errnum, const char *what);
int verify_bad_namespace(struct error *err, const char *what);
int verify_bad_privilege(struct error *err, const char *what);

/* /proc/PID/status of the child. */
int verify_read_status(const struct held *held, char *text, size_t size,
		       struct error *err);

/* Whether the child has a child: that would be the command. */
bool verify_has_started(const struct held *held);

#endif
