/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* drupe preflight: the real thing on a trivial command, each check on a line, and
 * where one fails the cause and what to do. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "fd.h"
#include "run.h"

/* ---- lines ------------------------------------------------------------------------ */

enum verdict { GOOD, BAD, NOTE };

struct checks {
	const struct options *options;
	json_t *rows;
	bool failed;
};

static void check(struct checks *checks, enum verdict verdict, const char *name,
		  const char *detail, const char *fix)
{
	static const char *const words[] = {
		[GOOD] = "ok", [BAD] = "FAIL", [NOTE] = "note"
	};

	checks->failed |= verdict == BAD;
	json_array_append_new(checks->rows,
			      json_pack("{s:s, s:s, s:o, s:o}", "check", name, "result",
					words[verdict], "detail",
					*detail ? json_text(detail) : json_null(), "fix",
					*fix ? json_text(fix) : json_null()));
	if (checks->options->json || (checks->options->quiet && verdict == GOOD))
		return;
	printf("%-5s %s%s", words[verdict], name, *detail ? ": " : "");
	print_escaped(stdout, detail);
	putchar('\n');
	if (*fix) {
		fputs("      fix: ", stdout);
		print_escaped(stdout, fix);
		putchar('\n');
	}
}

static void check_error(struct checks *checks, const char *name, const struct error *err)
{
	check(checks, BAD, name, err->message, err->hint);
}

/* ---- the host ------------------------------------------------------------------------
 */

/* Switches that forbid what a launcher without privileges needs. */
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

/* Only asked for after the sandbox failed: a working one needs no explanation. */
static void explain_host(struct checks *checks)
{
	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++)
		if (is_switched(i))
			check(checks, BAD, "host", switches[i].cause, switches[i].fix);
}

static void check_locale(struct checks *checks, const struct session *session)
{
	const char *name = "en_US.UTF-8";
	char detail[256];
	locale_t locale;

	for (size_t i = 0; i < session->profile->n_env; i++)
		if (strcmp(session->profile->env[i].name, "LANG") == 0)
			name = session->profile->env[i].value;
	locale = newlocale(LC_ALL_MASK, name, (locale_t)0);
	if (locale) {
		freelocale(locale);
		return;
	}
	snprintf(detail, sizeof(detail),
		 "%s is not generated on this host: commands may warn about it", name);
	check(checks, NOTE, "locale", detail,
	      "generate it, or set `env: {LANG: C.UTF-8}` in the profile");
}

/* ---- the sandbox
 * ------------------------------------------------------------------------- */

/* Spec 5.3.6, and what else can only be seen from inside; a line for each. */
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

static void take_lines(struct checks *checks, char *text)
{
	char *line;

	while ((line = strsep(&text, "\n"))) {
		if (strncmp(line, "ok ", 3) == 0)
			check(checks, GOOD, line + 3, "", "");
		else if (strncmp(line, "FAIL ", 5) == 0)
			check(checks, BAD, line + 5,
			      "not as it must be inside the sandbox",
			      "please report this, with `drupe plan -- true`");
	}
}

static const char *mode_of(const struct session *session)
{
	if (session->profile->workspace == ACCESS_NONE)
		return "none";
	return session->view.workspace.writable ? "write" : "read";
}

static void judge(struct checks *checks, const struct result *result)
{
	char detail[128];

	if (result->status == RUN_REFUSED) {
		check_error(checks, "sandbox", &result->refusal);
		explain_host(checks);
		return;
	}
	if (result->status == RUN_EXITED && result->exit_code == 0) {
		check(checks, GOOD, "sandbox", "held, verified, released, and gone", "");
	} else {
		snprintf(detail, sizeof(detail), "the test command ended with status %d",
			 result_exit_status(result));
		check(checks, BAD, "sandbox", detail,
		      "see what /bin/sh says: drupe run -- sh -c true");
	}
	if (result->streams[0].text)
		take_lines(checks, result->streams[0].text);
}

static void try_sandbox(struct checks *checks, struct session *session)
{
	char text[sizeof(script)];
	char *command[] = { (char[]){ "/bin/sh" },
			    (char[]){ "-c" },
			    text,
			    (char[]){ "sh" },
			    session->view.workspace.dest,
			    strdup(mode_of(session)),
			    NULL };
	struct request request = checks->options->request;
	const struct run_io io = {
		.capture = true, .in = -1, .cancel = -1, .last = true
	};
	struct error err = { 0 };
	struct result result;

	memcpy(text, script, sizeof(script));
	request.command = command;
	if (session_choose_tmp(session, &err) < 0) {
		check_error(checks, "private tmp", &err);
	} else {
		run_execute(session, &request, &io, &result);
		judge(checks, &result);
		result_free(&result);
	}
	free(command[5]);
}

/* ---- all of it
 * ------------------------------------------------------------------------------ */

/* Each backend on a line, also when another one is missing. */
static void try_backends(struct checks *checks, const struct policy *policy, uid_t uid)
{
	for (size_t i = 0; i < N_SLOTS; i++) {
		_cleanup_backend_ struct backend *backend = NULL;
		struct error err = { 0 };
		char name[80];

		if (i == SLOT_NETWORK && checks->options->request.network != ASK_YES)
			continue;
		snprintf(name, sizeof(name), "%s %s", slot_names[i], policy->backends[i]);
		if (strcmp(policy->backends[i], "none") == 0)
			check(checks, GOOD, name, "", "");
		else if (registry_load(checks->options->paths.backends, (enum slot)i,
				       policy->backends[i], policy, uid, &backend,
				       &err) < 0)
			check_error(checks, name, &err);
		else
			check(checks, GOOD, name, backend->object.tool, "");
	}
}

static void try_all(struct checks *checks)
{
	const struct options *options = checks->options;
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_policy_ struct policy *policy = NULL;
	struct request request = options->request;
	struct identity identity;
	struct session session;
	struct error err = { 0 };

	if (policy_open(options->policy, options->paths.policies, &policy, &findings,
			&err) < 0) {
		check_error(checks, "policy", &err);
		return;
	}
	check(checks, GOOD, "policy", policy->source, "");
	if (identity_resolve(options->request.user, policy->user, &identity, &err) < 0) {
		check_error(checks, "user", &err);
		return;
	}
	check(checks, GOOD, "user", identity.name, "");
	try_backends(checks, policy, identity.uid);
	identity_free(&identity);
	if (checks->failed)
		return;
	request.confirmed = true; /* the command is ours */
	if (session_open(policy, &request, &options->paths, &session, &err) < 0) {
		check_error(checks, "session", &err);
		return;
	}
	check_locale(checks, &session);
	try_sandbox(checks, &session);
	if (session_close(&session, &err) < 0)
		check_error(checks, "private tmp", &err);
}

int cmd_preflight(const struct options *options)
{
	struct checks checks = { .options = options, .rows = json_array() };

	/* A sandbox that dies at the gate must not end us by the pipe to it. */
	signal(SIGPIPE, SIG_IGN);
	try_all(&checks);
	if (options->json)
		print_json(json_pack("{s:b, s:O}", "ok", !checks.failed, "checks",
				     checks.rows));
	json_decref(checks.rows);
	return checks.failed ? EXIT_FINDINGS : EXIT_GOOD;
}
