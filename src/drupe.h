/* SPDX-License-Identifier: MIT */
/*
 * drupe.h - libdrupe: sessions that run commands in drupe's sandbox.
 * Installed as <drupe/drupe.h>; `pkg-config --cflags --libs drupe`.  See libdrupe(3).
 *
 *     policy  ->  session  ->  drupe_run(), or drupe_start() and a job  ->  result
 *
 * A session has one workspace, one profile, one private tmp that its commands share
 * and that is removed with it, and one state:
 *
 *     NEW       opened; the preflight, a real sandbox with a test command in it, comes
 *               with drupe_session_preflight() or before the first command
 *     READY     it succeeded
 *     REFUSED   it failed: for good, even after the cause is fixed
 *     POISONED  the death of a command could not be confirmed: for good
 *
 * Every run in one of the last two is refused with the first reason.
 *
 * Threads.  Different objects may be used from different threads at the same time.  Of
 * one session, drupe_run() and drupe_start() may be called by any number of threads at
 * once: its commands then run concurrently.  drupe_session_close() ends what still
 * runs, waits for it, and must be the last call with that session.  A job, a result
 * and an error belong to one thread at a time.  A command started by drupe_start()
 * outlives the thread that started it.
 *
 * The process.  The library changes nothing of the process that calls it: no signal
 * handler, mask, working directory or environment variable; descriptors it opens are
 * close-on-exec.  It must be able to wait for its own children: SIGCHLD must not be
 * ignored, and no thread may reap all children with waitpid(-1).  It must not be used in
 * a process that runs with more privilege than its caller (set-uid).  When the process
 * ends, in whatever way, all commands and private tmps end with it; where it has forked
 * without an exec, when the last of these children has ended.
 *
 * Errors.  Functions that return an int return 0 or -errno.  Where they take
 * RET_ERROR (it may be NULL), *RET_ERROR tells what was refused, where, why and what to
 * do; it is untouched on success, and freed with drupe_error_free().  Other outputs are
 * untouched on failure.
 *
 * Structures of options begin with their size, set by DRUPE_SESSION_OPTIONS and
 * DRUPE_RUN_OPTIONS; fields are only ever added at the end, and 0 or NULL is the default
 * of each.  -E2BIG: a field is set that this version of the library does not know.
 */
#ifndef DRUPE_DRUPE_H
#define DRUPE_DRUPE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

typedef struct drupe_error drupe_error;
typedef struct drupe_policy drupe_policy;
typedef struct drupe_session drupe_session;
typedef struct drupe_job drupe_job;
typedef struct drupe_result drupe_result;

/* The version of the library in use, like "0.1.0". */
const char *drupe_version(void);

/* ---- errors: the refusal object of drupe(1) ---- */

/* Where it was refused: policy, backend, preflight, scope, launcher, verify, network,
 * rlimits, session or internal.  Strings live as long as the error. */
const char *drupe_error_stage(const drupe_error *error);
/* The backend concerned, as KIND-NAME; NULL: none. */
const char *drupe_error_backend(const drupe_error *error);
/* The stable word of drupe(1), like "not-granted". */
const char *drupe_error_code(const drupe_error *error);
const char *drupe_error_message(const drupe_error *error);
/* What to do about it; NULL: nothing is known. */
const char *drupe_error_hint(const drupe_error *error);
/* The errno value; 0: none applies. */
int drupe_error_errno(const drupe_error *error);
void drupe_error_free(drupe_error *error);

/* ---- policies ---- */

/*
 * Open a policy as `drupe run -p` does: a NAME below the configured folder, or a file;
 * NULL: "default", or the built-in policy if there is none of that name.  Accepted
 * whole or not at all.
 */
int drupe_policy_open(const char *name_or_file, drupe_policy **ret_policy,
		      drupe_error **ret_error);
/* The file it was read from, or "built-in". */
const char *drupe_policy_source(const drupe_policy *policy);
/* Sessions keep what they need: it may be freed while they are open. */
void drupe_policy_free(drupe_policy *policy);

