/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/preflight.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "policy/open.h"
#include "run/run.h"

#define TEST_MS 60000 /* of the test command in a lasting session */

const char *const preflight_words[] = {
	[PREFLIGHT_GOOD] = "ok", [PREFLIGHT_BAD] = "FAIL", [PREFLIGHT_NOTE] = "note"
};

static void check(const struct preflight_sink *sink, enum preflight_verdict verdict,
		  const char *name, const char *detail, const char *fix)
{
	sink->check(sink->data,
		    &(struct preflight_check){ verdict, name, detail, fix, NULL });
}

static void check_error(const struct preflight_sink *sink, const char *name,
			const struct error *err)
{
	sink->check(sink->data,
		    &(struct preflight_check){ PREFLIGHT_BAD, name, err->message,
					       err->hint, err });
}

/* ---- the host ---- */

/* Kernel switches that deny what an unprivileged launcher needs. */
static const struct {
	const char *file;
	const char *bad;
	const char *cause;
	const char *fix;
} switches[] = {
	{ "/proc/sys/kernel/unprivileged_userns_clone", "0",
	  "kernel.unprivileged_userns_clone is 0: user namespaces are off",
	  "sysctl -w kernel.unprivileged_userns_clone=1, and a line in /etc/sysctl.d" },
	{ "/proc/sys/user/max_user_namespaces", "0",
	  "user.max_user_namespaces is 0: user namespaces are off",
	  "sysctl -w user.max_user_namespaces=10000, and a line in /etc/sysctl.d" },
	{ "/proc/sys/user/max_net_namespaces", "0",
	  "user.max_net_namespaces is 0: network namespaces are off",
	  "sysctl -w user.max_net_namespaces=10000, and a line in /etc/sysctl.d" },
	{ "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1",
	  "AppArmor restricts user namespaces "
	  "(kernel.apparmor_restrict_unprivileged_userns)",
	  "install drupe's AppArmor profile (conf/apparmor/drupe) and reload AppArmor" },
};

static bool is_switched(size_t i)
{
	char text[32];

	if (fd_read_file(AT_FDCWD, switches[i].file, text, sizeof(text)) < 0)
		return false;
	text[strcspn(text, "\n")] = '\0';
	return strcmp(text, switches[i].bad) == 0;
}

/* Only after a failure: a sandbox that works needs no explanation. */
static void explain_host(const struct preflight_sink *sink)
{
	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++)
		if (is_switched(i))
			check(sink, PREFLIGHT_BAD, "host", switches[i].cause,
			      switches[i].fix);
}

static void check_locale(const struct preflight_sink *sink, const struct session *session)
{
	const char *name = "en_US.UTF-8";
	char detail[256];
	locale_t locale;

	for (size_t i = 0; i < session->sandbox.profile->n_env; i++)
		if (strcmp(session->sandbox.profile->env[i].name, "LANG") == 0)
			name = session->sandbox.profile->env[i].value;
	locale = newlocale(LC_ALL_MASK, name, (locale_t)0);
	if (locale) {
		freelocale(locale);
		return;
	}
	snprintf(detail, sizeof(detail),
		 "%s is not generated on this host: commands may warn about it", name);
	check(sink, PREFLIGHT_NOTE, "locale", detail,
	      "generate it, or set `env: {LANG: C.UTF-8}` in the profile");
}

/* ---- the sandbox ---- */

/* What can only be seen from inside; a line for each check. */
static const char script[] = "t() { n=$1; shift; if \"$@\"; then echo \"ok $n\"; else "
			     "echo \"FAIL $n\"; fi; }\n"
			     "w() { if (: >\"$1/.drupe-preflight\") 2>/dev/null; then "
			     "rm -f \"$1/.drupe-preflight\"; return 0; fi; return 1; }\n"
			     "n() { ! \"$@\"; }\n"
			     "e() { ! read -r x </proc/1/environ && test -z \"$x\"; }\n"
			     "t 'working directory' test \"$PWD\" = \"$1\"\n"
			     "case $2 in write) t 'workspace writable' test -w \"$1\";;"
			     " read) t 'workspace read-only' n test -w \"$1\";; esac\n"
			     "t 'HOME' test \"$HOME\" = /home/sandbox\n"
			     "t 'TMPDIR' test \"$TMPDIR\" = /tmp\n"
			     "t '/tmp writable' w /tmp\n"
			     "t '/ sealed' n w /\n"
			     "t '/etc sealed' n w /etc\n"
			     "t '/dev sealed' n w /dev\n"
			     "t 'no environment of the caller' e\n";

static void take_lines(const struct preflight_sink *sink, char *text)
{
	char *line;

	while ((line = strsep(&text, "\n"))) {
		if (strncmp(line, "ok ", 3) == 0)
			check(sink, PREFLIGHT_GOOD, line + 3, "", "");
		else if (strncmp(line, "FAIL ", 5) == 0)
			check(sink, PREFLIGHT_BAD, line + 5, "not so inside the sandbox",
			      strcmp(line + 5, "workspace writable") == 0
				      ? "give the user of the run the right to write in "
					"the "
					"workspace (chown, chmod u+w), or ask for it "
					"read-only"
				      : "please report this, with `drupe plan -- true`");
	}
}

static const char *mode_of(const struct session *session)
{
	if (session->sandbox.profile->workspace == ACCESS_NONE)
		return "none";
	return session->sandbox.view.workspace.writable ? "write" : "read";
}

