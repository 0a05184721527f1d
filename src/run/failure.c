/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A launcher ended before the command ran: whose failure it was, and what it said. */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "backend/call.h"
#include "base/clock.h"
#include "guard/guard.h"
#include "run/run.h"

/* How long a launcher that failed may take to end, and its last words to arrive. */
#define FAILURE_MS 2000

static int guard_failure(const struct run *run, struct error *err)
{
	static const char *const steps[] = {
		[0] = "could not fork",
		[GUARD_STEP_SETUP] = "could not set itself up",
		[GUARD_STEP_KEYRING] = "could not get a session keyring of its own",
		[GUARD_STEP_DESCRIPTOR] = "found a bad descriptor of the gate",
		[GUARD_STEP_EXEC] = "could not execute the launcher",
		[GUARD_STEP_TMP] = "could not make the private tmp",
		[GUARD_STEP_CGROUP] = "could not move the launcher into its cgroup",
	};
	uint32_t step = run->start_step <= GUARD_STEP_CGROUP ? run->start_step : 0;
	int errnum = run->start_errno;
	static const enum error_code codes[] = {
		[GUARD_STEP_EXEC] = ERROR_LAUNCHER_FAILED,
		[GUARD_STEP_TMP] = ERROR_TMP_FAILED,
		[GUARD_STEP_CGROUP] = ERROR_SCOPE_FAILED,
	};
	enum error_code code = errnum == E2BIG ? ERROR_ARGUMENTS_TOO_LONG
			       : codes[step]   ? codes[step]
					       : ERROR_SPAWN_FAILED;

	error_set(err, code, errnum, "drupe-guard %s: %s", steps[step], strerror(errnum));
	if (errnum == E2BIG)
		error_hint(err,
			   "give the command fewer or shorter arguments (see execve(2))");
	if (step == GUARD_STEP_KEYRING)
		error_hint(err,
			   "a seccomp filter forbids keyctl(2), or the user's quota of "
			   "keys is used up: allow it (container profile, "
			   "SystemCallFilter=), or see /proc/key-users");
	if (step == GUARD_STEP_CGROUP)
		error_hint(err, "drupe itself must run below the delegated folder of the "
				"scope's backend, not in it");
	if (step == GUARD_STEP_TMP)
		error_hint(err,
			   "tmp_root of the policy must be a folder in which user %s can "
			   "make "
			   "one, like /var/tmp",
			   run->sandbox->identity.name);
	return -errnum;
}

/* What the launcher has said so far: until the release, all of stderr is its own. */
static void read_launcher_text(struct run *run)
{
	size_t used = strlen(run->launcher_text);
	int fd = run->streams[2].source;

	while (fd >= 0 && used + 1 < sizeof(run->launcher_text)) {
		ssize_t n = read(fd, run->launcher_text + used,
				 sizeof(run->launcher_text) - 1 - used);

		if (n <= 0)
			break;
		used += (size_t)n;
		run->launcher_text[used] = '\0';
	}
}

static void trim(char *text)
{
	size_t n = strlen(text);

	while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' '))
		text[--n] = '\0';
}

static enum error_code code_of(const char *word)
{
	for (size_t i = 1; word && i <= error_code_count(); i++)
		if (strcmp(error_code_word((enum error_code)i), word) == 0 &&
		    error_stage((enum error_code)i) == STAGE_LAUNCHER)
			return (enum error_code)i;
	return ERROR_LAUNCHER_FAILED;
}

static int explain(struct run *run, struct error *err)
{
	const struct backend *launcher = run->sandbox->backends[SLOT_LAUNCHER];
	struct drupe_diagnosis diagnosis;
	const char *text = run->launcher_text;
	int status = run->wait_status;
	char ending[64] = "did not end";

	if (run->phase >= PHASE_EXITED && WIFSIGNALED(status))
		snprintf(ending, sizeof(ending), "was ended by signal %d",
			 WTERMSIG(status));
	else if (run->phase >= PHASE_EXITED)
		snprintf(ending, sizeof(ending), "ended with status %d",
			 WEXITSTATUS(status));
	call_diagnose(launcher, text, &diagnosis);
	error_set(err, code_of(diagnosis.code), EIO,
		  "%s %s before the command ran%s%s%s%s", backend_tool(launcher), ending,
		  diagnosis.cause ? ": " : "", diagnosis.cause ? diagnosis.cause : "",
		  *text ? ": " : "", text);
	error_hint(err, "%s",
		   diagnosis.remedy ? diagnosis.remedy
				    : "`drupe preflight` looks for the cause");
	error_backend(err, slot_names[SLOT_LAUNCHER], launcher->object.name);
	return -EIO;
}

void run_await_launcher(struct run *run, uint64_t ms)
{
	int64_t deadline = deadline_in_ms(ms);

	while (!run_launcher_is_gone(run))
		if (run_wait(run, NULL, 0, deadline) < 0)
			break;
}

int run_launcher_failure(struct run *run, struct error *err)
{
	/* If it still lives, the teardown ends it: its last words may be missing then. */
	run_await_launcher(run, FAILURE_MS);
	if (run->start_errno)
		return guard_failure(run, err);
	read_launcher_text(run);
	trim(run->launcher_text);
	/* The guard never spoke: it was the scope's tool that ended. */
	if (run->guard_lost && run->phase == PHASE_SILENT && run->scope.request.size) {
		run_reap_guard(run);
		return scope_failure(&run->scope, run->launcher_text, run->guard_status,
				     err);
	}
	return explain(run, err);
}
