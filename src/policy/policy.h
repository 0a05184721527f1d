/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The typed policy and its only validator.
 *
 * A front end (policy-yaml.c, policy-ini.c) turns bytes into calls of the sink
 * in policy-sink.h; the table in policy-keys.c says what each key may hold, and
 * policy-rules.c what the whole must fulfil.
 * Policy code knows nothing of backends being loaded: the values of [options]
 * are kept as text with their location, for whoever has the backend's table.
 */
#ifndef DRUPE_POLICY_H
#define DRUPE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "policy/limits.h"

#define UNSET UINT64_MAX /* a number that the policy does not set, or `unlimited` */

enum slot { SLOT_SCOPE, SLOT_LAUNCHER, SLOT_RLIMITS, SLOT_NETWORK, N_SLOTS };
extern const char *const slot_names[N_SLOTS]; /* scope launcher rlimits network */

enum mode { MODE_SAFE, MODE_ASK, MODE_AUTO };
enum access { ACCESS_WRITE, ACCESS_READ, ACCESS_NONE };
enum network_grant { NETWORK_NEVER, NETWORK_ON_REQUEST, NETWORK_ALWAYS };
enum home { HOME_SCRATCH, HOME_SEALED };

struct location {
	unsigned line, column; /* from 1; 0: not in the file */
};

struct strings {
	char **items;
	struct location *where; /* beside items */
	size_t count;
};

struct corpus {
	char *path;
	bool writable; /* access: write */
	struct location where;
};

struct variable {
	char *name;
	char *value;
	struct location where;
};

struct policy_option {
	char *backend;
	char *key;
	char *value;
	bool quoted; /* a quoted YAML scalar: only good for text */
	struct location where;
};

struct profile {
	char *name;
	struct location where;
	enum access workspace;
	enum network_grant network;
	struct strings host_read; /* empty: not granted */
	bool identity_mount;
	bool ephemeral_tmp;
	enum home home;
	uint64_t scratch_size;
	bool hosts;
	bool nested_userns;
	struct strings network_deny;
	struct corpus *corpora;
	size_t n_corpora;
	struct variable *env;
	size_t n_env;
	uint64_t limits[N_RLIMITS]; /* UNSET or the value */
	uint64_t cgroup[N_CGROUP];  /* by enum drupe_cgroup_limit_id; the same */
	uint64_t timeout_ms, timeout_max_ms;
	uint64_t output_limit; /* characters */
	uint64_t stream_limit; /* bytes, UNSET: unlimited */
};

#define POLICY_BUILTIN "built-in" /* the source of the policy that is no file */

struct policy {
	char *source;	  /* the file, or POLICY_BUILTIN */
	char sha256[65];  /* of the bytes that were parsed, in hex */
	uint64_t version; /* 1 */
	char *default_profile;
	enum mode mode;
	char *user; /* NULL: not given */
	char *tmp_root;
	char *backends[N_SLOTS];
	struct policy_option *options;
	size_t n_options;
	struct profile *profiles;
	size_t n_profiles;
};

/* What is wrong with a policy, in the order of the file. */
struct finding {
	struct location where;
	char *text; /* "what, and what would be right" */
};

struct findings {
	struct finding *items;
	size_t count;
	char *source; /* the file that has them, or NULL: none was read */
};

enum policy_format { POLICY_YAML, POLICY_INI };

/* Larger policies are refused before they are read. */
#define POLICY_SIZE_MAX (256 * 1024)

/*
 * Parse and validate TEXT.  0 and *ret_policy (free with policy_free), or
 * -errno: ERR says the first finding (code policy-invalid, with FILE:LINE:COL)
 * and how many more there are, FINDINGS (never NULL) has them all.
 */
int policy_parse(const char *source, const char *text, size_t length,
		 enum policy_format format, struct policy **ret_policy,
		 struct findings *findings, struct error *err);

/* Open FILE, check owner, mode, parents, type and size on the descriptor that is
 * read, then policy_parse by its suffix (.yaml, .yml, .ini; else an error). */
int policy_load(const char *file, struct policy **ret_policy, struct findings *findings,
		struct error *err);

/*
 * What -p means.  NAME (no slash, no dot): CONFDIR/NAME.yaml or NAME.ini, both
 * there is an error; anything else is a file.  NULL: the name "default", and the
 * built-in policy where neither file of it is there.
 */
int policy_open(const char *name_or_file, const char *confdir, struct policy **ret_policy,
		struct findings *findings, struct error *err);

/* The built-in policy's own text: conf/default.yaml. */
extern const char policy_builtin_text[];

/* NULL when there is none of that name. */
const struct profile *policy_profile(const struct policy *policy, const char *name);

/* Names of a value, as the policy spells them. */
const char *access_name(enum access access);
const char *network_grant_name(enum network_grant grant);
const char *mode_name(enum mode mode);

void policy_free(struct policy *policy);
void findings_free(struct findings *findings);

static inline void policy_freep(struct policy **policy)
{
	policy_free(*policy);
}
#define _cleanup_policy_ __attribute__((cleanup(policy_freep)))
#define _cleanup_findings_ __attribute__((cleanup(findings_free)))

#endif
