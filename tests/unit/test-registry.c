/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every way in which a backend can be unfit, and the one in which it is fit. */
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cmocka.h>

#include "backend/registry.h"
#include "backend/tool.h"
#include "base/argv.h"

/* BAD_PLUGINS: the folder that tests/bad-plugins/build.sh filled. */

/* The policy owns its texts, here it is handed constant ones. */
#define T(text) ((char *)(uintptr_t)(text))

#define OTHER_UID 54321

struct bench {
	char dir[64];
	char file[128]; /* rlimits-x.so in dir */
};

static int make_bench(void **state)
{
	struct bench *bench = calloc(1, sizeof(*bench));

	umask(022);
	strcpy(bench->dir, "/tmp/drupe-registry-XXXXXX");
	assert_non_null(mkdtemp(bench->dir));
	snprintf(bench->file, sizeof(bench->file), "%s/rlimits-x.so", bench->dir);
	*state = bench;
	return 0;
}

static int remove_bench(void **state)
{
	struct bench *bench = *state;
	DIR *folder;
	struct dirent *file;

	chmod(bench->dir, 0700);
	folder = opendir(bench->dir);
	while ((file = readdir(folder)))
		unlinkat(dirfd(folder), file->d_name,
			 strcmp(file->d_name, "sub") == 0 ? AT_REMOVEDIR : 0);
	closedir(folder);
	rmdir(bench->dir);
	free(bench);
	return 0;
}

/* The bytes of the good backend; the caller frees them. */
static char *good_bytes(size_t *ret_size)
{
	int fd = open(BAD_PLUGINS "/rlimits-good.so", O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *bytes;

	assert_true(fd >= 0);
	assert_return_code(fstat(fd, &st), errno);
	bytes = malloc((size_t)st.st_size);
	assert_int_equal(read(fd, bytes, (size_t)st.st_size), st.st_size);
	close(fd);
	*ret_size = (size_t)st.st_size;
	return bytes;
}

static void write_file(const char *file, const char *bytes, size_t size)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
}

static void copy_good(const char *file)
{
	size_t size;
	char *bytes = good_bytes(&size);

	write_file(file, bytes, size);
	free(bytes);
}

static void assert_text_has(const char *text, const char *needle)
{
	if (!strstr(text, needle))
		fail_msg("\"%s\" does not say \"%s\"", text, needle);
}

static int refusal(const char *dir, enum slot slot, const char *name, struct error *err)
{
	struct backend *backend = (void *)1;
	int r = registry_load(dir, slot, name, NULL, geteuid(), &backend, err);

	if (r >= 0)
		fail_msg("%s-%s was loaded", slot_names[slot], name);
	assert_ptr_equal(backend, (void *)1);
	return r;
}

static void assert_refused(const char *dir, const char *name, enum error_code code,
			   const char *needle)
{
	struct error err = { 0 };

	refusal(dir, SLOT_RLIMITS, name, &err);
	if (err.code != code)
		fail_msg("%s: %s, not %s: %s", name, error_code_word(err.code),
			 error_code_word(code), err.message);
	assert_text_has(err.message, needle);
	assert_text_has(err.backend, "rlimits-");
}

/* ---- the object ---- */

