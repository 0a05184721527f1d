/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libdrupe as a program sees it: <drupe/drupe.h> and nothing else of drupe's.
 *     lib-test POLICY WORKSPACE TMPROOT MARK [USER]
 * MARK is an argument of every command that would stay.  TAP without numbers.
 */
#include <dirent.h>
#include <drupe/drupe.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *policy_file, *workspace, *tmp_root, *mark, *user;
static pthread_mutex_t tap = PTHREAD_MUTEX_INITIALIZER;
static int failed;

#define OK(condition, ...) ok_at(__LINE__, condition, __VA_ARGS__)
__attribute__((format(printf, 3, 4))) static int ok_at(int line, int condition,
						       const char *format, ...)
{
	va_list args;

	pthread_mutex_lock(&tap);
	printf("%s - ", condition ? "ok" : "not ok");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	if (!condition)
		printf("# line %d\n", line);
	failed |= !condition;
	fflush(stdout);
	pthread_mutex_unlock(&tap);
	return condition;
}

static void note_result(const drupe_result *result)
{
	char *json = result ? drupe_result_json(result) : NULL;

	printf("# %s\n", json ? json : "(no result)");
	free(json);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#define SOON_MS 60000
#define SOON_SECONDS 60
#define UNTIL(file) "until [ -e " file " ]; do sleep 0.05; done"
#define WAITS UNTIL("go")

static void nap(void)
{
	nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
}

/* The file that a command waits for. */
static void let_go(const char *name)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", workspace, name);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		OK(0, "%s: %s", path, strerror(errno));
	else
		close(fd);
}

static void hold_again(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", workspace, name);
	unlink(path);
}

static int count_files(const char *folder)
{
	DIR *dir = opendir(folder);
	int n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n - 2;
}

/* Threads of the library may need a moment to end. */
static int count_threads(void)
{
	return count_files("/proc/self/task");
}

static drupe_session *open_session(void)
{
	struct drupe_session_options options = DRUPE_SESSION_OPTIONS;
	drupe_session *session = NULL;
	drupe_policy *policy = NULL;
	drupe_error *error = NULL;

	options.workspace = workspace;
	options.user = user;
	if (drupe_policy_open(policy_file, &policy, &error) ||
	    drupe_session_open(policy, &options, &session, &error) ||
	    drupe_session_preflight(session, &error)) {
		OK(0, "a session: %s", error ? drupe_error_message(error) : "no error");
		exit(1);
	}
	drupe_policy_free(policy);
	return session;
}

static char *const *shell(const char *script)
{
	static __thread char words[4][1000], *argv[5];
	const char *const from[] = { "sh", "-c", script, mark };

	for (int i = 0; i < 4; i++) {
		snprintf(words[i], sizeof(words[i]), "%s", from[i]);
		argv[i] = words[i];
	}
	return argv;
}

static drupe_result *run_options(drupe_session *session, struct drupe_run_options options)
{
	drupe_result *result = NULL;
	int r = drupe_run(session, &options, &result);

	if (r || !result) {
		OK(0, "a run: %s", strerror(-r));
		exit(1);
	}
	return result;
}

static drupe_result *run(drupe_session *session, const char *script)
{
	struct drupe_run_options options = DRUPE_RUN_OPTIONS;

	options.argv = shell(script);
	return run_options(session, options);
}

/* Whether the text is TEXT, as a C string and by its length; frees RESULT. */
static int says(drupe_result *result, const char *text)
{
	size_t length = 0;
	const char *got = drupe_result_text(result, DRUPE_STDOUT, &length);
	int good = got && length == strlen(text) && strcmp(got, text) == 0;

	if (!good)
		note_result(result);
	drupe_result_free(result);
	return good;
}

/* ---- errors ---- */

static int is_error(drupe_error *error, const char *stage, const char *code)
{
	int good = error && strcmp(drupe_error_stage(error), stage) == 0 &&
		   strcmp(drupe_error_code(error), code) == 0 &&
		   drupe_error_message(error)[0] != '\0' && drupe_error_errno(error) >= 0;

	if (!good && error)
		printf("# %s %s %s\n", drupe_error_stage(error), drupe_error_code(error),
		       drupe_error_message(error));
	drupe_error_free(error);
	return good;
}

static int is_error_of(const drupe_result *result, const char *stage, const char *code)
{
	const drupe_error *error = drupe_result_refusal(result);

	return error && strcmp(drupe_error_stage(error), stage) == 0 &&
	       strcmp(drupe_error_code(error), code) == 0;
}

