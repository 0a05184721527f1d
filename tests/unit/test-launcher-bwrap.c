/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/host.h"
#include "base/argv.h"

extern const struct drupe_backend drupe_backend_v1;

#define OPS drupe_backend_v1.launcher

static const struct drupe_call call = { .size = sizeof(call), .host = &host_callbacks };
/* ---- words ---- */

static const struct drupe_mount mounts[] = {
	{ .op = DRUPE_MOUNT_RO_BIND, .source = "/usr", .dest = "/usr" },
	{ .op = DRUPE_MOUNT_SYMLINK, .source = "usr/bin", .dest = "/bin" },
	{ .op = DRUPE_MOUNT_PROC, .dest = "/proc" },
	{ .op = DRUPE_MOUNT_DEV, .dest = "/dev" },
	{ .op = DRUPE_MOUNT_TMPFS, .dest = "/tmp", .bytes = 1 << 30, .perms = 01777 },
	{ .op = DRUPE_MOUNT_TMPFS, .dest = "/etc", .bytes = 4096 },
	{ .op = DRUPE_MOUNT_DATA, .fd = "7", .dest = "/etc/hosts" },
	{ .op = DRUPE_MOUNT_DATA, .fd = "8", .dest = "/etc/group", .perms = 0400 },
	{ .op = DRUPE_MOUNT_DIR, .dest = "/home" },
	{ .op = DRUPE_MOUNT_DIR, .dest = "/workspace", .perms = 0555 },
	{ .op = DRUPE_MOUNT_RO_BIND_TRY, .source = "/opt/x", .dest = "/opt/x" },
	{ .op = DRUPE_MOUNT_BIND, .source = "/srv/ws", .dest = "/srv/ws", .fd = "9" },
	{ .op = DRUPE_MOUNT_RO_BIND, .source = "/srv/c", .dest = "/srv/c", .fd = "10" },
	{ .op = DRUPE_MOUNT_REMOUNT_RO, .dest = "/etc" },
};
static const char *const env_names[] = { "PATH", "LANG", NULL };
static const char *const env_values[] = { "/usr/bin:/bin", "C.UTF-8", NULL };

static const struct drupe_launch launch = {
	.size = sizeof(launch),
	.mounts = mounts,
	.n_mounts = sizeof(mounts) / sizeof(mounts[0]),
	.mount_size = sizeof(mounts[0]),
	.env_names = env_names,
	.env_values = env_values,
	.chdir = "/srv/ws",
	.info_fd = "3",
	.status_fd = "4",
	.block_fd = "5",
	.sync_fd = "6",
};

static void assert_words(const struct drupe_launch *of, const char *expected)
{
	_cleanup_argv_ struct drupe_words words = { 0 };
	char joined[4096] = "";

	OPS->words(&call, of, &words);
	assert_int_equal(words.errnum, 0);
	for (size_t i = 0; i < words.count; i++) {
		strcat(joined, words.words[i]);
		strcat(joined, i + 1 < words.count ? " " : "");
	}
	assert_string_equal(joined, expected);
}

#define HEAD                                                                    \
	BWRAP_PATH " --unshare-user --unshare-pid --unshare-ipc --unshare-uts " \
		   "--unshare-net "
#define MIDDLE                                                                    \
	"--die-with-parent --new-session --cap-drop ALL --clearenv "              \
	"--setenv PATH /usr/bin:/bin --setenv LANG C.UTF-8 --ro-bind /usr /usr "  \
	"--symlink usr/bin /bin --proc /proc --dev /dev "                         \
	"--perms 1777 --size 1073741824 --tmpfs /tmp --size 4096 --tmpfs /etc "   \
	"--perms 0444 --ro-bind-data 7 /etc/hosts --perms 0400 --ro-bind-data 8 " \
	"/etc/group "                                                             \
	"--dir /home --perms 0555 --dir /workspace --ro-bind-try /opt/x /opt/x "
#define TAIL                                                                             \
	"--remount-ro /etc --chdir /srv/ws --info-fd 3 --json-status-fd 4 --block-fd 5 " \
	"--sync-fd 6 --"

static void test_words(void **state)
{
	(void)state;
	assert_words(&launch, HEAD "--disable-userns " MIDDLE
				   "--bind-fd 9 /srv/ws --ro-bind-fd 10 /srv/c " TAIL);
}