static const struct {
	const char *name;
	enum error_code code;
	const char *needle;
} bad[] = {
	{ "no-symbol", ERROR_BACKEND_INVALID, "undefined symbol: drupe_backend_v1" },
	{ "undefined", ERROR_BACKEND_INVALID,
	  "undefined symbol: drupe_removed_function" },
	{ "needs-library", ERROR_BACKEND_INVALID,
	  "libdrupe-gone.so: cannot open shared" },
	{ "borrowed", ERROR_BACKEND_INVALID, "is not its own" },
	{ "function", ERROR_BACKEND_INVALID, "is not data" },
	{ "tiny", ERROR_BACKEND_INVALID, "short struct: got 4 bytes" },
	{ "abi-0", ERROR_BACKEND_INVALID, "ABI 0, this drupe speaks 1" },
	{ "abi-2", ERROR_BACKEND_INVALID, "ABI 2, this drupe speaks 1" },
	{ "abi-max", ERROR_BACKEND_INVALID, "ABI 2147483647, this drupe speaks 1" },
	{ "wrong-kind", ERROR_BACKEND_INVALID,
	  "it is a launcher, the file's name says rlimits" },
	{ "unknown-kind", ERROR_BACKEND_INVALID, "its kind, 9, is unknown" },
	{ "kind-0", ERROR_BACKEND_INVALID, "its kind, 0, is unknown" },
	{ "wrong-name", ERROR_BACKEND_INVALID, "its name is \"other\"" },
	{ "null-name", ERROR_BACKEND_INVALID, "its name is missing" },
	{ "long-name", ERROR_BACKEND_INVALID, "its name is not a text under 256 bytes" },
	{ "wild-name", ERROR_BACKEND_INVALID, "its name is not a text" },
	{ "control-name", ERROR_BACKEND_INVALID, "its name is not printable" },
	{ "latin-name", ERROR_BACKEND_INVALID, "its name is not printable" },
	{ "short", ERROR_BACKEND_INVALID, "short struct: got 32 bytes, need " },
	{ "size-0", ERROR_BACKEND_INVALID, "short struct: got 0 bytes, need " },
	{ "lying-size", ERROR_BACKEND_INVALID,
	  "its size says 65536 bytes, but the symbol has" },
	{ "null-function", ERROR_BACKEND_INVALID,
	  "its function words is missing (NULL)" },
	{ "data-function", ERROR_BACKEND_INVALID, "its function words is not code" },
	{ "two-slots", ERROR_BACKEND_INVALID, "two slots, rlimits and launcher" },
	{ "no-ops", ERROR_BACKEND_INVALID, "no functions for its kind" },
	{ "wild-ops", ERROR_BACKEND_INVALID, "do not lie in a loaded object" },
	{ "short-ops", ERROR_BACKEND_INVALID, "short struct: got 8 bytes of functions" },
	{ "lying-ops", ERROR_BACKEND_INVALID, "claim 1048576 bytes" },
	{ "option-null", ERROR_BACKEND_INVALID, "an option's key is missing" },
	{ "option-key", ERROR_BACKEND_INVALID, "option \"Bad-Key\": a key is" },
	{ "option-twice", ERROR_BACKEND_INVALID, "option number is declared twice" },
	{ "option-type", ERROR_BACKEND_INVALID, "unknown type 99" },
	{ "option-range", ERROR_BACKEND_INVALID, "its minimum is above its maximum" },
	{ "option-words", ERROR_BACKEND_INVALID, "option x has no list of words" },
	{ "option-help", ERROR_BACKEND_INVALID, "an option's help is missing" },
	{ "option-stride", ERROR_BACKEND_INVALID, "elements of 4 bytes" },
	{ "option-none", ERROR_BACKEND_INVALID,
	  "the option table is missing (NULL), but counts 1" },
	{ "option-many", ERROR_BACKEND_INVALID, "counts 257, more than 256" },
	{ "option-wild", ERROR_BACKEND_INVALID,
	  "the option table does not lie in a loaded object" },
	{ "wild-features", ERROR_BACKEND_INVALID,
	  "features does not lie in a loaded object" },
	{ "tool-null", ERROR_BACKEND_INVALID, "it names no tool" },
	{ "tool-relative", ERROR_BACKEND_INVALID, "is not an absolute path" },
	{ "tool-dots", ERROR_BACKEND_INVALID, "is not an absolute path" },
	{ "tool-missing", ERROR_TOOL_MISSING, "/usr/bin/drupe-no-such-tool is missing" },
	{ "tool-folder", ERROR_TOOL_UNTRUSTED, "/usr/bin is not a regular file" },
	{ "tool-device", ERROR_TOOL_UNTRUSTED, "/dev/null is not a regular file" },
};

static void test_bad_objects(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_refused(BAD_PLUGINS, bad[i].name, bad[i].code, bad[i].needle);
}

static void test_guarantees(void **state)
{
	struct error err = { 0 };

	(void)state;
	refusal(BAD_PLUGINS, SLOT_LAUNCHER, "guarantee-missing", &err);
	assert_text_has(err.message, "guarantee 9 of 9 is missing");
	refusal(BAD_PLUGINS, SLOT_LAUNCHER, "guarantee-null", &err);
	assert_text_has(err.message, "a guarantee's word is missing (NULL)");
	refusal(BAD_PLUGINS, SLOT_LAUNCHER, "guarantee-unknown", &err);
	assert_text_has(err.message, "guarantee 77 is unknown");
	assert_int_equal(err.code, ERROR_BACKEND_INVALID);
}

