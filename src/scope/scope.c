/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scope/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include "backend/call.h"
#include "base/argv.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/procfile.h"
#include "base/reap.h"
#include "base/spawn.h"
#include "scope/cgroup-folder.h"
#include "scope/folder.h"

#define CGROUP_ROOT "/sys/fs/cgroup"
#define CGROUP2_MAGIC 0x63677270 /* CGROUP2_SUPER_MAGIC of linux/magic.h */
/* RuntimeMaxSec is a last resort: a healthy run has ended long before. */
#define NET_MS 60000
#define STOP_MS 3000
#define GONE_MS 2000
#define GONE_STEP_NS (2 * NS_PER_MS)

static int failed(const struct scope *scope, enum error_code code, int errnum,
		  const char *what, const char *hint, struct error *err)
{
	error_set(err, code, errnum, "%s", what);
	error_hint(err, "%s", hint);
	error_backend(err, slot_names[SLOT_SCOPE], scope->backend->object.name);
	return errnum > 0 ? -errnum : -ENOTSUP;
}

/* ---- the request ---- */

void scope_describe(const struct identity *identity, const struct plan *plan,
		    struct drupe_scope *ret_request)
{
	*ret_request = (struct drupe_scope){
		.size = sizeof(*ret_request),
		.unit = "{unit}",
		.description = "drupe sandbox",
		.system = geteuid() == 0,
		.uid = identity->uid,
		.gid = identity->gid,
		.runtime_max_ms = plan->timeout_ms + NET_MS,
		.limits = plan->cgroup,
		.n_limits = plan->n_cgroup,
		.limit_size = sizeof(plan->cgroup[0]),
	};
}

/* Only the caller's own manager, whose socket the tool will use. */
static int find_manager(struct scope *scope, struct error *err)
{
	static const char hint[] = "log in, or `loginctl enable-linger USER`, and set "
				   "XDG_RUNTIME_DIR=/run/user/UID; or say `scope: none`";
	const char *folder = getenv("XDG_RUNTIME_DIR");
	char path[4200];
	struct stat st;

	if (scope->request.system)
		return 0;
	if (!folder || folder[0] != '/')
		return failed(scope, ERROR_SCOPE_UNAVAILABLE, 0,
			      "no user manager: XDG_RUNTIME_DIR is not set", hint, err);
	if (strlen(folder) > 4000 || stat(folder, &st) < 0 || !S_ISDIR(st.st_mode))
		return failed(scope, ERROR_SCOPE_UNAVAILABLE, ENOENT,
			      "no user manager: XDG_RUNTIME_DIR is not a folder", hint,
			      err);
	if (st.st_uid != geteuid())
		return failed(scope, ERROR_SCOPE_UNAVAILABLE, EPERM,
			      "XDG_RUNTIME_DIR belongs to another user", hint, err);
	snprintf(path, sizeof(path), "%s/systemd/private", folder);
	if (stat(path, &st) < 0 || !S_ISSOCK(st.st_mode) || st.st_uid != geteuid())
		return failed(scope, ERROR_SCOPE_UNAVAILABLE, ENOENT,
			      "no user manager listens in XDG_RUNTIME_DIR", hint, err);
	snprintf(scope->runtime, sizeof(scope->runtime), "XDG_RUNTIME_DIR=%s", folder);
	scope->environment[0] = scope->runtime;
	return 0;
}

static int make_unit(struct scope *scope, struct error *err)
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return error_set(err, ERROR_SYSTEM, errno, "no random numbers: %s",
				 strerror(errno));
	snprintf(scope->unit, sizeof(scope->unit), "drupe-%u-%d-%016" PRIx64 ".scope",
		 scope->request.uid, getpid(), random);
	scope->request.unit = scope->unit;
	return 0;
}

int scope_prepare(struct scope *scope, const struct backend *backend,
		  const struct identity *identity, const struct plan *plan,
		  struct error *err)
{
	struct error missing = { 0 };
	int r;

	scope->backend = backend;
	scope_describe(identity, plan, &scope->request);
	for (size_t i = 0; i < plan->n_cgroup; i++)
		if (!(backend->scope.enforces & UINT64_C(1) << plan->cgroup[i].id)) {
			error_set(&missing, ERROR_LIMIT_NOT_IN_FORCE, ENOTSUP,
				  "this scope cannot enforce %s",
				  cgroup_table[plan->cgroup[i].id].name);
			return failed(scope, ERROR_LIMIT_NOT_IN_FORCE, ENOTSUP,
				      missing.message,
				      "leave the limit out, or use another scope", err);
		}
	r = make_unit(scope, err);
	if (r == 0 && backend->scope.environment)
		r = find_manager(scope, err);
	if (r == 0)
		r = scope_folder_make(scope, err);
	return r;
}