/* The host gives no descriptor where the tool lacks these features. */
static void test_words_by_path(void **state)
{
	struct drupe_launch older = launch;
	struct drupe_mount without[sizeof(mounts) / sizeof(mounts[0])];

	(void)state;
	memcpy(without, mounts, sizeof(mounts));
	for (size_t i = 0; i < older.n_mounts; i++)
		if (without[i].op != DRUPE_MOUNT_DATA)
			without[i].fd = NULL;
	older.mounts = without;
	assert_words(&older, HEAD "--disable-userns " MIDDLE
				  "--bind /srv/ws /srv/ws --ro-bind /srv/c /srv/c " TAIL);
}

static void test_features(void **state)
{
	(void)state;
	assert_int_equal(OPS->bind_fd_features, 3);
	assert_string_equal(drupe_backend_v1.tool_features[0], "--bind-fd");
	assert_string_equal(drupe_backend_v1.tool_features[1], "--ro-bind-fd");
	assert_null(drupe_backend_v1.tool_features[2]);
}

static void test_nested_userns(void **state)
{
	struct drupe_launch nested = launch;

	(void)state;
	nested.nested_userns = true;
	assert_words(&nested,
		     HEAD MIDDLE "--bind-fd 9 /srv/ws --ro-bind-fd 10 /srv/c " TAIL);
}

/* bwrap without a block descriptor runs the command at once: no word, no run. */
static void test_missing_descriptor(void **state)
{
	struct drupe_launch without[5] = { launch, launch, launch, launch, launch };

	(void)state;
	without[0].info_fd = NULL;
	without[1].status_fd = NULL;
	without[2].block_fd = NULL;
	without[3].sync_fd = NULL;
	without[4].chdir = NULL;
	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++) {
		_cleanup_argv_ struct drupe_words words = { 0 };

		OPS->words(&call, &without[i], &words);
		assert_int_not_equal(words.errnum, 0);
	}
}

static void test_unknown_mount(void **state)
{
	static const struct drupe_mount odd[] = { { .op = (enum drupe_mount_op)11,
						    .dest = "/odd" } };
	struct drupe_launch other = launch;
	_cleanup_argv_ struct drupe_words words = { 0 };
	struct error err = { 0 };

	(void)state;
	other.mounts = odd;
	other.n_mounts = 1;
	OPS->words(&call, &other, &words);
	assert_true(argv_check(&words, ERROR_BACKEND_FAILED, &err) < 0);
	assert_string_equal(err.message,
			    "the mount operation 11 of /odd is not known to bwrap");
}

static void test_stride(void **state)
{
	struct {
		struct drupe_mount mount;
		uint64_t later[2];
	} longer[] = { { { .op = DRUPE_MOUNT_DIR, .dest = "/a" }, { 1, 2 } },
		       { { .op = DRUPE_MOUNT_DIR, .dest = "/b" }, { 3, 4 } } };
	static const char *const none[] = { NULL };
	struct drupe_launch later = launch;

	(void)state;
	later.mounts = &longer[0].mount;
	later.n_mounts = 2;
	later.mount_size = sizeof(longer[0]);
	later.env_names = none;
	later.env_values = none;
	assert_words(&later, HEAD
		     "--disable-userns --die-with-parent --new-session --cap-drop ALL "
		     "--clearenv --dir /a --dir /b --chdir /srv/ws --info-fd 3 "
		     "--json-status-fd 4 --block-fd 5 --sync-fd 6 --");
}

/* Every guarantee's word really stands in what the backend makes. */
static void test_guarantees(void **state)
{
	_cleanup_argv_ struct drupe_words words = { 0 };

	(void)state;
	OPS->words(&call, &launch, &words);
	assert_int_equal(OPS->n_guarantees, DRUPE_N_GUARANTEES);
	for (size_t i = 0; i < OPS->n_guarantees; i++) {
		size_t j = 0;

		while (j < words.count &&
		       strcmp(words.words[j], OPS->guarantees[i].word) != 0)
			j++;
		if (j == words.count)
			fail_msg("%s is promised, but missing", OPS->guarantees[i].word);
		assert_int_equal(OPS->guarantees[i].guarantee, i + 1);
	}
}

/* ---- what bwrap reports ---- */