static void test_networks(void **state)
{
	static const struct {
		const char *name, *needle;
	} networks[] = {
		{ "ready", "its readiness method, 7, is unknown" },
		{ "stop", "its stop method, 7, is unknown" },
		{ "wild-probe", "the probe does not lie in a loaded object" },
		{ "wild-needs", "what the probe needs does not lie in a loaded object" },
		{ "no-probe", "but no probe or no message" },
		{ "no-message", "but no probe or no message" },
		{ "wild-message", "the probe's message is not a text" },
	};
	_cleanup_backend_ struct backend *backend = NULL;
	struct error err = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(networks) / sizeof(networks[0]); i++) {
		refusal(BAD_PLUGINS, SLOT_NETWORK, networks[i].name, &err);
		assert_int_equal(err.code, ERROR_BACKEND_INVALID);
		assert_text_has(err.message, networks[i].needle);
	}
	assert_return_code(registry_load(BAD_PLUGINS, SLOT_NETWORK, "good", NULL,
					 geteuid(), &backend, &err),
			   0);
}

static void test_setuid_tool(void **state)
{
	struct stat st;

	(void)state;
	if (stat("/usr/bin/su", &st) < 0 || !(st.st_mode & S_ISUID))
		skip();
	assert_refused(
		BAD_PLUGINS, "tool-setuid", ERROR_TOOL_UNTRUSTED,
		"/usr/bin/su is set-uid: drupe needs the plain, unprivileged program; "
		"chmod u-s /usr/bin/su");
}

/* The file is exchanged between the check and the load: by the load itself here. */
static void test_replaced(void **state)
{
	struct bench *bench = *state;
	char other[160], command[8192];

	snprintf(other, sizeof(other), "%s/rlimits-y.so", bench->dir);
	snprintf(command, sizeof(command), "cp %s/rlimits-replaced.so %s && cp %s %s",
		 BAD_PLUGINS, bench->file, bench->file, other);
	assert_int_equal(system(command), 0);
	setenv("DRUPE_TEST_FROM", other, 1);
	setenv("DRUPE_TEST_TO", bench->file, 1);
	assert_refused(bench->dir, "x", ERROR_BACKEND_UNTRUSTED,
		       "was replaced while it was loaded");
	unsetenv("DRUPE_TEST_FROM");
	unsetenv("DRUPE_TEST_TO");
}

static void test_tool_place(void **state)
{
	(void)state;
	if (access("/bin/prlimit", X_OK) < 0)
		skip();
	assert_refused(BAD_PLUGINS, "tool-place", ERROR_TOOL_UNTRUSTED,
		       "is not below /usr");
}

/* ---- a good one ---- */

static size_t count_fds(void)
{
	DIR *folder = opendir("/proc/self/fd");
	size_t n = 0;

	while (readdir(folder))
		n++;
	closedir(folder);
	return n;
}

static void test_good(void **state)
{
	struct backend *first = NULL, *second = NULL;
	struct error err = { 0 };
	size_t fds = count_fds();
	struct stat st;

	(void)state;
	assert_return_code(registry_load(BAD_PLUGINS, SLOT_RLIMITS, "good", NULL,
					 geteuid(), &first, &err),
			   0);
	assert_return_code(registry_load(BAD_PLUGINS, SLOT_RLIMITS, "good", NULL,
					 geteuid(), &second, &err),
			   0);
	assert_ptr_not_equal(first, second);
	assert_string_equal(first->file, BAD_PLUGINS "/rlimits-good.so");
	assert_ptr_equal(first->rlimits.words, second->rlimits.words);
	assert_ptr_equal(first->call.host, &host_callbacks);
	assert_return_code(stat("/usr/bin/prlimit", &st), errno);
	assert_int_equal(first->tool_ino, st.st_ino);
	assert_int_equal(first->tool_dev, st.st_dev);
	registry_unref(first);
	assert_string_equal(second->object.summary, "spoilt on purpose");
	registry_unref(second);
	assert_int_equal(count_fds(), fds);
}