/* ---- reading back ---- */

/* Whether TEXT is what VALUE should read back as. */
static bool reads_back(enum cgroup_reading reading, uint64_t value, const char *text)
{
	uint64_t is, period;

	switch (reading) {
	case READING_QUOTA:
		return sscanf(text, "%" SCNu64 " %" SCNu64, &is, &period) == 2 &&
		       is * 100 == value * period;
	case READING_DEFAULT:
		return sscanf(text, "default %" SCNu64, &is) == 1 && is == value;
	case READING_PAGES:
		value -= value % (uint64_t)sysconf(_SC_PAGESIZE);
		break;
	case READING_NUMBER:
		break;
	}
	return sscanf(text, "%" SCNu64, &is) == 1 && is == value;
}

static int verify_limit(const struct scope *scope, const struct drupe_cgroup_limit *limit,
			struct error *err)
{
	const struct cgroup_info *row = &cgroup_table[limit->id];
	char text[128], what[256], hint[256];
	ssize_t n = fd_read_file(scope->folder, row->file, text, sizeof(text));

	if (n > 0 && reads_back(row->reading, limit->value, text))
		return 0;
	if (n > 0)
		text[strcspn(text, "\n")] = '\0';
	snprintf(what, sizeof(what), "%s was requested but is not in force: %s %s",
		 row->name, row->file, n > 0 ? text : "is not there");
	snprintf(hint, sizeof(hint),
		 "delegate the %s controller: `[Service] Delegate=cpu io memory pids` in "
		 "/etc/systemd/system/user@.service.d/delegate.conf, then log in again",
		 row->controller);
	return failed(scope, ERROR_LIMIT_NOT_IN_FORCE, n < 0 ? (int)-n : 0, what, hint,
		      err);
}

/* On a pure v2 host /proc/PID/cgroup is the single line "0::PATH". */
static int find_cgroup(struct scope *scope, int proc, struct error *err)
{
	const struct backend *backend = scope->backend;
	char text[4000], suffix[256];
	struct statfs fs;
	size_t n, m;
	char *end;
	int r;

	if (statfs(CGROUP_ROOT, &fs) < 0 || (unsigned long)fs.f_type != CGROUP2_MAGIC)
		return failed(
			scope, ERROR_LIMIT_NOT_IN_FORCE, ENOTSUP,
			"this host has cgroup v1, or v1 and v2 mixed: limits of a scope "
			"are accepted there and not enforced",
			"boot with systemd.unified_cgroup_hierarchy=1, or say `scope: "
			"none` "
			"and set no cgroup limits",
			err);
	if (fd_read_file(proc, "cgroup", text, sizeof(text)) < 0)
		return error_set(err, ERROR_VERIFY_CGROUP, ESRCH,
				 "the child's cgroup cannot be read");
	end = strchr(text, '\n');
	if (strncmp(text, "0::/", 4) != 0 || !end || end[1] != '\0')
		return error_set(err, ERROR_VERIFY_CGROUP, 0,
				 "the child is not in one cgroup of version 2");
	*end = '\0';
	r = call_scope_cgroup(backend, &scope->request, suffix, sizeof(suffix));
	if (r < 0)
		return error_set(err, ERROR_BACKEND_FAILED, EINVAL, "%s: no cgroup",
				 backend->file);
	n = strlen(text);
	m = strlen(suffix);
	if (n < m || strcmp(text + n - m, suffix) != 0)
		return error_set(err, ERROR_VERIFY_CGROUP, 0,
				 "the child is in %s and not in its scope %s", text + 3,
				 scope->unit);
	snprintf(scope->path, sizeof(scope->path), CGROUP_ROOT "%s", text + 3);
	return 0;
}

int scope_verify(struct scope *scope, const struct plan *plan, int proc,
		 struct error *err)
{
	int r = find_cgroup(scope, proc, err);

