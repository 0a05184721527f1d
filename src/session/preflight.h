/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A real run of a trivial command; each failed check has its cause and its fix. */
#ifndef DRUPE_PREFLIGHT_H
#define DRUPE_PREFLIGHT_H

#include "base/json.h"

#include "session/session.h"

enum preflight_verdict { PREFLIGHT_GOOD, PREFLIGHT_BAD, PREFLIGHT_NOTE };
extern const char *const preflight_words[]; /* ok FAIL note */

struct preflight_check {
	enum preflight_verdict verdict;
	const char *name;
	const char *detail, *fix;   /* or "" */
	const struct error *reason; /* the refusal behind a BAD one, or NULL */
};

struct preflight_sink {
	void (*check)(void *data, const struct preflight_check *check);
	void *data;
	const int *cancel; /* RUN_CANCELS descriptors: a readable one stops it; or NULL */
	bool *cancelled;   /* set when it was; or NULL */
};

/* All of `drupe preflight`: POLICY is what -p says, or NULL. */
void preflight_all(const char *policy, const struct request *request,
		   const struct paths *paths, const struct preflight_sink *sink);

/* What `drupe preflight --json` prints; CANCEL as in preflight_sink. */
json_t *preflight_json(const char *policy, const struct request *request,
		       const struct paths *paths, const int *cancel, bool *ret_failed);

/* Try the sandbox of an open session, whatever its state.  0; -EPERM with the first check
 * that failed in ERR; -ECANCELED. */
int preflight_session(struct session *session, enum ask network, const int *cancel,
		      struct error *err);

#endif
