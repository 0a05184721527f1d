/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The typed policy.
 *
 * A front end (yaml.c, ini.c) turns bytes into calls of sink.h; the table in keys.c
 * says what each key accepts, and rules.c what the policy as a whole must satisfy.  No
 * backend is known here: their options are kept as text with its location, for the
 * layer that has the backend's own table.
 */
#ifndef DRUPE_POLICY_H
#define DRUPE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/findings.h"
#include "policy/limits.h"

#define UNSET UINT64_MAX /* a number that the policy leaves unset, or `unlimited` */

/* Variables that a profile may set. */
#define POLICY_ENV_MAX 251

enum policy_format { POLICY_YAML, POLICY_INI };

enum slot { SLOT_SCOPE, SLOT_LAUNCHER, SLOT_RLIMITS, SLOT_NETWORK, N_SLOTS };
extern const char *const slot_names[N_SLOTS]; /* scope launcher rlimits network */

enum mode { MODE_SAFE, MODE_ASK, MODE_AUTO };
enum access { ACCESS_WRITE, ACCESS_READ, ACCESS_NONE };
enum network_grant { NETWORK_NEVER, NETWORK_ON_REQUEST, NETWORK_ALWAYS };
enum home { HOME_SCRATCH, HOME_SEALED };

/* Their names, as the policy spells them; NULL-terminated. */
extern const char *const mode_words[];
extern const char *const access_words[];
extern const char *const network_grant_words[];
extern const char *const home_words[];

struct strings {
	char **items;
	struct location *where; /* parallel to items */
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
	bool quoted;			  /* a quoted YAML scalar: text only */
	struct location where, key_where; /* of the value, of the key */
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

#define POLICY_BUILTIN "built-in" /* the source of the built-in policy */

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

/* NULL if there is no profile of that name. */
const struct profile *policy_profile(const struct policy *policy, const char *name);

const char *access_name(enum access access);

void policy_free(struct policy *policy);

static inline void policy_freep(struct policy **policy)
{
	policy_free(*policy);
}
#define _cleanup_policy_ __attribute__((cleanup(policy_freep)))

#endif