	if (r < 0)
		return r;
	close_fd(&scope->folder);
	scope->folder = fd_above_stdio(
		open(scope->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	if (scope->folder < 0)
		return error_set(err, ERROR_VERIFY_CGROUP, -scope->folder, "%s: %s",
				 scope->path, strerror(-scope->folder));
	for (size_t i = 0; r == 0 && i < plan->n_cgroup; i++)
		r = verify_limit(scope, &plan->cgroup[i], err);
	return r;
}

/* Our own cgroup: a manager may not be allowed to move us out of it. */
static void own_cgroup(char *ret, size_t size)
{
	char text[4000];

	*ret = '\0';
	if (fd_read_file(AT_FDCWD, "/proc/self/cgroup", text, sizeof(text)) <= 0 ||
	    strncmp(text, "0::/", 4) != 0)
		return;
	text[strcspn(text, "\n")] = '\0';
	snprintf(ret, size, "; drupe itself is in the cgroup %.300s", text + 3);
}

int scope_failure(const struct scope *scope, const char *text, int wait_status,
		  struct error *err)
{
	const struct backend *backend = scope->backend;
	struct drupe_diagnosis diagnosis;
	char where[400] = "";

	call_diagnose(backend, text, &diagnosis);
	/* A tool run with --quiet does not report that the manager refused. */
	if (!*text)
		own_cgroup(where, sizeof(where));
	error_set(err, ERROR_SCOPE_FAILED, EIO, "%s ended with status %d%s%s%s%s%s",
		  backend_tool(backend),
		  WIFEXITED(wait_status) ? WEXITSTATUS(wait_status)
					 : 128 + WTERMSIG(wait_status),
		  diagnosis.cause ? ": " : "", diagnosis.cause ? diagnosis.cause : "",
		  *text ? ": " : " (it said nothing)", text, where);
	error_hint(err, "%s",
		   diagnosis.remedy ? diagnosis.remedy : "see the manual of that tool");
	error_backend(err, slot_names[SLOT_SCOPE], backend->object.name);
	return -EIO;
}

/* ---- evidence ---- */

static uint64_t number_in(int folder, const char *file)
{
	char text[64];
	uint64_t value;

	if (fd_read_file(folder, file, text, sizeof(text)) <= 0 ||
	    sscanf(text, "%" SCNu64, &value) != 1)
		return UINT64_MAX;
	return value;
}

static uint64_t field_in(int folder, const char *file, const char *key)
{
	char text[4096];

	return fd_read_file(folder, file, text, sizeof(text)) > 0
		       ? procfile_number(text, key, 10)
		       : UINT64_MAX;
}

/* A second read may come too late, when the cgroup is gone. */
static void keep(uint64_t *evidence, uint64_t value)
{
	if (value != UINT64_MAX)
		*evidence = value;
}

void scope_read_usage(const struct scope *scope, struct usage *usage)
{
	uint64_t user, system;

	if (scope->folder < 0)
		return;
	user = field_in(scope->folder, "cpu.stat", "user_usec");
	system = field_in(scope->folder, "cpu.stat", "system_usec");
	if (user != UINT64_MAX)
		usage->user_seconds = (double)user / 1e6;
	if (system != UINT64_MAX)
		usage->system_seconds = (double)system / 1e6;
	keep(&usage->memory_peak, number_in(scope->folder, "memory.peak"));
	keep(&usage->pids_peak, number_in(scope->folder, "pids.peak"));
	keep(&usage->oom_kills, field_in(scope->folder, "memory.events", "oom_kill"));
}

/* ---- the end ---- */

/* Through the manager, for kernels without cgroup.kill (before 5.14). */
static void kill_by_manager(const struct scope *scope)
{
	_cleanup_argv_ struct drupe_words words = { 0 };
	_cleanup_close_ int null = -1, pidfd = -1;
	struct spawn spawn = { .envp = scope->environment };

	call_scope_stop_words(scope->backend, &scope->request, &words);
	if (words.errnum || words.count == 0 || fd_null(O_RDWR, &null, NULL) < 0)
		return;
	spawn.argv = words.words;
	spawn.stdio[0] = spawn.stdio[1] = spawn.stdio[2] = null;
	if (spawn_process(&spawn, NULL, &pidfd, NULL) < 0)
		return;
	reap(&pidfd, STOP_MS, NULL);
}

void scope_kill(const struct scope *scope)
{
	if (scope->folder >= 0 && scope_write(scope->folder, "cgroup.kill", "1") < 0)
		kill_by_manager(scope);
}

static bool is_gone(const struct scope *scope)
{
	return !scope->path[0] || access(scope->path, F_OK) != 0;
}

bool scope_close(struct scope *scope)
{
	bool gone = is_gone(scope);
	int64_t deadline = deadline_in_ms(GONE_MS);
	const struct timespec step = { .tv_nsec = GONE_STEP_NS };

	/* We remove our own folder; a manager removes its own once it is empty. */
	if (scope_is_folder(scope))
		gone = cgroup_folder_remove(scope->setup->folder, GONE_MS) == 0;
	else
		for (; !gone && clock_now() < deadline; gone = is_gone(scope))
			nanosleep(&step, NULL);
	close_fd(&scope->folder);
	close_fd(&scope->lock);
	free(scope->setup);
	scope->setup = NULL;
	return gone;
}