#define NAMESPACES                                                                 \
	"    \"ipc-namespace\": 4026532326,\n    \"mnt-namespace\": 4026532181,\n" \
	"    \"net-namespace\": 4026532328,\n    \"pid-namespace\": 4026532327,\n" \
	"    \"uts-namespace\": 4026532325\n"
#define REPORT(pid) "{\n    \"child-pid\": " pid ",\n" NAMESPACES "}\n"

static int parse_info(const char *text, size_t length, struct drupe_child *ret_child)
{
	/* A copy of the very size, so that a sanitizer sees a read beyond it. */
	char *copy = malloc(length + 1);
	int r;

	memcpy(copy, text, length);
	copy[length] = '\0';
	r = OPS->parse_info(&call, copy, length, ret_child);
	free(copy);
	return r;
}

static void test_info(void **state)
{
	static const char *const good[] = {
		REPORT("13562"),
		REPORT("13562") " \n\t",
		"{\"cgroup-namespace\": 1, \"child-pid\": 13562,\n" NAMESPACES "}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct drupe_child child = { .size = sizeof(child) };

		assert_int_equal(parse_info(good[i], strlen(good[i]), &child), 0);
		assert_int_equal(child.size, sizeof(child));
		assert_int_equal(child.pid, 13562);
		assert_int_equal(child.ipc_ns, 4026532326);
		assert_int_equal(child.mnt_ns, 4026532181);
		assert_int_equal(child.net_ns, 4026532328);
		assert_int_equal(child.pid_ns, 4026532327);
		assert_int_equal(child.uts_ns, 4026532325);
	}
}

static const char *const bad_info[] = {
	"",
	"\n",
	"null",
	"[]",
	"13562",
	"\"{}\"",
	"{}",
	"{\"child-pid\": 13562}",
	"{\"child-pid\": 13562,\n" NAMESPACES, /* the closing brace is missing */
	REPORT("0"),
	REPORT("-1"),
	REPORT("2147483648"),
	REPORT("9223372036854775808"),
	REPORT("13562.0"),
	REPORT("1e3"),
	REPORT("\"13562\""),
	REPORT("null"),
	REPORT("true"),
	REPORT("[1]"),
	REPORT("0x10"),
	REPORT("13562, \"child-pid\": 13563"),
	REPORT("13562") "{}",
	REPORT("13562") REPORT("13562"),
	REPORT("13562") "x",
	"x" REPORT("13562"),
	"{\"child-pid\": 13562, \"net-namespace\": \"4026532328\", \"pid-namespace\": 1, "
	"\"ipc-namespace\": 1, \"uts-namespace\": 1, \"mnt-namespace\": 1}",
	"{\"child-pid\": 13562, \"net-namespace\": 0, \"pid-namespace\": 1, "
	"\"ipc-namespace\": 1, \"uts-namespace\": 1, \"mnt-namespace\": 1}",
	"{\"child-pid\": 13562, \"net-namespace\": -5, \"pid-namespace\": 1, "
	"\"ipc-namespace\": 1, \"uts-namespace\": 1, \"mnt-namespace\": 1}",
	"{\"child-pid\": 13562, \"pid-namespace\": 1, \"ipc-namespace\": 1, "
	"\"uts-namespace\": 1, \"mnt-namespace\": 1}",
	"{\"child-pid\": 13562, \"net-namespace\": 1, \"ipc-namespace\": 1, "
	"\"uts-namespace\": 1, \"mnt-namespace\": 1}",
	"{\"child-pid\": 13562, \"net-namespace\": 1, \"pid-namespace\": 1, "
	"\"uts-namespace\": 1, \"mnt-namespace\": 1}",
	"{\"child-pid\": 13562, \"net-namespace\": 1, \"pid-namespace\": 1, "
	"\"ipc-namespace\": 1, \"mnt-namespace\": 1}",
	"{\"child-pid\": 13562, \"net-namespace\": 1, \"pid-namespace\": 1, "
	"\"ipc-namespace\": 1, \"uts-namespace\": 1}",
};

static void test_bad_info(void **state)
{
	struct drupe_child child = { .size = sizeof(child), .pid = 77 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad_info) / sizeof(bad_info[0]); i++) {
		int r = parse_info(bad_info[i], strlen(bad_info[i]), &child);

		if (r != -EBADMSG)
			fail_msg("%d for %s", r, bad_info[i]);
		assert_int_equal(child.pid, 77);
	}
}