static void test_refusals(void)
{
	struct drupe_session_options options = DRUPE_SESSION_OPTIONS;
	drupe_policy *const no_policy = (drupe_policy *)&options;
	drupe_session *const no_session = (drupe_session *)&options;
	drupe_policy *policy = no_policy;
	drupe_session *session = no_session;
	drupe_error *error = NULL;
	char path[4096];

	OK(strcmp(drupe_version(), "0.1.0") == 0, "the version");
	drupe_error_free(NULL);
	drupe_policy_free(NULL);
	drupe_result_free(NULL);
	drupe_job_free(NULL);
	OK(drupe_session_close(NULL, NULL) == 0, "all can free nothing");

	OK(drupe_policy_open("/no/such.yaml", &policy, &error) < 0,
	   "a policy that is not there");
	OK(is_error(error, "policy", "policy-not-found"), "... the refusal");
	OK(policy == no_policy, "... the output is untouched");
	OK(drupe_policy_open("/no/such.yaml", &policy, NULL) < 0, "... without an error");
	error = NULL;
	if (!OK(drupe_policy_open(policy_file, &policy, &error) == 0, "a policy"))
		exit(1);
	OK(error == NULL, "... no error");
	OK(strcmp(drupe_policy_source(policy), policy_file) == 0, "... its source");

	options.user = user;
	snprintf(path, sizeof(path), "%s/none", workspace);
	options.workspace = path;
	OK(drupe_session_open(policy, &options, &session, &error) < 0,
	   "a workspace that is not there");
	OK(is_error(error, "session", "workspace-missing"), "... the refusal");
	OK(session == no_session, "... the output is untouched");
	OK(drupe_session_open(policy, &options, &session, NULL) < 0,
	   "... without an error");
	options.workspace = "/";
	error = NULL;
	OK(drupe_session_open(policy, &options, &session, &error) < 0,
	   "/ as a workspace");
	OK(error && drupe_error_hint(error), "... has a hint");
	OK(is_error(error, "session", "workspace-refused"), "... the refusal");
	options.workspace = workspace;
	options.profile = "none";
	error = NULL;
	OK(drupe_session_open(policy, &options, &session, &error) < 0,
	   "an unknown profile");
	OK(is_error(error, "policy", "profile-unknown"), "... the refusal");
	options.profile = NULL;
	/* A folder of the caller's own that has none. */
	snprintf(path, sizeof(path), "%s/..", tmp_root);
	options.backend_dir = path;
	error = NULL;
	OK(drupe_session_open(policy, &options, &session, &error) < 0, "no backends");
	OK(error && drupe_error_backend(error), "... names the backend");
	OK(is_error(error, "backend", "backend-missing"), "... the refusal");
	options.backend_dir = NULL;
	options.size = 0;
	OK(drupe_session_open(policy, &options, &session, NULL) == -EINVAL,
	   "options without a size");
	OK(count_files(tmp_root) == 0, "no refusal leaves a tmp");
	drupe_policy_free(policy);
}

/* ---- states ---- */

/* A session that was not preflighted: *ret_session. */
static int open_new(const struct drupe_session_options *options,
		    drupe_session **ret_session)
{
	drupe_policy *policy = NULL;
	int r = drupe_policy_open(policy_file, &policy, NULL);

	if (r == 0)
		r = drupe_session_open(policy, options, ret_session, NULL);
	drupe_policy_free(policy);
	return r;
}

static drupe_result *run(drupe_session *session, const char *script);
static int says(drupe_result *result, const char *text);

static void test_states(void)
{
	struct {
		struct drupe_session_options options;
		long later;
	} later = { .options = DRUPE_SESSION_OPTIONS };
	drupe_session *session = NULL;
	drupe_error *error = NULL, *again = NULL;
	drupe_result *result;

	later.options.workspace = workspace;
	later.options.user = user;
	if (!OK(open_new(&later.options, &session) == 0, "open"))
		exit(1);
	OK(drupe_session_state(session) == DRUPE_STATE_NEW, "... the session is NEW");
	OK(drupe_session_close(session, NULL) == 0, "... and can be closed");
	OK(count_files(tmp_root) == 0, "... no tmp is left");
	if (!OK(open_new(&later.options, &session) == 0, "open"))
		exit(1);
	OK(says(run(session, "echo x"), "x\n"), "... the first run makes the preflight");
	OK(drupe_session_state(session) == DRUPE_STATE_READY,
	   "... and the session is READY");
	drupe_session_close(session, NULL);

	/* The preflight writes to the workspace, which cannot be written now. */
	if (!OK(open_new(&later.options, &session) == 0, "open"))
		exit(1);
	chmod(workspace, 0555);
	OK(drupe_session_preflight(session, &error) < 0, "... a preflight that fails");
	OK(drupe_session_state(session) == DRUPE_STATE_REFUSED,
	   "... the session is REFUSED");
	chmod(workspace, 0755);
	OK(drupe_session_preflight(session, &again) < 0 && error && again &&
		   strcmp(drupe_error_message(error), drupe_error_message(again)) == 0,
	   "... it stays so when that is mended, with the first reason");
	OK(is_error(error, "preflight", "preflight-failed"), "... the refusal");
	drupe_error_free(again);
	result = run(session, "echo x");
	OK(drupe_result_status(result) == DRUPE_REFUSED &&
		   strcmp(drupe_error_code(drupe_result_refusal(result)),
			  "preflight-failed") == 0,
	   "... a run is refused for it");
	drupe_result_free(result);
	OK(drupe_session_close(session, NULL) == 0, "... close");

	/* A field that this library does not know must not be dropped in silence. */
	later.options.size = sizeof(later);
	OK(open_new(&later.options, &session) == 0,
	   "options of a later version, not used");
	drupe_session_close(session, NULL);
	later.later = 1;
	if (!OK(open_new(&later.options, &session) < 0,
		"options of a later version, used"))
		drupe_session_close(session, NULL);
}

/* ---- blocking runs ---- */

static int64_t member(json_t *object, const char *name)
{
	json_t *value = json_object_get(object, name);

	return json_is_integer(value) ? json_integer_value(value) : -1;
}

