/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Holding the command at the gate: the report, the handles, and all checks. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>

#include "backend/call.h"
#include "base/clock.h"
#include "base/fd.h"
#include "run/run.h"
#include "scope/folder.h"

/* A launcher gets ready in milliseconds; this is for machines under heavy load. */
#define READY_MS 30000
/* How long a launcher that reported nothing may take to end. */
#define FAILURE_MS 2000
#define GONE_MS 300
/* A launcher is busy between its report and the block point, and looking only takes
 * processor time from it; after that we look often.  A session learns when to begin. */
#define FIRST_LOOK_NS (800 * 1000)
#define LAST_FIRST_LOOK_NS (2000 * 1000)
#define LOOK_NS (40 * 1000)
#define LOOK_SHARE 4   /* looks take at most a fifth of a processor */
#define LOOK_WAITED 32 /* the pause is at least a 32nd of the time waited so far */
#define THOROUGH 8     /* every so many looks: has the child passed the gate? */
#define REPORT_SIZE 65536

static int hold_error(const struct run *run, int r, struct error *err)
{
	const struct backend *scope = run->sandbox->backends[SLOT_SCOPE];

	if (r == -ECANCELED)
		return error_set(err, ERROR_SYSTEM, ECANCELED, "cancelled");
	/* The guard never spoke: the scope's tool still waits for its manager. */
	if (run->phase == PHASE_SILENT && run->scope.request.size &&
	    !scope_is_folder(&run->scope)) {
		error_set(err, ERROR_SCOPE_FAILED, ETIMEDOUT,
			  "%s did not start a scope within %d seconds: the manager does "
			  "not answer",
			  backend_tool(scope), READY_MS / 1000);
		error_hint(err, "look at `systemctl --user status` (as root: systemctl "
				"status)");
		error_backend(err, slot_names[SLOT_SCOPE], scope->object.name);
		return -ETIMEDOUT;
	}
	error_set(err, ERROR_LAUNCHER_TIMEOUT, ETIMEDOUT,
		  "%s did not get ready within %d seconds",
		  backend_tool(run->sandbox->backends[SLOT_LAUNCHER]), READY_MS / 1000);
	error_hint(err,
		   "is the machine under heavy load, or a mount (a dead network "
		   "file system) that does not answer? `drupe preflight` tries again");
	return -ETIMEDOUT;
}

/* Read to the end: one read may return a fragment.  Longer than SIZE: no report. */
static ssize_t read_report(struct run *run, char *text, size_t size, int64_t deadline,
			   struct error *err)
{
	size_t used = 0;

	while (used < size - 1) {
		struct pollfd info = { .fd = run->gate.info_read, .events = POLLIN };
		ssize_t n;
		int r;

		r = run_launcher_is_gone(run) ? 0 : run_wait(run, &info, 1, deadline);
		if (r < 0)
			return hold_error(run, r, err);
		if (!info.revents && !run_launcher_is_gone(run))
			continue;
		n = read(run->gate.info_read, text + used, size - 1 - used);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return error_set(err, ERROR_SYSTEM, errno,
					 "cannot read the report: %s", strerror(errno));
		if (n == 0 || (n < 0 && run_launcher_is_gone(run)))
			break;
		used += n > 0 ? (size_t)n : 0;
	}
	text[used] = '\0';
	return (ssize_t)used;
}

static int take_report(struct run *run, int64_t deadline, struct error *err)
{
	const struct backend *launcher = run->sandbox->backends[SLOT_LAUNCHER];
	char text[REPORT_SIZE];
	ssize_t n = read_report(run, text, sizeof(text), deadline, err);
	int r;

	if (n < 0)
		return (int)n;
	r = call_parse_info(launcher, text, (size_t)n, &run->report);
	/* Pin the handles before anything else. */
	if (r == 0)
		return verify_pin(&run->report, &run->sandbox->identity, &run->held, err);
	/* One that fails ends without a report; one that lives on is broken. */
	if (n == 0)
		run_await_launcher(run, FAILURE_MS);
	if (run_launcher_is_gone(run))
		return run_launcher_failure(run, err);
	error_set(err, ERROR_VERIFY_CHILD, EBADMSG,
		  "%s did not report its child correctly", backend_tool(launcher));
	error_backend(err, slot_names[SLOT_LAUNCHER], launcher->object.name);
	return -EBADMSG;
}