/* ---- sessions ---- */

struct drupe_session_options {
	size_t size;
	const char *workspace;	 /* folder; NULL: the current directory */
	const char *profile;	 /* NULL: the policy's default_profile */
	const char *user;	 /* as root: the user to run as; NULL: the policy's */
	const char *backend_dir; /* folder of the backends; NULL: the installed one */
	int read_only;		 /* the workspace cannot be written */
	int single_root;	 /* leave the corpora out */
	int one_shot;		 /* for one command, whose start is the preflight */
};
#define DRUPE_SESSION_OPTIONS                                \
	{                                                    \
		.size = sizeof(struct drupe_session_options) \
	}

/*
 * Load and check the backends, open the workspace, make the private tmp.  The state is
 * NEW, or READY where it is one_shot.  Close with drupe_session_close().
 */
int drupe_session_open(const drupe_policy *policy,
		       const struct drupe_session_options *options,
		       drupe_session **ret_session, drupe_error **ret_error);

/* Make the preflight of a NEW session, or report again how it went: 0 if the session is
 * READY. */
int drupe_session_preflight(drupe_session *session, drupe_error **ret_error);

enum drupe_state {
	DRUPE_STATE_NEW = 0,
	DRUPE_STATE_READY = 1,
	DRUPE_STATE_REFUSED = 2,
	DRUPE_STATE_POISONED = 3,
	DRUPE_STATE_CLOSED = 4, /* one_shot and used, or being closed */
};
enum drupe_state drupe_session_state(drupe_session *session);

/*
 * Cancel all commands, wait for their end, remove the private tmp, free the session.
 * Only the removal can fail; the session is gone all the same.  NULL is allowed.
 */
int drupe_session_close(drupe_session *session, drupe_error **ret_error);

/* ---- runs ---- */

enum drupe_network {
	DRUPE_NETWORK_DEFAULT = 0, /* what the profile gives unasked */
	DRUPE_NETWORK_ASK = 1,	   /* refused where policy or profile do not grant it */
	DRUPE_NETWORK_NO = 2,
};

enum drupe_stream { DRUPE_STDOUT = 0, DRUPE_STDERR = 1 };

/* Bytes of a stream, in order, as they come.  Called in the thread that runs the
 * command: until it returns nothing else of this command is served, not even its timeout.
 * It must neither close the session nor free its job (drupe_job_cancel() is allowed).  In
 * a job it has a stack of 512 KiB, and all signals are blocked. */
typedef void (*drupe_output)(void *data, enum drupe_stream stream, const char *bytes,
			     size_t length);

struct drupe_run_options {
	size_t size;
	char *const *argv;   /* the command, NULL-terminated; a path, or searched in the
				sandbox's PATH */
	uint64_t timeout_ms; /* 0: the profile's; above its timeout_max: refused */
	enum drupe_network network;
	int confirmed; /* policy mode `ask`: a person allowed this command */
	const char *const
		*reads;		/* paths to show read-only, NULL-terminated; NULL: none */
	const void *stdin_data; /* what the command reads; NULL: nothing */
	size_t stdin_length;
	drupe_output output; /* NULL: only the bounded text of the result */
	void *output_data;
	/* Descriptors of the caller: 0 to read stdin from (-1: nothing), 1 and 2 to pass
	 * the streams on to.  They stay open, and may be of any kind; what a reader does
	 * not take is dropped at the command's deadline.  The result then has no text.
	 * NULL: stdin_data, and captured streams. */
	const int *stdio;
	int capture; /* keep the bounded text although the streams are passed on */
	/* When readable, the command is cancelled; 0: none.  From a signalfd the signal
	 * is read, and reported in the result. */
	int cancel_fd;
};
#define DRUPE_RUN_OPTIONS                                \
	{                                                \
		.size = sizeof(struct drupe_run_options) \
	}

/*
 * Run a command to its end.  0 and a result, also where it was refused, timed out or
 * cancelled; -EINVAL or -E2BIG (options), -ENOMEM, -EMFILE, -ENFILE, -ENOSPC,
 * -EAGAIN (no thread, of drupe_start): there is no result.
 */
