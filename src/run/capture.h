/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The head and the tail of a stream of any length, in bounded memory. */
#ifndef DRUPE_CAPTURE_H
#define DRUPE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct capture {
	uint64_t limit;	     /* characters (code points) to keep; bytes where not UTF-8 */
	uint64_t bytes;	     /* seen */
	uint64_t characters; /* seen, as long as all is UTF-8 */
	bool invalid;	     /* not UTF-8 */
	char partial[4];     /* a character that the last chunk cut */
	size_t n_partial;
	char *head, *tail; /* first and last bytes: four per character */
	size_t head_size, tail_size, n_head;
	uint64_t n_tail; /* bytes that went to the ring */
};

/* The result: head, a line that counts what is missing, tail. */
struct captured {
	char *text; /* may hold NULs; one more NUL follows */
	size_t length;
	bool utf8;
	uint64_t bytes, omitted;
};

int capture_init(struct capture *capture, uint64_t limit, struct error *err);
void capture_add(struct capture *capture, const char *data, size_t length);
int capture_finish(struct capture *capture, struct captured *ret, struct error *err);
void capture_free(struct capture *capture);

#endif