/* The accessors say what the JSON says. */
static int agrees(const drupe_result *result, const char *status)
{
	char *text = drupe_result_json(result);
	json_t *json = text ? json_loads(text, 0, NULL) : NULL;
	static const char *const names[] = { "stdout", "stderr" };
	const char *word = json_string_value(json_object_get(json, "status"));
	int good = json && word && strcmp(word, status) == 0;
	json_t *usage = json_object_get(json, "usage");
	json_t *scope = json_object_get(json, "scope");
	json_t *refusal = json_object_get(json, "refusal");

	good = good && !strchr(text, '\n');
	good = good && member(json, "exit_code") == drupe_result_exit_code(result);
	good = good &&
	       (member(json, "signal") == drupe_result_signal(result) ||
		(member(json, "signal") == -1 && drupe_result_signal(result) == 0));
	for (int i = 0; good && i < 2; i++) {
		json_t *stream = json_object_get(json, names[i]);
		enum drupe_stream which = i ? DRUPE_STDERR : DRUPE_STDOUT;
		const char *string = json_string_value(json_object_get(stream, "text"));
		const char *mine = drupe_result_text(result, which, NULL);

		good = (uint64_t)member(stream, "bytes") ==
			       drupe_result_bytes(result, which) &&
		       (uint64_t)member(stream, "omitted_bytes") ==
			       drupe_result_omitted_bytes(result, which);
		if (good && string)
			good = mine && strcmp(string, mine) == 0 &&
			       drupe_result_is_utf8(result, which);
	}
	good = good && fabs(json_real_value(json_object_get(json, "wall_seconds")) -
			    drupe_result_wall_seconds(result)) < 1e-3;
	good = good && json_is_null(json_object_get(usage, "user_seconds")) ==
			       !!isnan(drupe_result_user_seconds(result));
	good = good && json_is_null(json_object_get(usage, "system_seconds")) ==
			       !!isnan(drupe_result_system_seconds(result));
	good = good && json_is_null(json_object_get(usage, "memory_peak_bytes")) ==
			       (drupe_result_memory_peak_bytes(result) == UINT64_MAX);
	good = good && json_is_null(json_object_get(usage, "pids_peak")) ==
			       (drupe_result_pids_peak(result) == UINT64_MAX);
	good = good && json_is_null(json_object_get(usage, "oom_kills")) ==
			       (drupe_result_oom_kills(result) == UINT64_MAX);
	good = good && strcmp(json_string_value(json_object_get(json, "network")),
			      drupe_result_network(result)) == 0;
	good = good && json_is_true(json_object_get(json, "network_failed")) ==
			       !!drupe_result_network_failed(result);
	good = good && json_is_null(scope) == !drupe_result_scope(result);
	good = good && json_is_null(refusal) == !drupe_result_refusal(result);
	if (good && drupe_result_refusal(result))
		good = strcmp(json_string_value(json_object_get(refusal, "code")),
			      drupe_error_code(drupe_result_refusal(result))) == 0 &&
		       strcmp(json_string_value(json_object_get(refusal, "message")),
			      drupe_error_message(drupe_result_refusal(result))) == 0;
	if (!good)
		note_result(result);
	json_decref(json);
	free(text);
	return good;
}

static void check(drupe_result *result, const char *what, enum drupe_status status,
		  const char *word, int exit_code, int exit_status)
{
	int good = drupe_result_status(result) == status &&
		   drupe_result_exit_code(result) == exit_code &&
		   drupe_result_exit_status(result) == exit_status;

	OK(good, "%s: %s", what, word);
	if (!good)
		note_result(result);
	OK(agrees(result, word), "... the JSON says the same");
	drupe_result_free(result);
}

static void test_runs(drupe_session *session)
{
	struct drupe_run_options options = DRUPE_RUN_OPTIONS;
	drupe_result *result = (drupe_result *)&options;
	char *const none[] = { NULL };
	char path[] = "/no/such";
	char *const missing[] = { path, NULL };
	size_t length = 0;

	OK(drupe_session_state(session) == DRUPE_STATE_READY,
	   "after the preflight READY");
	OK(drupe_session_preflight(session, NULL) == 0, "... it is told again");
	result = run(session, "echo out; echo err >&2; exit 3");
	OK(strcmp(drupe_result_text(result, DRUPE_STDERR, &length), "err\n") == 0 &&
		   length == 4,
	   "stderr as text");
	OK(drupe_result_refusal(result) == NULL &&
		   drupe_result_output_errno(result) == 0 &&
		   drupe_result_wall_seconds(result) > 0,
	   "... nothing was refused");
	check(result, "exit 3", DRUPE_EXITED, "exited", 3, 3);
	OK(says(run(session, "echo out"), "out\n"), "stdout as text");
	OK(says(run(session, "cat"), ""), "no stdin");
	check(run(session, "kill -9 $$"), "a signal", DRUPE_EXITED, "exited", 137, 137);

	options.argv = missing;
	check(run_options(session, options), "not found", DRUPE_EXITED, "exited", 127,
	      127);
	options.argv = shell("cat; printf x");
	options.stdin_data = "a\0b";
	options.stdin_length = 3;
	result = run_options(session, options);
	OK(memcmp(drupe_result_text(result, DRUPE_STDOUT, &length), "a\0bx", 5) == 0 &&
		   length == 4,
	   "stdin data, with a NUL");
	drupe_result_free(result);
	options.stdin_data = NULL;
	options.stdin_length = 0;

	options.argv = shell("perl -e 'print q(x) x 20000'");
	result = run_options(session, options);
	OK(drupe_result_bytes(result, DRUPE_STDOUT) == 20000 &&
		   drupe_result_omitted_bytes(result, DRUPE_STDOUT) == 10000 &&
		   strstr(drupe_result_text(result, DRUPE_STDOUT, NULL),
			  "10000 bytes omitted"),
	   "a long text is bounded");
	check(result, "a long text", DRUPE_EXITED, "exited", 0, 0);
	result = run(session, "printf '\\377'");
	OK(!drupe_result_is_utf8(result, DRUPE_STDOUT) &&
		   drupe_result_is_utf8(result, DRUPE_STDERR) &&
		   strcmp(drupe_result_text(result, DRUPE_STDOUT, NULL), "\377") == 0,
	   "bytes that are no text");
	drupe_result_free(result);

	options.argv = shell("sleep 100");
	options.timeout_ms = 300;
	check(run_options(session, options), "the timeout", DRUPE_TIMED_OUT, "timed_out",
	      -1, 124);
	options.timeout_ms = 11 * 60 * 1000;
	result = run_options(session, options);
	OK(drupe_result_refusal(result) &&
		   strcmp(drupe_error_code(drupe_result_refusal(result)),
			  "not-granted") == 0,
	   "a timeout above the most is refused");
	check(result, "... it", DRUPE_REFUSED, "refused", -1, 125);
	options.timeout_ms = 0;
	options.network = DRUPE_NETWORK_ASK;
	check(run_options(session, options), "a network that is not granted",
	      DRUPE_REFUSED, "refused", -1, 125);
	options.network = DRUPE_NETWORK_DEFAULT;
	options.reads = (const char *const[]){ "/srv", NULL };
	check(run_options(session, options), "a read that is not granted", DRUPE_REFUSED,
	      "refused", -1, 125);
	options.reads = NULL;

	result = (drupe_result *)&options;
	options.argv = NULL;
	OK(drupe_run(session, &options, &result) == -EINVAL, "no argv: EINVAL");
	options.argv = none;
	OK(drupe_run(session, &options, &result) == -EINVAL, "an empty argv: EINVAL");
	options.argv = shell("true");
	options.size = 0;
	OK(drupe_run(session, &options, &result) == -EINVAL, "no size: EINVAL");
	OK(result == (drupe_result *)&options, "... the output is untouched");
	OK(drupe_session_state(session) == DRUPE_STATE_READY,
	   "the session is ready as before");

	drupe_result_free(run(session, "echo kept >/tmp/x"));
	OK(says(run(session, "cat /tmp/x"), "kept\n"), "the private tmp is kept");
}