static void test_refusals_leave_no_descriptor(void **state)
{
	size_t fds = count_fds();

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_refused(BAD_PLUGINS, bad[i].name, bad[i].code, bad[i].needle);
	assert_int_equal(count_fds(), fds);
}

/* F05: neither the search path of libraries nor the current folder counts. */
static void test_relative_folder(void **state)
{
	struct backend *backend = NULL;
	struct error err = { 0 };
	char here[4096];

	(void)state;
	assert_non_null(getcwd(here, sizeof(here)));
	assert_return_code(chdir(BAD_PLUGINS), errno);
	assert_return_code(
		registry_load(".", SLOT_RLIMITS, "good", NULL, geteuid(), &backend, &err),
		0);
	assert_string_equal(backend->file, BAD_PLUGINS "/./rlimits-good.so");
	registry_unref(backend);
	assert_refused("/usr/lib", "good", ERROR_BACKEND_MISSING, "rlimits-good.so");
	assert_return_code(chdir(here), errno);
}

/* ---- ABI ---- */

static void test_frozen_rlimits(void **state)
{
	struct policy_option set[] = {
		{ T("frozen"), T("loud"), T("true"), false, { 1, 1 }, { 1, 1 } },
		{ T("frozen"), T("last"), T("end"), true, { 2, 1 }, { 2, 1 } },
		{ T("other"), T("what"), T("ever"), false, { 3, 1 }, { 3, 1 } },
	};
	struct policy policy = { .source = T("p.yaml"), .options = set, .n_options = 3 };
	struct drupe_rlimit limit[] = { { "nofile", 7, 64 }, { "core", 4, 0 } };
	struct drupe_rlimits limits = { sizeof(limits), limit, 2, sizeof(limit[0]) };
	_cleanup_argv_ struct drupe_words words = { 0 };
	_cleanup_backend_ struct backend *backend = NULL;
	struct error err = { 0 };

	(void)state;
	assert_return_code(registry_load(BAD_PLUGINS, SLOT_RLIMITS, "frozen", &policy,
					 geteuid(), &backend, &err),
			   0);
	backend->rlimits.words(&backend->call, &limits, &words);
	assert_int_equal(words.errnum, 0);
	assert_int_equal(words.count, 5);
	assert_string_equal(words.words[1], "--nofile=64");
	assert_string_equal(words.words[2], "--core=0");
	assert_string_equal(words.words[3], "--loud=3");
	assert_string_equal(words.words[4], "end");
}

static void test_frozen_launcher(void **state)
{
	struct drupe_mount mounts[] = { { .dest = "/one" }, { .dest = "/two" } };
	struct drupe_launch launch = { .size = sizeof(launch),
				       .mounts = mounts,
				       .n_mounts = 2,
				       .mount_size = sizeof(mounts[0]),
				       .chdir = "/there",
				       .sync_fd = "9" };
	struct drupe_diagnosis diagnosis = { .size = sizeof(diagnosis) };
	struct drupe_child child = { .size = sizeof(child) };
	_cleanup_argv_ struct drupe_words words = { 0 };
	_cleanup_backend_ struct backend *backend = NULL;
	struct error err = { 0 };

	(void)state;
	assert_return_code(registry_load(BAD_PLUGINS, SLOT_LAUNCHER, "frozen", NULL,
					 geteuid(), &backend, &err),
			   0);
	backend->launcher.words(&backend->call, &launch, &words);
	assert_int_equal(words.count, 6);
	assert_string_equal(words.words[2], "/two");
	assert_string_equal(words.words[4], "9");
	assert_int_equal(backend->launcher.parse_info(&backend->call, "A", 1, &child), 0);
	assert_int_equal(child.pid, 'A');
	assert_int_equal(child.mnt_ns, 1);
	backend->launcher.diagnose(&backend->call, "frozen", &diagnosis);
	assert_string_equal(diagnosis.code, "launcher-failed");
}

static void test_short_launcher(void **state)
{
	_cleanup_backend_ struct backend *backend = NULL;
	struct error err = { 0 };

	(void)state;
	assert_return_code(registry_load(BAD_PLUGINS, SLOT_LAUNCHER, "short", NULL,
					 geteuid(), &backend, &err),
			   0);
	assert_null(backend->launcher.diagnose);
	assert_int_equal(backend->launcher.size,
			 offsetof(struct drupe_launcher_ops, diagnose));
}