static void judge(const struct preflight_sink *sink, const struct result *result)
{
	char detail[128];

	if (result->status == RUN_REFUSED) {
		check_error(sink, "sandbox", &result->refusal);
		explain_host(sink);
		return;
	}
	if (result->status == RUN_EXITED && result->exit_code == 0) {
		check(sink, PREFLIGHT_GOOD, "sandbox",
		      "held, verified, released, and gone", "");
	} else {
		snprintf(detail, sizeof(detail), "the test command ended with status %d",
			 result_exit_status(result));
		check(sink, PREFLIGHT_BAD, "sandbox", detail,
		      "see what /bin/sh says: drupe run -- sh -c true");
	}
	if (result->streams[0].text)
		take_lines(sink, result->streams[0].text);
}

static void try_sandbox(struct session *session, const struct request *wanted,
			const struct preflight_sink *sink)
{
	char text[sizeof(script)];
	char *command[] = { (char[]){ "/bin/sh" },
			    (char[]){ "-c" },
			    text,
			    (char[]){ "sh" },
			    session->sandbox.view.workspace.dest,
			    strdup(mode_of(session)),
			    NULL };
	struct run_io io = { .capture = true,
			     .in = -1,
			     .out = { -1, -1 },
			     .cancel = { -1, -1, -1 },
			     .last = session->sandbox.one_shot };
	struct request request = *wanted;
	struct grant grant = GRANT_NONE;
	struct error err = { 0 };
	struct result result;

	memcpy(text, script, sizeof(script));
	if (sink->cancel)
		memcpy(io.cancel, sink->cancel, sizeof(io.cancel));
	if (io.cancel[RUN_CANCELS - 1] < 0)
		io.cancel[RUN_CANCELS - 1] = session->closing;
	request.command = command;
	request.confirmed = true; /* the command is ours */
	if (session_grant(session, &request, &grant, &err) < 0) {
		check_error(sink, "session", &err);
	} else {
		session_execute(session, &grant, &request, &io, &result);
		if (sink->cancelled)
			*sink->cancelled = result.status == RUN_CANCELLED;
		judge(sink, &result);
		result_free(&result);
	}
	grant_free(&grant);
	free(command[5]);
}

/* ---- of a session ---- */

/* The first failure is the cause, the others follow from it. */
static void keep_first(void *data, const struct preflight_check *check)
{
	struct error *err = data;

	if (check->verdict != PREFLIGHT_BAD || err->code)
		return;
	if (check->reason) {
		*err = *check->reason;
		return;
	}
	error_set(err, ERROR_PREFLIGHT_FAILED, 0, "%s: %s", check->name, check->detail);
	error_hint(err, "%s", check->fix);
}

int preflight_session(struct session *session, enum ask network, const int *cancel,
		      struct error *err)
{
	uint64_t longest = session->sandbox.profile->timeout_max_ms;
	struct error reason = { 0 };
	bool cancelled = false;
	const struct request request = { .network = network,
					 .timeout_ms = longest < TEST_MS ? longest
									 : TEST_MS };
	const struct preflight_sink sink = { keep_first, &reason, cancel, &cancelled };

	try_sandbox(session, &request, &sink);
	if (cancelled)
		return error_set(err, ERROR_SYSTEM, ECANCELED, "cancelled");
	if (!reason.code)
		return 0;
	*err = reason;
	return -EPERM;
}

/* ---- all of it ---- */

/* A line for each backend, even if another one is missing. */
static bool try_backends(const struct preflight_sink *sink, const struct policy *policy,
			 const struct request *wanted, const struct paths *paths,
			 uid_t uid)
{
	bool good = true;

	for (size_t i = 0; i < N_SLOTS; i++) {
		_cleanup_backend_ struct backend *backend = NULL;
		struct error err = { 0 };
		char name[80];

		if (i == SLOT_NETWORK && wanted->network != ASK_YES)
			continue;
		snprintf(name, sizeof(name), "%s %s", slot_names[i], policy->backends[i]);
		if (strcmp(policy->backends[i], "none") == 0)
			check(sink, PREFLIGHT_GOOD, name, "", "");
		else if (registry_load(paths->backends, (enum slot)i, policy->backends[i],
				       policy, uid, &backend, &err) < 0) {
			check_error(sink, name, &err);
			good = false;
		} else {
			check(sink, PREFLIGHT_GOOD, name, backend_tool(backend), "");
		}
	}
	return good;
}

static void try_all(const struct policy *policy, const struct request *request,
		    const struct paths *paths, const struct preflight_sink *sink)
{
	struct identity identity;
	struct session session;
	struct error err = { 0 };
	bool good;

	if (identity_resolve(request->user, policy->user, &identity, &err) < 0) {
		check_error(sink, "user", &err);
		return;
	}
	check(sink, PREFLIGHT_GOOD, "user", identity.name, "");
	good = try_backends(sink, policy, request, paths, identity.uid);
	identity_free(&identity);
	if (!good)
		return;
	if (session_open(policy, request, paths, SESSION_ONE_SHOT, &session, &err) < 0) {
		check_error(sink, "session", &err);
		return;
	}
	check_locale(sink, &session);
	try_sandbox(&session, request, sink);
	if (session_close(&session, &err) < 0)
		check_error(sink, "private tmp", &err);
}

void preflight_all(const char *policy_name, const struct request *request,
		   const struct paths *paths, const struct preflight_sink *sink)
{
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_policy_ struct policy *policy = NULL;
	struct error err = { 0 };

	if (policy_open(policy_name, paths->policies, &policy, &findings, &err) < 0) {
		check_error(sink, "policy", &err);
		return;
	}
	check(sink, PREFLIGHT_GOOD, "policy", policy->source, "");
	try_all(policy, request, paths, sink);
}