/* ---- streams ---- */

struct heard {
	char bytes[2][65536];
	size_t length[2];
	size_t calls;
	pthread_t thread;
	drupe_job *job;
};

static void hear(void *data, enum drupe_stream stream, const char *bytes, size_t length)
{
	struct heard *heard = data;

	if (heard->length[stream] + length <= sizeof(heard->bytes[0]))
		memcpy(heard->bytes[stream] + heard->length[stream], bytes, length);
	heard->length[stream] += length;
	heard->thread = pthread_self();
	__atomic_fetch_add(&heard->calls, 1, __ATOMIC_RELEASE);
}

static void hear_and_let_go(void *data, enum drupe_stream stream, const char *bytes,
			    size_t length)
{
	const struct heard *heard = data;
	char name[20];

	hear(data, stream, bytes, length);
	snprintf(name, sizeof(name), "heard-%zu", heard->calls);
	let_go(name);
}

static void await_output(const struct heard *heard)
{
	double started = now();

	while (!__atomic_load_n(&heard->calls, __ATOMIC_ACQUIRE) &&
	       now() - started < SOON_SECONDS)
		nap();
}

static int heard_is(const struct heard *heard, int stream, const char *text)
{
	return heard->length[stream] == strlen(text) &&
	       memcmp(heard->bytes[stream], text, strlen(text)) == 0;
}

static void test_callbacks(drupe_session *session)
{
	static struct heard heard;
	struct drupe_run_options options = DRUPE_RUN_OPTIONS;
	drupe_result *result;

	options.argv = shell("echo one; " UNTIL("heard-1") "; echo two >&2; " UNTIL(
		"heard-2") "; echo three");
	options.output = hear_and_let_go;
	options.output_data = &heard;
	result = run_options(session, options);
	OK(heard_is(&heard, 0, "one\nthree\n") && heard_is(&heard, 1, "two\n"),
	   "the callback");
	OK(heard.calls == 3 && pthread_equal(heard.thread, pthread_self()),
	   "... as it comes, in the thread that runs it");
	OK(says(result, "one\nthree\n"), "... the text is there as well");
	hold_again("heard-1");
	hold_again("heard-2");
	hold_again("heard-3");
	memset(&heard, 0, sizeof(heard));
	options.output = hear;
	options.argv = shell("perl -e 'print q(0123456789) x 5000'");
	result = run_options(session, options);
	OK(heard.length[0] == 50000 &&
		   memcmp(heard.bytes[0] + 49990, "0123456789", 10) == 0 &&
		   drupe_result_omitted_bytes(result, DRUPE_STDOUT) == 40000,
	   "the callback has all, the text is bounded");
	drupe_result_free(result);
}

static void test_stdio(drupe_session *session)
{
	struct drupe_run_options options = DRUPE_RUN_OPTIONS;
	drupe_result *result;
	char buffer[256];
	int in[2], out[2], err[2], stdio[3];
	ssize_t n;

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
		exit(1);
	if (write(in[1], "words", 5) != 5)
		exit(1);
	close(in[1]);
	memcpy(stdio, (int[]){ in[0], out[1], err[1] }, sizeof(stdio));
	options.argv = shell("cat; echo err >&2; exit 4");
	options.stdio = stdio;
	result = run_options(session, options);
	n = read(out[0], buffer, sizeof(buffer));
	OK(n == 5 && memcmp(buffer, "words", 5) == 0,
	   "stdin and stdout are descriptors of ours");
	n = read(err[0], buffer, sizeof(buffer));
	OK(n == 4 && memcmp(buffer, "err\n", 4) == 0, "... stderr");
	OK(drupe_result_text(result, DRUPE_STDOUT, NULL) == NULL &&
		   drupe_result_bytes(result, DRUPE_STDOUT) == 5,
	   "... there is no text, but its length");
	check(result, "... it", DRUPE_EXITED, "exited", 4, 4);
	OK(fcntl(out[1], F_GETFD) == FD_CLOEXEC && fcntl(in[0], F_GETFD) == FD_CLOEXEC &&
		   (fcntl(out[1], F_GETFL) & O_NONBLOCK) == 0,
	   "... they stay as they were");

	stdio[0] = -1;
	options.capture = 1;
	result = run_options(session, options);
	n = read(err[0], buffer, sizeof(buffer));
	OK(n == 4 && drupe_result_text(result, DRUPE_STDERR, NULL) &&
		   strcmp(drupe_result_text(result, DRUPE_STDERR, NULL), "err\n") == 0,
	   "capture keeps the text beside");
	drupe_result_free(result);
	options.capture = 0;

	/* SIGPIPE is as the process has it: the default. */
	close(out[0]);
	options.argv = shell("while :; do echo x; done");
	result = run_options(session, options);
	OK(drupe_result_output_errno(result) == EPIPE, "a reader that is gone");
	check(result, "... it", DRUPE_CANCELLED, "cancelled", -1, 141);
	for (int i = 0; i < 2; i++)
		close(err[i]);
	close(out[1]);
	close(in[0]);
}