/* ---- names ---- */

static void test_names(void **state)
{
	static const char *const names[] = {
		"",   "../rlimits-good", "a/b",	 "/bin/sh", "good.so", "Good", ".",
		"1x", "good\n",		 "-good"
	};
	struct error err = { 0 };
	char other[64];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_refused(BAD_PLUGINS, names[i], ERROR_BACKEND_INVALID,
			       "is not the name of a backend");
	memset(other, 'a', sizeof(other));
	other[33] = '\0';
	assert_refused(BAD_PLUGINS, other, ERROR_BACKEND_INVALID, "is not the name");
	assert_refused(BAD_PLUGINS, "none", ERROR_BACKEND_INVALID, "cannot be a backend");
	assert_refused(BAD_PLUGINS, "godo", ERROR_BACKEND_MISSING,
		       "there is no rlimits-godo.so in " BAD_PLUGINS);
	refusal(BAD_PLUGINS, SLOT_LAUNCHER, "bwarp", &err);
	assert_int_equal(err.code, ERROR_BACKEND_MISSING);
	assert_text_has(err.message,
			"the launcher backends there: exits, frozen, good, guarantee-");
	refusal(BAD_PLUGINS, SLOT_SCOPE, "systemd", &err);
	assert_text_has(err.message, "nor any other scope backend");
	assert_string_equal(err.backend, "scope-systemd");
}

static void test_folders(void **state)
{
	struct bench *bench = *state;
	char inner[128];

	assert_refused("", "x", ERROR_USAGE, "an empty name");
	assert_refused("drupe-no-such-folder", "x", ERROR_BACKEND_MISSING,
		       "/drupe-no-such-folder");
	assert_refused("/nonexistent/drupe", "x", ERROR_BACKEND_MISSING, "/nonexistent");
	snprintf(inner, sizeof(inner), "%s/sub", bench->dir);
	assert_return_code(mkdir(inner, 0755), errno);
	copy_good(bench->file);
	chmod(bench->dir, 0777);
	assert_refused(bench->dir, "x", ERROR_BACKEND_UNTRUSTED, bench->dir);
	assert_refused(inner, "x", ERROR_BACKEND_UNTRUSTED, bench->dir);
	chmod(bench->dir, 0775);
	assert_refused(bench->dir, "x", ERROR_BACKEND_UNTRUSTED, bench->dir);
	chmod(bench->dir, 0755);
	assert_refused(bench->dir, "x", ERROR_BACKEND_INVALID, "its name is \"good\"");
	assert_refused(inner, "x", ERROR_BACKEND_MISSING,
		       "nor any other rlimits backend");
}

/* ---- files ---- */

static void test_modes(void **state)
{
	struct bench *bench = *state;

	copy_good(bench->file);
	chmod(bench->file, 0666);
	assert_refused(bench->dir, "x", ERROR_BACKEND_UNTRUSTED, bench->file);
	chmod(bench->file, 0664);
	assert_refused(bench->dir, "x", ERROR_BACKEND_UNTRUSTED, bench->file);
	chmod(bench->file, 0644);
	if (geteuid() == 0) {
		assert_return_code(chown(bench->file, 12345, 0), errno);
		assert_refused(bench->dir, "x", ERROR_BACKEND_UNTRUSTED, bench->file);
	}
}

static void test_kinds_of_file(void **state)
{
	struct bench *bench = *state;

	assert_return_code(mkfifo(bench->file, 0644), errno);
	assert_refused(bench->dir, "x", ERROR_BACKEND_UNTRUSTED, "rlimits-x.so");
	unlink(bench->file);
	assert_return_code(mkdir(bench->file, 0755), errno);
	assert_refused(bench->dir, "x", ERROR_BACKEND_UNTRUSTED, "rlimits-x.so");
	rmdir(bench->file);
	assert_return_code(symlink(BAD_PLUGINS "/rlimits-good.so", bench->file), errno);
	assert_refused(bench->dir, "x", ERROR_BACKEND_UNTRUSTED, "rlimits-x.so");
}

static void assert_bytes_refused(struct bench *bench, const char *bytes, size_t size,
				 const char *needle)
{
	write_file(bench->file, bytes, size);
	assert_refused(bench->dir, "x", ERROR_BACKEND_INVALID, needle);
}

