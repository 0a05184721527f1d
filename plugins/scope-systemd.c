/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The cgroup scope by systemd-run --scope, which executes in place: the spawned process
 * becomes the guard, inside the scope.
 */
#include "drupe-backend.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* systemd-run 254 and later expands $VARIABLES in the command unless told not to; older
 * versions reject the option. */
enum feature { FEATURE_EXPAND };
static const char *const features[] = { [FEATURE_EXPAND] = "expand-environment", NULL };

static const struct drupe_option options[] = {
	{ "slice", DRUPE_OPTION_TEXT, 7, 200, NULL,
	  "the slice to put scopes in, NAME.slice" },
};

static const char *const environment[] = { "XDG_RUNTIME_DIR", NULL };

/* The limit, its property in systemd.resource-control(5), and the suffix of its value. */
#define LIMITS(X)                               \
	X(MEMORY_MAX, "MemoryMax", "")          \
	X(MEMORY_HIGH, "MemoryHigh", "")        \
	X(MEMORY_SWAP_MAX, "MemorySwapMax", "") \
	X(TASKS_MAX, "TasksMax", "")            \
	X(CPU_QUOTA, "CPUQuota", "%")           \
	X(CPU_WEIGHT, "CPUWeight", "")          \
	X(IO_WEIGHT, "IOWeight", "")
#define ROW(id, property, unit) [DRUPE_CGROUP_##id] = { property, unit },
#define BIT(id, ...) | UINT64_C(1) << DRUPE_CGROUP_##id

static void push_limit(const struct drupe_call *call,
		       const struct drupe_cgroup_limit *limit, struct drupe_words *words)
{
	static const struct {
		const char *property;
		const char *unit;
	} rows[] = { LIMITS(ROW) };
	size_t id = (size_t)limit->id;

	if (id == 0 || id >= sizeof(rows) / sizeof(rows[0])) {
		call->host->fail(words, ENOTSUP,
				 "cgroup limit %zu is unknown to scope-systemd", id);
		return;
	}
	call->host->pushf(words, "--property=%s=%llu%s", rows[id].property,
			  (unsigned long long)limit->value, rows[id].unit);
}

static void systemd_words(const struct drupe_call *call, const struct drupe_scope *scope,
			  struct drupe_words *words)
{
	const struct drupe_host *host = call->host;
	const char *slice = host->option_text(call->options, "slice", NULL);

	host->push(words, SYSTEMD_RUN_PATH);
	if (!scope->system)
		host->push(words, "--user");
	host->push(words, "--scope");
	host->push(words, "--quiet");
	host->push(words, "--collect");
	host->pushf(words, "--unit=%s", scope->unit);
	host->pushf(words, "--description=%s", scope->description);
	if (slice)
		host->pushf(words, "--slice=%s", slice);
	if (scope->system) {
		host->pushf(words, "--uid=%u", scope->uid);
		host->pushf(words, "--gid=%u", scope->gid);
	}
	if (call->features & UINT64_C(1) << FEATURE_EXPAND)
		host->push(words, "--expand-environment=no");
	/* An out-of-memory kill must not stop the whole scope: the kernel counts it,
	 * and the count is the evidence. */
	host->push(words, "--property=OOMPolicy=continue");
	if (scope->runtime_max_ms)
		host->pushf(words, "--property=RuntimeMaxSec=%llums",
			    (unsigned long long)scope->runtime_max_ms);
	for (size_t i = 0; i < scope->n_limits; i++)
		push_limit(call,
			   (const void *)((const char *)scope->limits +
					  i * scope->limit_size),
			   words);
	host->push(words, "--");
}

static void systemd_stop(const struct drupe_call *call, const struct drupe_scope *scope,
			 struct drupe_words *words)
{
	call->host->push(words, SYSTEMCTL_PATH);
	if (!scope->system)
		call->host->push(words, "--user");
	call->host->push(words, "kill");
	call->host->push(words, "--signal=KILL");
	call->host->push(words, scope->unit);
}

static int systemd_cgroup(const struct drupe_call *call, const struct drupe_scope *scope,
			  char *ret, size_t size)
{
	(void)call;
	return snprintf(ret, size, "/%s", scope->unit) < (int)size ? 0 : -ENAMETOOLONG;
}

#define OUTSIDE                                                                       \
	"a user's manager controls only its own user@UID.service; from elsewhere (a " \
	"login session, a service) the system's manager must move the caller, over "  \
	"the system bus: is dbus running? `journalctl --user` has details; or start " \
	"drupe with `systemd-run --user`; or, in a service with Delegate=yes or a "   \
	"container, use `scope: cgroup2`"

static const struct diagnosis {
	const char *text;
	const char *cause;
	const char *remedy;
} diagnoses[] = {
	{ "No medium found", "there is no user manager to ask",
	  "log in, or `loginctl enable-linger USER`, and set "
	  "XDG_RUNTIME_DIR=/run/user/UID" },
	{ "not defined", "there is no user manager to ask",
	  "log in, or `loginctl enable-linger USER`, and set "
	  "XDG_RUNTIME_DIR=/run/user/UID" },
	{ "Failed to connect", "the manager cannot be reached",
	  "look at `systemctl --user status` (as root: systemctl status)" },
	{ "Access denied", "the manager refuses a scope for this caller",
	  "polkit or the manager's policy forbids it; ask the admin" },
	{ "Transport endpoint", "the manager did not answer",
	  "it may be stopped or overloaded; look at `systemctl --user status`" },
	{ "already loaded", "a unit of that name is left over",
	  "systemctl --user reset-failed 'drupe-*'" },
	{ "Failed to start transient scope", "the manager could not start the scope",
	  OUTSIDE },
	{ "Job failed", "the manager could not start the scope", OUTSIDE },
	{ "Failed to execute", "drupe-guard cannot be executed by that user",
	  "drupe-guard and every folder above it must be accessible to the user of the "
	  "run" },
};

/* With --quiet systemd-run does not report a failed job: the manager made the scope but
 * could not move us in. */
static const struct diagnosis silence = { "",
					  "the manager did not move drupe into a scope",
					  OUTSIDE };

static void systemd_diagnose(const struct drupe_call *call, const char *text,
			     struct drupe_diagnosis *ret_diagnosis)
{
	const struct diagnosis *found = *text ? NULL : &silence;

	(void)call;
	for (size_t i = 0; !found && i < sizeof(diagnoses) / sizeof(diagnoses[0]); i++)
		if (strstr(text, diagnoses[i].text))
			found = &diagnoses[i];
	if (!found)
		return;
	ret_diagnosis->code = "scope-failed";
	ret_diagnosis->cause = found->cause;
	ret_diagnosis->remedy = found->remedy;
}

static const struct drupe_scope_ops ops = {
	.size = sizeof(ops),
	.enforces = 0 LIMITS(BIT),
	.environment = environment,
	.words = systemd_words,
	.stop_words = systemd_stop,
	.cgroup = systemd_cgroup,
	.diagnose = systemd_diagnose,
};

DRUPE_BACKEND_EXPORT = {
	.size = sizeof(struct drupe_backend),
	.abi = DRUPE_BACKEND_ABI,
	.kind = DRUPE_KIND_SCOPE,
	.name = "systemd",
	.version = BACKEND_VERSION,
	.summary = "cgroup limits by a transient systemd scope",
	.tool = SYSTEMD_RUN_PATH,
	.tool_features = features,
	.options = options,
	.n_options = sizeof(options) / sizeof(options[0]),
	.option_size = sizeof(options[0]),
	.scope = &ops,
};