int drupe_run(drupe_session *session, const struct drupe_run_options *options,
	      drupe_result **ret_result);

/* The same in a thread of the library's.  What OPTIONS points to is copied, except the
 * descriptors and output_data. */
int drupe_start(drupe_session *session, const struct drupe_run_options *options,
		drupe_job **ret_job);
/* A descriptor that poll() reports readable once the command has ended. */
int drupe_job_fd(const drupe_job *job);
/* End the command as its timeout would.  Does not wait; may be called from any thread,
 * and again.  0, or -ESRCH if the command has already ended.  After 0 the result tells
 * whether it was cancelled, or came to another end first. */
int drupe_job_cancel(drupe_job *job);
/*
 * Wait at most TIMEOUT_MS (-1: as long as it takes) for the end.  0 and the result, the
 * first time; -ETIMEDOUT: it still runs; -ENODATA: the result was already taken.
 */
int drupe_job_wait(drupe_job *job, int timeout_ms, drupe_result **ret_result);
/* Cancels and waits if it still runs.  NULL is allowed.  The session may be closed
 * before. */
void drupe_job_free(drupe_job *job);

/* ---- results: the JSON object of drupe(1) ---- */

enum drupe_status {
	DRUPE_REFUSED = 0, /* the command never ran: drupe_result_refusal() */
	DRUPE_EXITED = 1,
	DRUPE_SIGNALED = 2,
	DRUPE_TIMED_OUT = 3,
	DRUPE_CANCELLED = 4,
	DRUPE_OUT_OF_MEMORY = 5,
};

enum drupe_status drupe_result_status(const drupe_result *result);
/* Of the command; -1: none. */
int drupe_result_exit_code(const drupe_result *result);
/* The signal that ended the command or, when cancelled, drupe; 0: none proved. */
int drupe_result_signal(const drupe_result *result);
/* NULL unless refused.  Owned by the result. */
const drupe_error *drupe_result_refusal(const drupe_result *result);
/* What `drupe run` would exit with: drupe(1), EXIT STATUS. */
int drupe_result_exit_status(const drupe_result *result);

/* The bounded text: head, a line with the number of bytes left out, tail.  A NUL follows
 * the LENGTH bytes.  NULL where the streams were passed on and not kept. */
const char *drupe_result_text(const drupe_result *result, enum drupe_stream stream,
			      size_t *ret_length);
/* Whether all of the stream was UTF-8. */
int drupe_result_is_utf8(const drupe_result *result, enum drupe_stream stream);
/* Bytes that the command wrote, and how many of them the text (or the reader) lacks. */
uint64_t drupe_result_bytes(const drupe_result *result, enum drupe_stream stream);
uint64_t drupe_result_omitted_bytes(const drupe_result *result, enum drupe_stream stream);

/* From release to end, seconds. */
double drupe_result_wall_seconds(const drupe_result *result);
/* From the scope's cgroup: NAN or UINT64_MAX if unknown. */
double drupe_result_user_seconds(const drupe_result *result);
double drupe_result_system_seconds(const drupe_result *result);
uint64_t drupe_result_memory_peak_bytes(const drupe_result *result);
uint64_t drupe_result_pids_peak(const drupe_result *result);
uint64_t drupe_result_oom_kills(const drupe_result *result);
/* The network backend's name, or "none". */
const char *drupe_result_network(const drupe_result *result);
/* Its helper ended while the command ran. */
int drupe_result_network_failed(const drupe_result *result);
/* The scope's unit; NULL: no scope. */
const char *drupe_result_scope(const drupe_result *result);
/* Why the streams could not be passed on, an errno value; 0: they could. */
int drupe_result_output_errno(const drupe_result *result);

/* The whole as one line of JSON, to be freed with free(3); NULL: out of memory. */
char *drupe_result_json(const drupe_result *result);
void drupe_result_free(drupe_result *result);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