/* ---- jobs ---- */

static drupe_job *start(drupe_session *session, const char *script, struct heard *heard)
{
	struct drupe_run_options options = DRUPE_RUN_OPTIONS;
	char *const *argv = shell(script);
	drupe_job *job = NULL;
	int r;

	options.argv = argv;
	options.output = heard ? hear : NULL;
	options.output_data = heard;
	r = drupe_start(session, &options, &job);
	/* What the options point to may go as soon as it has started. */
	memset(argv[2], '!', strlen(argv[2]));
	memset(&options, 0xff, sizeof(options));
	if (r || !job) {
		OK(0, "a job: %s", strerror(-r));
		exit(1);
	}
	return job;
}

static int readable(int fd, int ms)
{
	struct pollfd p = { fd, POLLIN, 0 };

	return poll(&p, 1, ms) == 1 && (p.revents & POLLIN);
}

static drupe_result *wait_for(drupe_job *job)
{
	drupe_result *result = NULL;
	int r = drupe_job_wait(job, SOON_MS, &result);

	if (r || !result) {
		OK(0, "the end of a job: %s", strerror(-r));
		exit(1);
	}
	return result;
}

static void test_jobs(drupe_session *session)
{
	static struct heard heard;
	drupe_job *job = start(session, "echo x; " WAITS "; exit 5", &heard);
	drupe_result *result = NULL;
	double started;

	OK(drupe_job_fd(job) >= 0 && !readable(drupe_job_fd(job), 0), "a job");
	OK(drupe_job_wait(job, 0, &result) == -ETIMEDOUT && !result,
	   "... wait for 0: it runs");
	OK(drupe_job_wait(job, 50, &result) == -ETIMEDOUT && !result,
	   "... wait for 50 ms");
	OK(!readable(drupe_job_fd(job), 0), "... its descriptor does not tell an end");
	let_go("go");
	OK(readable(drupe_job_fd(job), SOON_MS), "... before it has come");
	hold_again("go");
	OK(readable(drupe_job_fd(job), 0), "... and again");
	OK(drupe_job_wait(job, 0, &result) == 0 && result, "... the result");
	OK(heard_is(&heard, 0, "x\n"), "... its output was told");
	check(result, "... it", DRUPE_EXITED, "exited", 5, 5);
	OK(drupe_job_wait(job, 0, &result) == -ENODATA, "... once");
	OK(drupe_job_cancel(job) == -ESRCH, "... cannot be cancelled any more");
	drupe_job_free(job);

	job = start(session, "sleep 100", NULL);
	OK(drupe_job_cancel(job) == 0, "cancel at once");
	(void)drupe_job_cancel(job);
	result = wait_for(job);
	OK(drupe_result_status(result) == DRUPE_CANCELLED &&
		   drupe_result_exit_code(result) == -1,
	   "... it is cancelled");
	OK(agrees(result, "cancelled"), "... the JSON says the same");
	drupe_result_free(result);
	drupe_job_free(job);
	memset(&heard, 0, sizeof(heard));
	job = start(session, "echo x; sleep 100", &heard);
	await_output(&heard);
	OK(drupe_job_cancel(job) == 0, "cancel later");
	OK(says(wait_for(job), "x\n"), "... what it wrote is there");
	drupe_job_free(job);
	started = now();
	drupe_job_free(start(session, "sleep 100", NULL));
	OK(now() - started < SOON_SECONDS, "a job that is freed ends");
	job = start(session, "echo y", NULL);
	OK(readable(drupe_job_fd(job), SOON_MS), "a job whose result nobody takes");
	drupe_job_free(job);
}

static void test_cancel_fd(drupe_session *session)
{
	struct drupe_run_options options = DRUPE_RUN_OPTIONS;
	drupe_result *result;
	sigset_t set, before;
	uint64_t value = 0;

	options.argv = shell("sleep 100");
	options.cancel_fd = eventfd(1, EFD_CLOEXEC);
	result = run_options(session, options);
	OK(drupe_result_status(result) == DRUPE_CANCELLED &&
		   drupe_result_signal(result) == 0,
	   "cancel_fd");
	drupe_result_free(result);
	OK(read(options.cancel_fd, &value, sizeof(value)) == 8 && value == 1,
	   "... what it holds is not read");
	close(options.cancel_fd);

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, &before);
	options.cancel_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	raise(SIGTERM);
	result = run_options(session, options);
	OK(drupe_result_signal(result) == SIGTERM, "a signalfd tells the signal");
	check(result, "... it", DRUPE_CANCELLED, "cancelled", -1, 143);
	OK(!readable(options.cancel_fd, 0), "... which was read");
	close(options.cancel_fd);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- threads ---- */

