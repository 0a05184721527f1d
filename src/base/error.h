/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One error value: what was refused, where, why, and what to do about it. */
#ifndef DRUPE_ERROR_H
#define DRUPE_ERROR_H

#include <stdbool.h>
#include <stdio.h>

/* The stages of a refusal; their names are part of the result (drupe(1)). */
enum stage {
	STAGE_POLICY,
	STAGE_BACKEND,
	STAGE_PREFLIGHT,
	STAGE_SCOPE,
	STAGE_LAUNCHER,
	STAGE_VERIFY,
	STAGE_NETWORK,
	STAGE_RLIMITS,
	STAGE_SESSION,
	STAGE_INTERNAL,
};

/* The stable codes: X(enumerator, stage, word, what it means).  The table is the
 * reference that drupe(1) documents; a word never changes its meaning. */
#define ERROR_CODES(X)                                                                  \
	X(USAGE, POLICY, "usage", "the command line of drupe is wrong")                 \
	X(POLICY_NOT_FOUND, POLICY, "policy-not-found", "no policy of that name")       \
	X(POLICY_UNTRUSTED, POLICY, "policy-untrusted",                                 \
	  "someone else can write the policy")                                          \
	X(POLICY_INVALID, POLICY, "policy-invalid", "the policy has errors")            \
	X(PROFILE_UNKNOWN, POLICY, "profile-unknown", "the policy has no such profile") \
	X(NOT_GRANTED, POLICY, "not-granted",                                           \
	  "more was asked for than the policy grants")                                  \
	X(USER_REQUIRED, POLICY, "user-required", "root must name a user to run as")    \
	X(USER_UNKNOWN, POLICY, "user-unknown",                                         \
	  "no such user, or not an unprivileged one")                                   \
	X(ORDER, POLICY, "order", "the order of the layers is fixed (R1)")              \
	X(BACKEND_MISSING, BACKEND, "backend-missing", "no file for that backend")      \
	X(BACKEND_UNTRUSTED, BACKEND, "backend-untrusted", "someone else can write it") \
	X(BACKEND_INVALID, BACKEND, "backend-invalid",                                  \
	  "not a backend of this kind and ABI")                                         \
	X(BACKEND_FAILED, BACKEND, "backend-failed",                                    \
	  "the backend could not do its part")                                          \
	X(OPTION_INVALID, BACKEND, "option-invalid",                                    \
	  "the backend rejects one of its options")                                     \
	X(TOOL_MISSING, BACKEND, "tool-missing",                                        \
	  "the program that the backend needs is missing")                              \
	X(TOOL_UNTRUSTED, BACKEND, "tool-untrusted",                                    \
	  "that program is set-id or writable by others")                               \
	X(PREFLIGHT_FAILED, PREFLIGHT, "preflight-failed",                              \
	  "the mini-sandbox did not work")                                              \
	X(WORKSPACE_MISSING, SESSION, "workspace-missing",                              \
	  "the workspace cannot be opened")                                             \
	X(WORKSPACE_GONE, SESSION, "workspace-gone",                                    \
	  "the workspace was removed while the session was open")                       \
	X(WORKSPACE_REFUSED, SESSION, "workspace-refused",                              \
	  "this folder must not be a workspace")                                        \
	X(MOUNT_REFUSED, SESSION, "mount-refused",                                      \
	  "a corpus or outside read cannot be shown")                                   \
	X(PLACE_GONE, SESSION, "place-gone",                                            \
	  "a corpus or the private tmp was removed while the session was open")         \
	X(TMP_FAILED, SESSION, "tmp-failed", "the private tmp cannot be made")          \
	X(POISONED, SESSION, "poisoned",                                                \
	  "an earlier command could not be confirmed dead")                             \
	X(CLOSED, SESSION, "session-closed", "the session takes no further command")    \
	X(SCOPE_FAILED, SCOPE, "scope-failed", "the cgroup scope was not made")         \
	X(SCOPE_UNAVAILABLE, SCOPE, "scope-unavailable",                                \
	  "no manager to ask for a scope")                                              \
	X(LIMIT_NOT_IN_FORCE, SCOPE, "limit-not-in-force",                              \
	  "a cgroup limit is not enforced")                                             \
	X(USERNS_DENIED, LAUNCHER, "userns-denied",                                     \
	  "user namespaces are not allowed here")                                       \
	X(PROC_DENIED, LAUNCHER, "proc-denied", "procfs cannot be mounted here")        \
	X(LAUNCHER_FAILED, LAUNCHER, "launcher-failed",                                 \
	  "the launcher ended before the command")                                      \
	X(LAUNCHER_TIMEOUT, LAUNCHER, "launcher-timeout",                               \
	  "the launcher did not get ready")                                             \
	X(ARGUMENTS_TOO_LONG, LAUNCHER, "arguments-too-long",                           \
	  "more words than a process may have")                                         \
	X(VERIFY_CHILD, VERIFY, "verify-child",                                         \
	  "the held process is not the one started")                                    \
	X(VERIFY_NAMESPACE, VERIFY, "verify-namespace", "a namespace is not private")   \
	X(VERIFY_PRIVILEGE, VERIFY, "verify-privilege",                                 \
	  "the held process has privileges")                                            \
	X(VERIFY_MOUNT, VERIFY, "verify-mount",                                         \
	  "the file system seen is not the one planned")                                \
	X(VERIFY_CGROUP, VERIFY, "verify-cgroup",                                       \
	  "the held process is not in its scope")                                       \
	X(VERIFY_TOOL, VERIFY, "verify-tool",                                           \
	  "the rlimits program inside is not the checked one")                          \
	X(LIMIT_ABOVE_HARD, RLIMITS, "limit-above-hard",                                \
	  "an rlimit above the hard limit in force")                                    \
	X(NETWORK_UNAVAILABLE, NETWORK, "network-unavailable",                          \
	  "no helper that can attach")                                                  \
	X(NETWORK_FAILED, NETWORK, "network-failed",                                    \
	  "the network helper did not get ready")                                       \
	X(NETWORK_DENIED, NETWORK, "network-denied", "the network was not granted")     \
	X(SPAWN_FAILED, INTERNAL, "spawn-failed", "a process could not be started")     \
	X(SYSTEM, INTERNAL, "system-error", "a system call failed")

enum error_code {
	ERROR_NONE,
#define X(name, stage, word, help) ERROR_##name,
	ERROR_CODES(X)
#undef X
};

struct error {
	enum error_code code; /* ERROR_NONE: nothing happened */
	int errnum;	      /* errno value, 0 if none applies */
	char backend[40];     /* the backend concerned, or "" */
	char message[1024];   /* what, which, why */
	char hint[512];	      /* what to do, or "" */
};

/*
 * Fill ERR (which may be NULL) and return -ERRNUM, or -EINVAL when ERRNUM is 0.
 * error_set replaces an earlier error.
 */
int error_set(struct error *err, enum error_code code, int errnum, const char *format,
	      ...) __attribute__((format(printf, 4, 5)));
void error_hint(struct error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void error_backend(struct error *err, const char *kind, const char *name);

const char *error_code_word(enum error_code code);
const char *error_code_help(enum error_code code);
enum stage error_stage(enum error_code code);
const char *stage_name(enum stage stage);
size_t error_code_count(void); /* codes are 1 .. count */

/* Print TEXT with control bytes and invalid UTF-8 escaped as \xNN. */
void print_escaped(FILE *file, const char *text);

/* Print "drupe: STAGE: message" and the hint on stderr.  Commands call it, once. */
void error_print(const struct error *err);

#endif