static void test_not_elf(void **state)
{
	struct bench *bench = *state;
	size_t size;
	char *bytes = good_bytes(&size);
	ElfW(Ehdr) header, changed;

	assert_bytes_refused(bench, "", 0, "too short");
	assert_bytes_refused(bench, bytes, 20, "too short");
	memcpy(&header, bytes, sizeof(header));
	changed = header;
	changed.e_ident[EI_MAG0] = '#';
	memcpy(bytes, &changed, sizeof(changed));
	assert_bytes_refused(bench, bytes, size, "not an ELF file");
	changed = header;
	changed.e_ident[EI_CLASS] ^= ELFCLASS32 ^ ELFCLASS64;
	memcpy(bytes, &changed, sizeof(changed));
	assert_bytes_refused(bench, bytes, size, "another word size");
	changed = header;
	changed.e_machine ^= 1;
	memcpy(bytes, &changed, sizeof(changed));
	assert_bytes_refused(bench, bytes, size, "another machine");
	changed = header;
	changed.e_type = ET_EXEC;
	memcpy(bytes, &changed, sizeof(changed));
	assert_bytes_refused(bench, bytes, size, "not a shared object");
	changed = header;
	changed.e_phnum = 0xffff;
	memcpy(bytes, &changed, sizeof(changed));
	assert_bytes_refused(bench, bytes, size, "program headers");
	changed = header;
	changed.e_phentsize++;
	memcpy(bytes, &changed, sizeof(changed));
	assert_bytes_refused(bench, bytes, size, "program headers are not those of");
	changed = header;
	changed.e_phoff = size - 1;
	memcpy(bytes, &changed, sizeof(changed));
	assert_bytes_refused(bench, bytes, size, "program headers lie beyond its end");
	free(bytes);
}

/* More of a segment in the file than in memory: the kernel would map what is not meant.
 */
static void test_large_segment(void **state)
{
	struct bench *bench = *state;
	size_t size;
	char *bytes = good_bytes(&size);
	ElfW(Ehdr) header;
	ElfW(Phdr) segment;

	memcpy(&header, bytes, sizeof(header));
	for (size_t i = 0; i < header.e_phnum; i++) {
		char *at = bytes + header.e_phoff + i * sizeof(segment);

		memcpy(&segment, at, sizeof(segment));
		if (segment.p_type != PT_LOAD)
			continue;
		segment.p_memsz = segment.p_filesz - 1;
		memcpy(at, &segment, sizeof(segment));
		break;
	}
	assert_bytes_refused(bench, bytes, size, "larger in the file than in memory");
	free(bytes);
}

static void test_truncated(void **state)
{
	struct bench *bench = *state;
	size_t size;
	char *bytes = good_bytes(&size);

	for (size_t i = 0; i < 50; i++)
		assert_bytes_refused(bench, bytes, size * i / 50,
				     "is not a backend: it is t");
	assert_bytes_refused(bench, bytes, size - 1, "truncated");
	free(bytes);
}

/* Without section headers only the segments tell that something is missing. */
static void test_truncated_and_stripped(void **state)
{
	struct bench *bench = *state;
	size_t size;
	char *bytes = good_bytes(&size);
	ElfW(Ehdr) header;

	memcpy(&header, bytes, sizeof(header));
	header.e_shoff = 0;
	header.e_shnum = 0;
	memcpy(bytes, &header, sizeof(header));
	for (size_t i = 0; i < 50; i++) {
		char name[8], file[160];

		/* A name each: dlopen gives the first of a name again. */
		snprintf(name, sizeof(name), "x%zu", i);
		snprintf(file, sizeof(file), "%s/rlimits-%s.so", bench->dir, name);
		write_file(file, bytes, size * i / 50);
		assert_refused(bench->dir, name, ERROR_BACKEND_INVALID, "rlimits-x");
	}
	free(bytes);
}

static void test_too_large(void **state)
{
	struct bench *bench = *state;

	copy_good(bench->file);
	assert_return_code(truncate(bench->file, (16 << 20) + 1), errno);
	assert_refused(bench->dir, "x", ERROR_BACKEND_INVALID, "larger than 16M");
}

/* ---- tools ---- */

