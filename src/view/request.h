/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What one caller asks for; the policy decides whether to grant it. */
#ifndef DRUPE_REQUEST_H
#define DRUPE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ask { ASK_DEFAULT, ASK_YES, ASK_NO };

struct request {
	const char *profile;   /* NULL: the policy's default */
	const char *workspace; /* NULL: the current directory */
	const char *user;      /* NULL: the policy's */
	uint64_t timeout_ms;   /* 0: the profile's */
	enum ask network;
	bool confirmed; /* a person granted the network to this command (mode: ask) */
	const char *const *reads;
	size_t n_reads;
	bool read_only;
	bool single_root;
	bool pass_stdin;
	char *const *command; /* NULL-terminated */
};

#endif
