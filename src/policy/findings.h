/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is wrong with a policy, and where in its file. */
#ifndef DRUPE_FINDINGS_H
#define DRUPE_FINDINGS_H

#include <stdarg.h>
#include <stddef.h>

#include "base/error.h"

struct location {
	unsigned line, column; /* counted from 1; 0: not in the file */
};

struct finding {
	struct location where;
	char *text; /* "what, and what would be right" */
};

struct findings {
	struct finding *items;
	size_t count;
	char *source; /* the policy that was read, or NULL: none was */
};

/* 0 or -ENOMEM. */
int findings_add(struct findings *findings, struct location where, const char *format,
		 ...) __attribute__((format(printf, 3, 4)));
int findings_vadd(struct findings *findings, struct location where, const char *format,
		  va_list args);

/* Sort them in file order and fill ERR with the first one and the number of others in
 * the policy SOURCE. */
int findings_report(struct findings *findings, const char *source, enum error_code code,
		    struct error *err);

void findings_free(struct findings *findings);
#define _cleanup_findings_ __attribute__((cleanup(findings_free)))

/* Text from the file for use in a message: quoted, and cut to fit a line. */
struct quoted {
	char text[72];
};
struct quoted findings_quote(const char *text);

#endif