struct task {
	pthread_t thread;
	drupe_session *session; /* NULL: one of its own */
	int number, good;
	enum drupe_status status;
	drupe_job *job;
	const char *script;
	struct heard heard;
};

static void *run_five(void *data)
{
	struct task *task = data;
	drupe_session *session = task->session ? task->session : open_session();
	char script[100], expected[20];

	for (int i = 0; i < 5; i++) {
		snprintf(script, sizeof(script), "echo %d.%d", task->number, i);
		snprintf(expected, sizeof(expected), "%d.%d\n", task->number, i);
		task->good += says(run(session, script), expected);
	}
	if (!task->session)
		task->good += drupe_session_close(session, NULL) == 0;
	return NULL;
}

static void *start_one(void *data)
{
	struct task *task = data;

	task->job = start(task->session, task->script, NULL);
	return NULL;
}

static void *cancel_one(void *data)
{
	struct task *task = data;

	task->good = drupe_job_cancel(task->job) == 0;
	return NULL;
}

static void *run_one(void *data)
{
	struct task *task = data;
	struct drupe_run_options options = DRUPE_RUN_OPTIONS;
	drupe_result *result = NULL;

	options.argv = shell("echo x; sleep 100");
	options.output = hear;
	options.output_data = &task->heard;
	if (drupe_run(task->session, &options, &result) == 0)
		task->status = drupe_result_status(result);
	drupe_result_free(result);
	return NULL;
}

#define THREADS 6
static void in_threads(struct task *tasks, void *(*work)(void *), drupe_session *session)
{
	for (int i = 0; i < THREADS; i++) {
		memset(&tasks[i], 0, sizeof(tasks[i]));
		tasks[i].session = session;
		tasks[i].number = i;
		if (pthread_create(&tasks[i].thread, NULL, work, &tasks[i]))
			exit(1);
	}
}

static int joined(struct task *tasks)
{
	int good = 0;

	for (int i = 0; i < THREADS; i++) {
		pthread_join(tasks[i].thread, NULL);
		good += tasks[i].good;
	}
	return good;
}

static void test_threads(drupe_session *session)
{
	static struct task tasks[THREADS], task;
	drupe_result *result;

	task.session = session;
	in_threads(tasks, run_five, session);
	OK(joined(tasks) == THREADS * 5, "%d threads with one session", THREADS);
	in_threads(tasks, run_five, NULL);
	OK(joined(tasks) == THREADS * 6, "%d threads with a session each", THREADS);

	task.script = WAITS "; echo survived";
	pthread_create(&task.thread, NULL, start_one, &task);
	pthread_join(task.thread, NULL);
	let_go("go");
	OK(says(wait_for(task.job), "survived\n"),
	   "a command lives on when the thread that started it ends");
	drupe_job_free(task.job);
	hold_again("go");

	task.job = start(session, "sleep 100", NULL);
	pthread_create(&task.thread, NULL, cancel_one, &task);
	result = wait_for(task.job);
	pthread_join(task.thread, NULL);
	OK(task.good && drupe_result_status(result) == DRUPE_CANCELLED,
	   "cancel from another thread");
	drupe_result_free(result);
	drupe_job_free(task.job);
}

static void test_many_jobs(drupe_session *session)
{
	drupe_job *jobs[20];
	struct pollfd polls[20];
	char script[40], expected[20];
	int good = 0, left = 20;

	for (int i = 0; i < 20; i++) {
		snprintf(script, sizeof(script), "sleep 0.%d; echo %d", i % 5, i);
		jobs[i] = start(session, script, NULL);
		polls[i] = (struct pollfd){ drupe_job_fd(jobs[i]), POLLIN, 0 };
	}
	while (left > 0 && poll(polls, 20, SOON_MS) > 0)
		for (int i = 0; i < 20; i++)
			if (polls[i].revents) {
				snprintf(expected, sizeof(expected), "%d\n", i);
				good += says(wait_for(jobs[i]), expected);
				drupe_job_free(jobs[i]);
				polls[i].fd = -1;
				left--;
			}
	OK(good == 20, "twenty jobs by one poll: %d", good);
}

/* Threads that run while the session is closed get their results. */
static void test_close(void)
{
	drupe_session *session = open_session();
	static struct task tasks[THREADS];
	double started;
	int cancelled = 0;

	in_threads(tasks, run_one, session);
	for (int i = 0; i < THREADS; i++)
		await_output(&tasks[i].heard);
	started = now();
	OK(drupe_session_close(session, NULL) == 0, "close while %d runs go on", THREADS);
	OK(now() - started < SOON_SECONDS, "... soon");
	joined(tasks);
	for (int i = 0; i < THREADS; i++)
		cancelled += tasks[i].status == DRUPE_CANCELLED;
	OK(cancelled == THREADS, "... they are cancelled: %d", cancelled);
}

/* Jobs may outlive their session. */
static void test_close_with_jobs(void)
{
	static struct heard heard[3];
	drupe_session *session = open_session();
	drupe_job *jobs[3];
	drupe_result *result;
	int cancelled = 0;

	memset(heard, 0, sizeof(heard));
	for (int i = 0; i < 3; i++)
		jobs[i] = start(session, "echo x; sleep 100", &heard[i]);
	for (int i = 0; i < 3; i++)
		await_output(&heard[i]);
	OK(drupe_session_close(session, NULL) == 0, "close while jobs go on");
	for (int i = 0; i < 3; i++) {
		OK(readable(drupe_job_fd(jobs[i]), 0), "... the job has ended");
		result = wait_for(jobs[i]);
		cancelled += drupe_result_status(result) == DRUPE_CANCELLED;
		drupe_result_free(result);
		drupe_job_free(jobs[i]);
	}
	OK(cancelled == 3, "... they are cancelled: %d", cancelled);
}