static int64_t first_look(const struct sandbox *sandbox)
{
	int64_t learned = atomic_load_explicit(&sandbox->block_ns, memory_order_relaxed);

	return learned ? learned : FIRST_LOOK_NS;
}

/* If the first look was enough, it came too late. */
static void learn(struct sandbox *sandbox, unsigned looks, int64_t took)
{
	int64_t before = first_look(sandbox);
	int64_t next = looks == 1 ? before - before / 8 : before + (took - before) / 4;

	/* A slow start on a busy machine must not delay later ones. */
	if (next > LAST_FIRST_LOOK_NS)
		next = LAST_FIRST_LOOK_NS;
	atomic_store_explicit(&sandbox->block_ns, next, memory_order_relaxed);
}

static int wait_for_block_point(struct run *run, int64_t deadline, struct error *err)
{
	const int64_t start = clock_now();
	int64_t next = start + first_look(run->sandbox);
	unsigned looks = 0;

	for (;;) {
		struct pollfd child = { .fd = run->held.pidfd, .events = POLLIN };
		int r = run_wait(run, &child, 1, next < deadline ? next : deadline);
		int64_t began = clock_now(), pause;

		if (child.revents || run_launcher_is_gone(run))
			return run_launcher_failure(run, err);
		if (r == -ECANCELED || began >= deadline)
			return hold_error(run, r, err);
		r = verify_at_block_point(&run->held, run->gate_seen.read,
					  ++looks % THOROUGH == 0, err);
		if (r > 0) {
			learn(run->sandbox, looks, began - start);
			return 0;
		}
		if (r == -ESRCH || r == -ENOENT)
			return run_launcher_failure(run, err);
		if (r < 0)
			return r;
		pause = (clock_now() - began) * LOOK_SHARE;
		/* When many start at once, the looks add up. */
		if (pause < (began - start) / LOOK_WAITED)
			pause = (began - start) / LOOK_WAITED;
		next = clock_now() + (pause > LOOK_NS ? pause : LOOK_NS);
	}
}

/* The private tmp that the guard of a session's first run made. */
static int adopt_tmp(struct run *run, struct error *err)
{
	struct private_tmp *tmp = &run->sandbox->tmp;

	if (!tmp->place.path || tmp->place.fd >= 0)
		return 0;
	return private_tmp_adopt(tmp, &run->sandbox->identity, err);
}

int run_hold(struct run *run, struct error *err)
{
	const struct verify_input input = {
		.report = &run->report,
		.identity = &run->sandbox->identity,
		.plan = &run->plan,
		.rlimits = run->sandbox->backends[SLOT_RLIMITS],
		.gate = run->gate_seen,
	};
	int64_t deadline = deadline_in_ms(READY_MS);
	int slack, r;

	(void)fcntl(run->gate.info_read, F_SETFL, O_NONBLOCK);
	/* The default slack, 50 us, is as long as the pause between two looks. */
	slack = prctl(PR_GET_TIMERSLACK);
	(void)prctl(PR_SET_TIMERSLACK, 1);
	r = take_report(run, deadline, err);
	if (r == 0)
		r = verify_ancestry(&run->held, run->guard, err);
	/* A launcher that failed right after its report explains itself. */
	if (r == -ESRCH || r == -ENOENT) {
		run_await_launcher(run, GONE_MS);
		if (run_launcher_is_gone(run))
			r = run_launcher_failure(run, err);
	}
	if (r == 0)
		r = adopt_tmp(run, err);
	/* Joining goes on while the launcher mounts; the helper starts later. */
	if (r == 0 && run->network.backend)
		r = run_join_network(run, err);
	if (r == 0)
		r = wait_for_block_point(run, deadline, err);
	(void)prctl(PR_SET_TIMERSLACK, slack);
	if (r == 0 && run->scope.request.size)
		r = scope_verify(&run->scope, &run->plan, run->held.proc, err);
	if (r == 0)
		r = verify_all(&run->held, &input, err);
	return r;
}