/* Every proper beginning of a report is none, and so is one with a NUL in it. */
static void test_partial_info(void **state)
{
	static const char report[] = REPORT("13562");
	struct drupe_child child = { .size = sizeof(child) };
	char with_nul[sizeof(report)];

	(void)state;
	for (size_t n = 0; n < sizeof(report) - 2; n++)
		assert_int_equal(parse_info(report, n, &child), -EBADMSG);
	memcpy(with_nul, report, sizeof(report));
	with_nul[sizeof(report) - 2] = '\0';
	assert_int_equal(parse_info(with_nul, sizeof(report) - 1, &child), -EBADMSG);
}

static void test_long_info(void **state)
{
	struct drupe_child child = { .size = sizeof(child) };
	char *text = malloc(65536);

	(void)state;
	memset(text, ' ', 65536);
	memcpy(text, REPORT("13562"), strlen(REPORT("13562")));
	assert_int_equal(parse_info(text, 4096, &child), 0);
	assert_int_equal(parse_info(text, 4097, &child), -EBADMSG);
	assert_int_equal(parse_info(text, 65536, &child), -EBADMSG);
	memset(text, '[', 65536);
	assert_int_equal(parse_info(text, 4096, &child), -EBADMSG);
	free(text);
}

static const struct {
	const char *text;
	int result;
	bool exited;
	int status;
} statuses[] = {
	{ "", 0, false, 0 },
	{ "\n", 0, false, 0 },
	{ "{ \"child-pid\": 5, \"ipc-namespace\": 4026532326 }\n", 0, false, 0 },
	{ "{ \"child-pid\": 5 }\n{ \"exit-code\": 3 }\n", 0, true, 3 },
	{ "{ \"child-pid\": 5 }\n{ \"exit-code\": 0 }", 0, true, 0 },
	{ "{ \"exit-code\": 139 }\n", 0, true, 139 },
	{ "{ \"exit-code\": 255 }\n", 0, true, 255 },
	{ "{ \"exit-code\": 1 }\n{ \"exit-code\": 2 }\n", 0, true, 2 },
	{ "{ \"exit-code\": 256 }\n", -EBADMSG, false, 0 },
	{ "{ \"exit-code\": -1 }\n", -EBADMSG, false, 0 },
	{ "{ \"exit-code\": 1.0 }\n", -EBADMSG, false, 0 },
	{ "{ \"exit-code\": \"0\" }\n", -EBADMSG, false, 0 },
	{ "{ \"exit-code\": null }\n", -EBADMSG, false, 0 },
	{ "{ \"exit-code\": 1, \"exit-code\": 0 }\n", -EBADMSG, false, 0 },
	{ "{ \"exit-code\": 1 } { \"exit-code\": 0 }\n", -EBADMSG, false, 0 },
	{ "{ \"child-pid\": 5 }\n{ \"exit-co", -EBADMSG, false, 0 },
	{ "{ \"exit-code\": 1 }\n{ \"exit-co", -EBADMSG, false, 0 },
	{ "[ 1 ]\n", -EBADMSG, false, 0 },
	{ "bwrap: something\n", -EBADMSG, false, 0 },
};

static void test_status(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
		struct drupe_exit exit = { .size = sizeof(exit), .status = 77 };
		int r = OPS->parse_status(&call, statuses[i].text,
					  strlen(statuses[i].text), &exit);

		if (r != statuses[i].result)
			fail_msg("%d for %s", r, statuses[i].text);
		if (r < 0) {
			assert_int_equal(exit.status, 77);
			continue;
		}
		assert_int_equal(exit.exited, statuses[i].exited);
		assert_int_equal(exit.status, statuses[i].status);
	}
}

/* ---- what bwrap complains of ---- */