static void nothing(int signal)
{
	(void)signal;
}

/* The caller's signals are its own business, and no timeouts of ours. */
static void test_signals(void)
{
	const struct itimerval often = { { 0, 1000 }, { 0, 1000 } },
			       never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = nothing }, before;
	drupe_session *session;

	sigaction(SIGALRM, &action, &before);
	setitimer(ITIMER_REAL, &often, NULL);
	session = open_session();
	OK(says(run(session, "echo x"), "x\n"),
	   "a caller with a signal each millisecond");
	OK(drupe_session_close(session, NULL) == 0, "... close");
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &before, NULL);
}

/* NULL: told. */
static drupe_session *open_one_shot(void)
{
	struct drupe_session_options options = DRUPE_SESSION_OPTIONS;
	drupe_session *session = NULL;
	drupe_policy *policy = NULL;

	options.workspace = workspace;
	options.user = user;
	options.one_shot = 1;
	if (drupe_policy_open(policy_file, &policy, NULL) ||
	    drupe_session_open(policy, &options, &session, NULL))
		OK(0, "a session for one command");
	drupe_policy_free(policy);
	return session;
}

/* Two at once in a session for one command: one of them runs, and keeps its tmp. */
static void test_one_shot_twice(void)
{
	drupe_session *session = open_one_shot();
	drupe_job *jobs[2];
	int ran = 0, refused = 0;

	if (!session)
		return;
	for (int i = 0; i < 2; i++)
		jobs[i] = start(session, "echo x >/tmp/x; sleep 1; cat /tmp/x", NULL);
	for (int i = 0; i < 2; i++) {
		drupe_result *result = wait_for(jobs[i]);

		if (drupe_result_status(result) == DRUPE_REFUSED) {
			refused += is_error_of(result, "session", "session-closed");
			drupe_result_free(result);
		} else {
			ran += says(result, "x\n");
		}
		drupe_job_free(jobs[i]);
	}
	OK(ran == 1 && refused == 1,
	   "two at once in a session for one: %d ran, %d refused", ran, refused);
	OK(drupe_session_close(session, NULL) == 0, "... close");
	OK(count_files(tmp_root) == 0, "... no tmp is left");
}

/* ---- a workspace that is removed ---- */

static drupe_session *open_at(const char *folder, int one_shot)
{
	struct drupe_session_options options = DRUPE_SESSION_OPTIONS;
	drupe_session *session = NULL;
	drupe_policy *policy = NULL;

	options.workspace = folder;
	options.user = user;
	options.one_shot = one_shot;
	if (!OK(drupe_policy_open(policy_file, &policy, NULL) == 0 &&
			drupe_session_open(policy, &options, &session, NULL) == 0,
		"a session in %s", folder))
		exit(1);
	drupe_policy_free(policy);
	return session;
}

static void make_folder(const char *path)
{
	OK(mkdir(path, 0777) == 0 && chmod(path, 0777) == 0, "mkdir %s", path);
}

static void test_gone(void)
{
	char path[PATH_MAX];
	drupe_error *error = NULL;
	drupe_session *session;
	drupe_result *result;

	snprintf(path, sizeof(path), "%s/gone", workspace);
	for (int i = 0; i < 3; i++) {
		make_folder(path);
		session = open_at(path, i == 1);
		if (i == 0)
			OK(says(run(session, "echo x"), "x\n"), "... a run");
		OK(rmdir(path) == 0, "... its workspace is removed");
		make_folder(path);
		if (i == 2)
			OK(drupe_session_preflight(session, &error) < 0 &&
				   is_error(error, "session", "workspace-gone"),
			   "... the preflight tells it");
		result = run(session, "echo x");
		OK(drupe_result_status(result) == DRUPE_REFUSED &&
			   is_error_of(result, "session", "workspace-gone"),
		   "... and made again: refused");
		drupe_result_free(result);
		OK(drupe_session_close(session, NULL) == 0, "... close");
		OK(rmdir(path) == 0 && count_files(tmp_root) == 0, "... nothing is left");
	}
}

/* ---- poisoned ---- */