static void assert_tool_refused(const char *path, uid_t run_uid, bool inside,
				enum error_code code, const char *needle)
{
	struct tool tool = { 0 };
	struct error err = { 0 };

	assert_true(tool_check(path, NULL, run_uid, inside, &tool, &err) < 0);
	if (err.code != code)
		fail_msg("%s: %s: %s", path, error_code_word(err.code), err.message);
	assert_text_has(err.message, needle);
}

static void test_tool_of_root(void **state)
{
	struct bench *bench = *state;
	struct error err = { 0 };
	struct tool tool = { 0 };
	char link[128];

	if (geteuid() != 0)
		skip();
	write_file(bench->file, "#!/bin/sh\n", 10);
	chmod(bench->dir, 0755);
	assert_tool_refused(bench->file, 1000, false, ERROR_TOOL_UNTRUSTED,
			    "cannot be executed by uid 1000");
	chmod(bench->file, 0754);
	assert_tool_refused(bench->file, 1000, false, ERROR_TOOL_UNTRUSTED,
			    "cannot be executed by uid 1000");
	chmod(bench->file, 0755);
	assert_return_code(tool_check(bench->file, NULL, 1000, false, &tool, &err), 0);
	assert_tool_refused(bench->file, 1000, true, ERROR_TOOL_UNTRUSTED,
			    "is not below /usr");
	chmod(bench->file, 04755);
	assert_tool_refused(bench->file, 1000, false, ERROR_TOOL_UNTRUSTED, "is set-uid");
	chmod(bench->file, 02755);
	assert_tool_refused(bench->file, 1000, false, ERROR_TOOL_UNTRUSTED, "is set-gid");
	chmod(bench->file, 0757);
	assert_tool_refused(bench->file, 1000, false, ERROR_TOOL_UNTRUSTED, bench->file);
	chmod(bench->file, 0775);
	assert_tool_refused(bench->file, 1000, false, ERROR_TOOL_UNTRUSTED, bench->file);
	chmod(bench->file, 0755);
	assert_return_code(chown(bench->file, 1000, 0), errno);
	assert_tool_refused(bench->file, 1000, false, ERROR_TOOL_UNTRUSTED, bench->file);
	assert_return_code(chown(bench->file, 0, 0), errno);
	snprintf(link, sizeof(link), "%s/link", bench->dir);
	assert_return_code(symlink("rlimits-x.so", link), errno);
	assert_return_code(tool_check(link, NULL, 1000, false, &tool, &err), 0);
	assert_return_code(lchown(link, 1000, 0), errno);
	assert_tool_refused(link, 1000, false, ERROR_TOOL_UNTRUSTED, "link");
}

/* Capabilities of a file are a set-uid bit in small pieces. */
static void test_tool_with_capabilities(void **state)
{
	/* struct vfs_cap_data, version 2: cap_sys_admin, effective and permitted. */
	static const unsigned char caps[20] = { 0x01, 0, 0, 0x02, 0, 0, 0x20, 0 };
	struct bench *bench = *state;

	write_file(bench->file, "#!/bin/sh\n", 10);
	chmod(bench->file, 0755);
	if (geteuid() != 0 ||
	    setxattr(bench->file, "security.capability", caps, sizeof(caps), 0) < 0)
		skip();
	assert_tool_refused(bench->file, 1000, false, ERROR_TOOL_UNTRUSTED,
			    "has file capabilities");
}

/* H07: what the command's own user could rewrite is not started. */
static void test_tool_of_caller(void **state)
{
	struct bench *bench = *state;
	bool root = geteuid() == 0;
	char link[128];

	write_file(bench->file, "#!/bin/sh\n", 10);
	chmod(bench->file, 0755);
	snprintf(link, sizeof(link), "%s/link", bench->dir);
	assert_return_code(symlink("/usr/bin/prlimit", link), errno);
	if (root) { /* of root all would be good */
		assert_return_code(chown(bench->dir, OTHER_UID, OTHER_UID), errno);
		assert_return_code(chown(bench->file, OTHER_UID, OTHER_UID), errno);
		assert_return_code(lchown(link, OTHER_UID, OTHER_UID), errno);
		assert_return_code(seteuid(OTHER_UID), errno);
	}
	assert_tool_refused(bench->file, geteuid(), false, ERROR_TOOL_UNTRUSTED,
			    "its owner could rewrite it from inside the sandbox");
	assert_tool_refused(link, geteuid(), false, ERROR_TOOL_UNTRUSTED, bench->dir);
	if (root)
		assert_return_code(seteuid(0), errno);
}