static const struct {
	const char *text;
	const char *code;
	const char *remedy;
} complaints[] = {
	{ "bwrap: No permissions to create new namespace, likely because the kernel does "
	  "not "
	  "allow non-privileged user namespaces.",
	  "userns-denied", "kernel.unprivileged_userns_clone=1" },
	{ "bwrap: No permissions to creating new namespace, likely because",
	  "userns-denied", "kernel.unprivileged_userns_clone=1" },
	{ "bwrap: No permissions to create a new namespace, likely because",
	  "userns-denied", "kernel.unprivileged_userns_clone=1" },
	{ "bwrap: Creating new namespace failed: nesting depth or "
	  "/proc/sys/user/max_*_namespaces exceeded (ENOSPC)",
	  "userns-denied", "user.max_user_namespaces" },
	{ "bwrap: Creating new namespace failed: Resource temporarily unavailable",
	  "launcher-failed", "TasksMax" },
	{ "bwrap: Can't fork for pid 1: Resource temporarily unavailable",
	  "launcher-failed", "TasksMax" },
	{ "bwrap: setting up uid map: Permission denied", "userns-denied",
	  "kernel.apparmor_restrict_unprivileged_userns" },
	{ "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", "userns-denied",
	  "AppArmor profile" },
	{ "bwrap: loopback: Failed RTM_NEWADDR: No child processes", "launcher-failed",
	  "attaches" },
	{ "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
	  "proc-denied", "procMount: Unmasked" },
	{ "bwrap: Can't mount proc on /proc: Operation not permitted", "proc-denied",
	  "unmask=/proc/*" },
	{ "bwrap: Can't read /proc/sys/kernel/overflowuid: No such file or directory",
	  "proc-denied", "ProcSubset" },
	{ "bwrap: Failed to make / slave: Operation not permitted", "userns-denied",
	  "seccomp" },
	{ "bwrap: Can't find source path /srv/x: No such file or directory",
	  "launcher-failed", "the path that bwrap names" },
	{ "bwrap: Can't mkdir parents for /a/b: Read-only file system", "launcher-failed",
	  "the path that bwrap names" },
	{ "bwrap: Can't create file /etc/x: Read-only file system", "launcher-failed",
	  "the path that bwrap names" },
	{ "bwrap: Can't chdir to /srv/ws: No such file or directory", "launcher-failed",
	  "workspace" },
	{ "bwrap: execvp /usr/bin/prlimit: No such file or directory", "launcher-failed",
	  "below /usr" },
	{ "bwrap: Exceeded maximum number of arguments 9000", "arguments-too-long",
	  "fewer arguments" },
	{ "bwrap: Unknown option --disable-userns", "launcher-failed", "0.8.0" },
	{ "bwrap: setuid use of bubblewrap is not supported", "launcher-failed",
	  "chmod u-s" },
};

static void test_diagnose(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(complaints) / sizeof(complaints[0]); i++) {
		struct drupe_diagnosis diagnosis = { .size = sizeof(diagnosis) };

		OPS->diagnose(&call, complaints[i].text, &diagnosis);
		if (!diagnosis.code)
			fail_msg("nothing for %s", complaints[i].text);
		assert_string_equal(diagnosis.code, complaints[i].code);
		assert_non_null(diagnosis.cause);
		if (!strstr(diagnosis.remedy, complaints[i].remedy))
			fail_msg("%s: \"%s\" does not say \"%s\"", complaints[i].text,
				 diagnosis.remedy, complaints[i].remedy);
	}
}

static void test_diagnose_unknown(void **state)
{
	struct drupe_diagnosis diagnosis = { .size = sizeof(diagnosis) };

	(void)state;
	OPS->diagnose(&call, "bwrap: the moon is full", &diagnosis);
	assert_null(diagnosis.code);
	OPS->diagnose(&call, "", &diagnosis);
	assert_null(diagnosis.code);
	assert_int_equal(diagnosis.size, sizeof(diagnosis));
}

/* A code that drupe(1) does not list would break its promise. */
static void test_codes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(complaints) / sizeof(complaints[0]); i++) {
		size_t code = 1;

		while (code <= error_code_count() &&
		       strcmp(error_code_word((enum error_code)code),
			      complaints[i].code) != 0)
			code++;
		assert_true(code <= error_code_count());
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_words_by_path),
		cmocka_unit_test(test_features),
		cmocka_unit_test(test_nested_userns),
		cmocka_unit_test(test_missing_descriptor),
		cmocka_unit_test(test_unknown_mount),
		cmocka_unit_test(test_stride),
		cmocka_unit_test(test_guarantees),
		cmocka_unit_test(test_info),
		cmocka_unit_test(test_bad_info),
		cmocka_unit_test(test_partial_info),
		cmocka_unit_test(test_long_info),
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_diagnose),
		cmocka_unit_test(test_diagnose_unknown),
		cmocka_unit_test(test_codes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