/* The guard of the command that runs: our child that has a gate. */
static pid_t find_guard(void)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	pid_t found = 0;

	while (dir && !found && (entry = readdir(dir))) {
		char path[300], text[4096];
		FILE *file;
		size_t n;
		int parent = 0;

		snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
		file = atoi(entry->d_name) > 0 ? fopen(path, "re") : NULL;
		if (!file)
			continue;
		if (fscanf(file, "%*d (drupe-guard) %*c %d", &parent) != 1)
			parent = 0;
		fclose(file);
		snprintf(path, sizeof(path), "/proc/%s/cmdline", entry->d_name);
		file = parent == getpid() ? fopen(path, "re") : NULL;
		if (!file)
			continue;
		n = fread(text, 1, sizeof(text) - 1, file);
		fclose(file);
		for (size_t i = 0; i < n; i++)
			text[i] = text[i] ? text[i] : ' ';
		text[n] = '\0';
		if (strstr(text, " --block="))
			found = atoi(entry->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* A guard that a tracer holds says nothing any more, and no signal wakes it: the death of
 * its command cannot be confirmed. */
static void test_poisoned(void)
{
	static struct heard heard;
	drupe_session *session = open_session();
	drupe_job *job;
	drupe_result *result;
	double started;
	pid_t guard;
	int status;

	memset(&heard, 0, sizeof(heard));
	job = start(session, "echo x; sleep 100", &heard);
	await_output(&heard);
	guard = find_guard();
	if (guard <= 0 || ptrace(PTRACE_SEIZE, guard, NULL, NULL) < 0) {
		printf("ok - a session that is poisoned # SKIP ptrace is not open "
		       "here\n");
		drupe_job_free(job);
		drupe_session_close(session, NULL);
		return;
	}
	ptrace(PTRACE_INTERRUPT, guard, NULL, NULL);
	OK(waitpid(guard, &status, __WALL) == guard && WIFSTOPPED(status),
	   "a guard is held by a tracer");
	drupe_job_cancel(job);
	OK(drupe_job_wait(job, SOON_MS, &result) == 0, "... its command is given up");
	OK(drupe_result_status(result) == DRUPE_CANCELLED, "... as cancelled");
	drupe_result_free(result);
	drupe_job_free(job);
	OK(drupe_session_state(session) == DRUPE_STATE_POISONED,
	   "... the session is poisoned");
	for (int i = 0; i < 2; i++) {
		started = now();
		result = run(session, "echo x >poisoned");
		OK(is_error_of(result, "session", "poisoned"),
		   "... a command in it is refused, at once");
		OK(now() - started < SOON_SECONDS, "... and does not wait for it");
		drupe_result_free(result);
	}
	OK(drupe_session_state(session) == DRUPE_STATE_POISONED, "... it stays so");
	OK(drupe_session_close(session, NULL) == 0, "... and can be closed");
}

static void test_one_shot(void)
{
	struct drupe_run_options second = DRUPE_RUN_OPTIONS;
	drupe_session *session = open_one_shot();
	drupe_result *result = NULL;
	int r;

	if (!session)
		return;
	OK(drupe_session_state(session) == DRUPE_STATE_READY,
	   "a session for one command: READY");
	OK(says(run(session, "echo x"), "x\n"), "... the command");
	OK(drupe_session_state(session) == DRUPE_STATE_CLOSED, "... it is closed then");
	second.argv = shell("echo y");
	r = drupe_run(session, &second, &result);
	OK(r < 0 || drupe_result_status(result) == DRUPE_REFUSED,
	   "... and for no second one");
	drupe_result_free(result);
	OK(drupe_session_close(session, NULL) == 0, "... close");
	session = open_one_shot();
	if (session)
		OK(drupe_session_close(session, NULL) == 0,
		   "... close without any command");
	OK(count_files(tmp_root) == 0, "... no tmp is left");
}

/* ---- the process of the caller ---- */

struct process {
	int descriptors, threads;
	sigset_t mask;
	struct sigaction actions[32];
	char folder[4096];
	mode_t umask;
};

static void look(struct process *p)
{
	memset(p, 0, sizeof(*p));
	for (int i = 0; i < SOON_MS / 10 && count_threads() > 1; i++)
		nap();
	p->threads = count_threads();
	p->descriptors = count_files("/proc/self/fd");
	pthread_sigmask(SIG_SETMASK, NULL, &p->mask);
	for (int i = 1; i < 32; i++)
		sigaction(i, NULL, &p->actions[i]);
	if (!getcwd(p->folder, sizeof(p->folder)))
		exit(1);
	p->umask = umask(022);
	umask(p->umask);
}

static int same_actions(const struct process *a, const struct process *b)
{
	for (int i = 1; i < 32; i++)
		if (a->actions[i].sa_handler != b->actions[i].sa_handler ||
		    a->actions[i].sa_flags != b->actions[i].sa_flags)
			return 0;
	return 1;
}

int main(int argc, char **argv)
{
	static struct process before, after;
	drupe_session *session;
	pid_t child;
	int status;

	if (argc < 5 || argc > 6) {
		fprintf(stderr, "usage: lib-test POLICY WORKSPACE TMPROOT MARK [USER]\n");
		return 2;
	}
	policy_file = argv[1];
	workspace = argv[2];
	tmp_root = argv[3];
	mark = argv[4];
	user = argv[5];

	test_refusals();
	test_states();
	test_signals();
	/* Once, so that what a first use leaves for good is not counted. */
	session = open_session();
	drupe_result_free(run(session, "true"));
	OK(drupe_session_close(session, NULL) == 0, "open, run, close");
	OK(count_files(tmp_root) == 0, "... no tmp is left");

	look(&before);
	child = fork();
	if (child == 0)
		_exit(7);
	session = open_session();
	test_runs(session);
	test_callbacks(session);
	test_stdio(session);
	test_jobs(session);
	test_cancel_fd(session);
	test_threads(session);
	test_many_jobs(session);
	OK(count_files(tmp_root) == 1, "one private tmp");
	OK(drupe_session_close(session, NULL) == 0, "close");
	OK(count_files(tmp_root) == 0, "... the private tmp is gone");
	test_close();
	test_close_with_jobs();
	test_one_shot();
	test_one_shot_twice();
	test_gone();
	test_poisoned();
	OK(count_files(tmp_root) == 0, "no tmp is left");
	OK(waitpid(child, &status, 0) == child && WIFEXITED(status) &&
		   WEXITSTATUS(status) == 7,
	   "a child of the caller's own is still its own");
	OK(waitpid(-1, &status, WNOHANG) == -1 && errno == ECHILD, "no child is left");
	look(&after);
	OK(after.descriptors == before.descriptors, "no descriptor is left: %d, %d",
	   before.descriptors, after.descriptors);
	OK(after.threads == before.threads, "no thread is left: %d, %d", before.threads,
	   after.threads);
	OK(memcmp(&before.mask, &after.mask, sizeof(sigset_t)) == 0,
	   "the signal mask is as before");
	OK(same_actions(&before, &after), "the signal handlers are as before");
	OK(strcmp(before.folder, after.folder) == 0 && before.umask == after.umask,
	   "folder and umask are as before");
	return failed;
}