/* What is looked through for features is no program when it is that large. */
static void test_tool_too_large(void **state)
{
	static const char *const features[] = { "--cap-drop", NULL };
	struct bench *bench = *state;
	struct error err = { 0 };
	struct tool tool = { 0 };

	if (geteuid() != 0)
		skip(); /* only root's file comes that far */
	write_file(bench->file, "#!/bin/sh\n", 10);
	chmod(bench->file, 0755);
	assert_return_code(truncate(bench->file, (64 << 20) + 1), errno);
	assert_int_equal(tool_check(bench->file, features, 0, false, &tool, &err),
			 -EFBIG);
	assert_int_equal(err.code, ERROR_TOOL_UNTRUSTED);
}

static void test_tool_kinds(void **state)
{
	struct bench *bench = *state;

	assert_tool_refused(bench->file, 1000, false, ERROR_TOOL_MISSING, "is missing");
	assert_return_code(mkfifo(bench->file, 0755), errno);
	assert_tool_refused(bench->file, 1000, false, ERROR_TOOL_UNTRUSTED,
			    "is not a regular file");
	unlink(bench->file);
	assert_return_code(symlink("rlimits-x.so", bench->file), errno);
	assert_tool_refused(bench->file, 1000, false, ERROR_TOOL_UNTRUSTED, bench->file);
	assert_tool_refused("/etc/passwd/x", 1000, false, ERROR_TOOL_MISSING,
			    "is missing");
}

static void test_tool_features(void **state)
{
	static const char *const features[] = { "--cap-drop", "--no-such-option",
						"cap-drop", "--cap-dro", NULL };
	struct error err = { 0 };
	struct tool tool = { 0 };

	(void)state;
	if (access("/usr/bin/bwrap", X_OK) < 0)
		skip();
	assert_return_code(
		tool_check("/usr/bin/bwrap", features, geteuid(), false, &tool, &err), 0);
	assert_int_equal(tool.features, 1);
}

/* ---- the list ---- */

static void test_list(void **state)
{
	struct registry_entry *entries = NULL;
	struct error err = { 0 };
	size_t count = 0, good = 0, tools = 0;

	(void)state;
	assert_return_code(registry_list(BAD_PLUGINS, &entries, &count, &err), 0);
	assert_true(count > sizeof(bad) / sizeof(bad[0]));
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			assert_true(entries[i - 1].slot < entries[i].slot ||
				    strcmp(entries[i - 1].name, entries[i].name) < 0);
		good += entries[i].error.code == ERROR_NONE;
		tools += entries[i].error.code && entries[i].backend;
		if (entries[i].error.code == ERROR_NONE)
			assert_non_null(entries[i].backend);
	}
	assert_true(good >= 4);
	assert_true(tools >= 3); /* good backends whose tool is not */
	registry_list_free(entries, count);
}

#define BENCH(test) cmocka_unit_test_setup_teardown(test, make_bench, remove_bench)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_relative_folder),
		cmocka_unit_test(test_bad_objects),
		cmocka_unit_test(test_refusals_leave_no_descriptor),
		cmocka_unit_test(test_guarantees),
		cmocka_unit_test(test_networks),
		cmocka_unit_test(test_setuid_tool),
		cmocka_unit_test(test_tool_place),
		cmocka_unit_test(test_frozen_rlimits),
		cmocka_unit_test(test_frozen_launcher),
		cmocka_unit_test(test_short_launcher),
		cmocka_unit_test(test_names),
		BENCH(test_replaced),
		BENCH(test_folders),
		BENCH(test_modes),
		BENCH(test_kinds_of_file),
		BENCH(test_not_elf),
		BENCH(test_large_segment),
		BENCH(test_truncated),
		BENCH(test_truncated_and_stripped),
		BENCH(test_too_large),
		BENCH(test_tool_of_root),
		BENCH(test_tool_with_capabilities),
		BENCH(test_tool_of_caller),
		BENCH(test_tool_too_large),
		BENCH(test_tool_kinds),
		cmocka_unit_test(test_tool_features),
		cmocka_unit_test(test_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
