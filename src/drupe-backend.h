/* SPDX-License-Identifier: MIT */
/*
 * drupe-backend.h - the ABI between the drupe executor and its backends.  Installed as
 * <drupe/backend.h>.  See drupe-backend(3).
 *
 * A backend is a shared object named KIND-NAME.so that exports exactly one symbol, the
 * constant data object `drupe_backend_v1`.  The executor checks the file's owner and
 * mode, then loads it (RTLD_NOW | RTLD_LOCAL), checks this object, and never unloads
 * it.
 *
 * A backend DESCRIBES, the executor ACTS: its functions append words to their own
 * segment of the command line and answer questions about text they are given.  They
 * never fork, open, close, wait, log or read the environment.  They are called from one
 * thread at a time and never after a fork.
 *
 * Every structure begins with its own size in bytes, set by its creator; the reader
 * treats anything beyond that size as zero.  Fields are only ever added at the end.
 * Elements of arrays are reached by the stride given next to the array.
 *
 * Ownership: strings and arrays passed to a backend belong to the executor and are
 * valid until the function returns.  Results (ret_…) are the executor's structures,
 * with `size` set: a backend fills in individual fields.  Whatever a backend's object
 * points to must live as long as the shared object (that is: static and constant).
 */
#ifndef DRUPE_BACKEND_H
#define DRUPE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DRUPE_BACKEND_ABI 1
#define DRUPE_BACKEND_SYMBOL "drupe_backend_v1"

/* Marks the one exported symbol: DRUPE_BACKEND_EXPORT = { .size = sizeof(...), ... } */
#define DRUPE_BACKEND_EXPORT                                                     \
	__attribute__((visibility(                                               \
		"default"))) extern const struct drupe_backend drupe_backend_v1; \
	const struct drupe_backend drupe_backend_v1

/* The four slots of a run.  A backend fills exactly one. */
enum drupe_kind {
	DRUPE_KIND_SCOPE = 1,	 /* cgroup limits of the whole tree */
	DRUPE_KIND_LAUNCHER = 2, /* namespaces, mounts, environment */
	DRUPE_KIND_RLIMITS = 3,	 /* per-process limits */
	DRUPE_KIND_NETWORK = 4,	 /* helper attached to the private network namespace */
};

/* ---- what the host offers ---- */

struct drupe_words;   /* the argv segment being built; opaque */
struct drupe_options; /* the options that the policy sets for this backend; opaque */

/*
 * The host's callbacks.  Failure to append sticks: the host remembers the first one and
 * refuses the run after the function returns, so a backend is a plain list of words
 * without checks.
 */
struct drupe_host {
	size_t size;
	/* Append one word; it is copied.  NULL fails the run. */
	void (*push)(struct drupe_words *words, const char *word);
	/* Append one formatted word (printf(3) format). */
	void (*pushf)(struct drupe_words *words, const char *format, ...)
		__attribute__((format(printf, 2, 3)));
	/* Fail the segment: ERR is an errno value, the text says what and what to do. */
	void (*fail)(struct drupe_words *words, int err, const char *format, ...)
		__attribute__((format(printf, 3, 4)));
	/*
	 * The value of the option KEY in the policy, else FALLBACK.  Sizes are bytes,
	 * durations milliseconds.  For a key that the backend did not declare, or
	 * declared with another type: FALLBACK.
	 */
	bool (*option_bool)(const struct drupe_options *options, const char *key,
			    bool fallback);
	uint64_t (*option_number)(const struct drupe_options *options, const char *key,
				  uint64_t fallback);
	const char *(*option_text)(const struct drupe_options *options, const char *key,
				   const char *fallback);
};

/* What every function of a backend receives first. */
struct drupe_call {
	size_t size;
	const struct drupe_host *host;
	const struct drupe_options *options;
	uint64_t features; /* bit i: the tool has tool_features[i] */
};

/* ---- options ---- */

enum drupe_option_type {
	DRUPE_OPTION_BOOL = 1,	   /* true | false */
	DRUPE_OPTION_COUNT = 2,	   /* decimal, min..max */
	DRUPE_OPTION_SIZE = 3,	   /* bytes, suffixes K M G T (1024), min..max */
	DRUPE_OPTION_DURATION = 4, /* milliseconds, suffixes ms s m h, min..max */
	DRUPE_OPTION_TEXT = 5,	   /* any UTF-8 text of min..max bytes */
	DRUPE_OPTION_WORD = 6,	   /* one of `words` */
	DRUPE_OPTION_PATH = 7,	   /* absolute path without "." and ".." components */
	DRUPE_OPTION_CIDR4 = 8,	   /* A.B.C.D/N, N in min..max */
};

struct drupe_option {
	const char *key; /* [a-z][a-z0-9_]{0,31} */
	enum drupe_option_type type;
	uint64_t min, max;	  /* inclusive; both 0: no bound */
	const char *const *words; /* DRUPE_OPTION_WORD: NULL-terminated */
	const char *help;	  /* one line */
};

/* ---- launcher ---- */

enum drupe_mount_op {
	DRUPE_MOUNT_BIND = 1,	     /* source on dest, writable */
	DRUPE_MOUNT_RO_BIND = 2,     /* source on dest, read-only, recursively */
	DRUPE_MOUNT_RO_BIND_TRY = 3, /* the same; a missing source is not an error */
	DRUPE_MOUNT_TMPFS = 4,	     /* fresh tmpfs of `bytes` bytes with mode `perms` */
	DRUPE_MOUNT_DIR = 5,	     /* an empty directory */
	DRUPE_MOUNT_SYMLINK = 6,     /* dest is a symbolic link with the text `source` */
	DRUPE_MOUNT_PROC = 7,	     /* procfs of the new PID namespace */
	DRUPE_MOUNT_DEV = 8,	     /* minimal device directory */
	DRUPE_MOUNT_DATA = 9, /* read-only file of mode `perms`, content read from `fd` */
	DRUPE_MOUNT_REMOUNT_RO =
		10, /* make the mount at dest read-only, not recursively */
};

struct drupe_mount {
	enum drupe_mount_op op;
	unsigned perms;	    /* mode bits of dest, 0: the launcher's default */
	const char *source; /* host path, or link text; NULL if op has none */
	const char *dest;   /* absolute path inside */
	uint64_t bytes;	    /* tmpfs: its size */
	/*
	 * A word that names a descriptor: for DRUPE_MOUNT_DATA the data; for the two
	 * binds, when not NULL, an O_PATH descriptor of the very source that was
	 * checked, to be preferred to `source` if the launcher supports it.
	 */
	const char *fd;
};

/* What every launcher must guarantee. */
enum drupe_guarantee {
	DRUPE_UNSHARE_USER = 1,
	DRUPE_UNSHARE_PID = 2,
	DRUPE_UNSHARE_IPC = 3,
	DRUPE_UNSHARE_UTS = 4,
	DRUPE_UNSHARE_NET = 5,
	DRUPE_CLEAR_ENVIRONMENT = 6,
	DRUPE_DIE_WITH_PARENT = 7,
	DRUPE_NEW_SESSION = 8,
	DRUPE_DROP_CAPABILITIES = 9,
};
#define DRUPE_N_GUARANTEES 9

/* The word (an option of the tool) by which a launcher keeps a guarantee.  All must be
 * declared, and each must be among the words it appends, or the launcher is refused. */
struct drupe_guarantee_word {
	enum drupe_guarantee guarantee;
	const char *word;
};

/* What the launcher is to set up.  Descriptors are words, since a plan shows
 * placeholders where a run has numbers. */
struct drupe_launch {
	size_t size;
	const struct drupe_mount *mounts; /* in the order in which they apply */
	size_t n_mounts;
	size_t mount_size;	       /* stride of `mounts` */
	const char *const *env_names;  /* NULL-terminated */
	const char *const *env_values; /* parallel to env_names */
	const char *chdir;	       /* working directory of the command */
	bool nested_userns;	       /* false: forbid user namespaces inside */
	const char *info_fd;	       /* write: describes the child, see parse_info */
	const char *status_fd; /* write: how the command ended, see parse_status */
	const char *block_fd;  /* read: the command waits for one byte */
	const char *sync_fd;   /* the write end of block_fd, to be kept open */
};

static inline const struct drupe_mount *drupe_mount_at(const struct drupe_launch *launch,
						       size_t i)
{
	return (const struct drupe_mount *)(const void *)((const char *)launch->mounts +
							  i * launch->mount_size);
}

/* What the launcher wrote to info_fd. */
struct drupe_child {
	size_t size;
	int64_t pid;	 /* namespace init, in the executor's PID namespace */
	uint64_t net_ns; /* inode numbers of its namespaces, 0: not reported */
	uint64_t pid_ns;
	uint64_t ipc_ns;
	uint64_t uts_ns;
	uint64_t mnt_ns;
};

/* What the launcher wrote to status_fd. */
struct drupe_exit {
	size_t size;
	bool exited;	/* the command was started, and ended */
	int32_t status; /* its exit status, 128 + N for signal N */
};

/* What a launcher's error text means. */
struct drupe_diagnosis {
	size_t size;
	const char *code;   /* short stable word of drupe(1), or NULL: not recognised */
	const char *cause;  /* one sentence */
	const char *remedy; /* one sentence: what to do */
};

struct drupe_launcher_ops {
	size_t size;
	const struct drupe_guarantee_word *guarantees;
	size_t n_guarantees;
	size_t guarantee_size; /* stride */
	/* Append the launcher's words, its path first, "--" last. */
	void (*words)(const struct drupe_call *call, const struct drupe_launch *launch,
		      struct drupe_words *words);
	/* Parse everything read from info_fd (TEXT of LENGTH bytes, then a NUL).  0, or
	 * -EBADMSG when it is not exactly one complete report. */
	int (*parse_info)(const struct drupe_call *call, const char *text, size_t length,
			  struct drupe_child *ret_child);
	/* The same for status_fd; 0 with exited = false when it reports no exit. */
	int (*parse_status)(const struct drupe_call *call, const char *text,
			    size_t length, struct drupe_exit *ret_exit);
	/* May be NULL.  Explain TEXT, what the launcher printed before it failed. */
	void (*diagnose)(const struct drupe_call *call, const char *text,
			 struct drupe_diagnosis *ret_diagnosis);
	/*
	 * The tool_features (bits) needed for binds by drupe_mount.fd.  If any is
	 * missing, or this is 0, no bind has an fd: a descriptor that the launcher does
	 * not take and close would stay open in the command.
	 */
	uint64_t bind_fd_features;
};

/* ---- rlimits ---- */

struct drupe_rlimit {
	const char *name; /* nofile core cpu fsize as nproc stack memlock */
	int resource;	  /* RLIMIT_* of getrlimit(2) */
	uint64_t value;	  /* soft = hard; bytes, seconds or a count */
};

struct drupe_rlimits {
	size_t size;
	const struct drupe_rlimit *limits;
	size_t n_limits;
	size_t limit_size; /* stride */
};

static inline const struct drupe_rlimit *drupe_rlimit_at(
	const struct drupe_rlimits *limits, size_t i)
{
	return (const struct drupe_rlimit *)(const void *)((const char *)limits->limits +
							   i * limits->limit_size);
}

struct drupe_rlimits_ops {
	size_t size;
	/* Append the words, the tool's path first, "--" last.  The tool must be below
	 * /usr, where the command can see it. */
	void (*words)(const struct drupe_call *call, const struct drupe_rlimits *limits,
		      struct drupe_words *words);
};

/* ---- scope ---- */

enum drupe_cgroup_limit_id {
	DRUPE_CGROUP_MEMORY_MAX = 1,	  /* bytes */
	DRUPE_CGROUP_MEMORY_HIGH = 2,	  /* bytes */
	DRUPE_CGROUP_MEMORY_SWAP_MAX = 3, /* bytes */
	DRUPE_CGROUP_TASKS_MAX = 4,	  /* count */
	DRUPE_CGROUP_CPU_QUOTA = 5,	  /* percent of one CPU */
	DRUPE_CGROUP_CPU_WEIGHT = 6,	  /* 1..10000 */
	DRUPE_CGROUP_IO_WEIGHT = 7,	  /* 1..10000 */
};

struct drupe_cgroup_limit {
	enum drupe_cgroup_limit_id id;
	uint64_t value;
};

struct drupe_scope {
	size_t size;
	const char *unit;	 /* a unique name, drupe-….scope */
	const char *description; /* never the command line */
	bool system;		 /* true: the system's manager, the executor is root */
	uint32_t uid, gid;	 /* of the command's user */
	uint64_t runtime_max_ms; /* last resort after the run's own deadline, 0: none */
	const struct drupe_cgroup_limit *limits;
	size_t n_limits;
	size_t limit_size; /* stride */
};

/* For a scope that is a folder in the cgroup file system and has no words: the executor
 * makes `folder`, and writes each value to the file of that name there. */
struct drupe_cgroup_setup {
	size_t size;
	char folder[4096]; /* "": this scope has words */
	struct {
		char file[32];
		char value[64];
	} writes[16];
	size_t n_writes;
};

struct drupe_scope_ops {
	size_t size;
	/* Bit (1 << id) for each limit that this scope can enforce. */
	uint64_t enforces;
	/* Names of the caller's environment variables that the tool needs
	 * (NULL-terminated). */
	const char *const *environment;
	/* Append the words, the tool's path first, "--" last; none for a scope by setup.
	 */
	void (*words)(const struct drupe_call *call, const struct drupe_scope *scope,
		      struct drupe_words *words);
	/* Append the whole command that stops the scope. */
	void (*stop_words)(const struct drupe_call *call, const struct drupe_scope *scope,
			   struct drupe_words *words);
	/* Write the last component(s) of the cgroup's path into RET, of SIZE bytes. */
	int (*cgroup)(const struct drupe_call *call, const struct drupe_scope *scope,
		      char *ret, size_t size);
	/* May be NULL. */
	int (*setup)(const struct drupe_call *call, const struct drupe_scope *scope,
		     struct drupe_cgroup_setup *ret_setup);
	/* May be NULL; as for launchers. */
	void (*diagnose)(const struct drupe_call *call, const char *text,
			 struct drupe_diagnosis *ret_diagnosis);
};

/* ---- network ---- */

enum drupe_ready {
	DRUPE_READY_FD = 1,	 /* writes "1" to ready, then closes it */
	DRUPE_READY_PIDFILE = 2, /* the file named by ready becomes non-empty */
};

enum drupe_stop {
	DRUPE_STOP_EXIT_FD = 1, /* ends when the peer of exit is closed */
	DRUPE_STOP_SIGNAL = 2,	/* ends by SIGTERM */
};

struct drupe_resolver_file {
	const char *dest; /* below /etc */
	const char *
		text; /* the content; NULL: the host's CA bundle, found by the executor */
};

struct drupe_attach {
	size_t size;
	const char *netns;  /* path of the pinned network namespace */
	const char *userns; /* path of the user namespace that owns it */
	const char *ready;  /* descriptor or path, by `ready` below */
	const char *exit;   /* descriptor, for DRUPE_STOP_EXIT_FD */
};

struct drupe_network_ops {
	size_t size;
	enum drupe_ready ready;
	enum drupe_stop stop;
	bool holder;	 /* true: cannot inherit descriptors; the paths go through one of
			  * the executor's processes that joined the namespaces */
	const char *tap; /* the device that the helper attaches to: the executor makes it
			  * beforehand, persistent; NULL: the helper makes its own */
	/* Words after the tool's path whose output is searched, once per session and
	 * outside the critical window, for each of `probe_needs`; without them the
	 * network is refused with `probe_message`. */
	const char *const *probe;
	const char *const *probe_needs;
	const char *probe_message;
	/* Write the I-th resolver file; -ENOENT beyond the last.  `text` must stay
	 * valid until the next call; SCRATCH of SIZE bytes may be used for it. */
	int (*file)(const struct drupe_call *call, size_t i, char *scratch, size_t size,
		    struct drupe_resolver_file *ret_file);
	/* Append the helper's words, its path first. */
	void (*words)(const struct drupe_call *call, const struct drupe_attach *attach,
		      struct drupe_words *words);
};

/* ---- the one object ---- */

struct drupe_backend {
	size_t size;
	uint32_t abi;	     /* DRUPE_BACKEND_ABI */
	uint32_t kind;	     /* enum drupe_kind, as in the file's name */
	const char *name;    /* [a-z][a-z0-9-]{0,31}, as in the file's name */
	const char *version; /* of the backend, free text */
	const char *summary; /* one line */
	/* Absolute path of the program that the words start with, fixed when the
	 * backend was built.  The executor checks before each run that it is a
	 * regular file that only root can write, and not set-id. */
	const char *tool;
	/*
	 * Options of the tool that older versions lack (NULL-terminated, at most 64):
	 * the executor checks whether each is a string constant in the program, and
	 * reports that in drupe_call.features.  May be NULL.
	 */
	const char *const *tool_features;
	const struct drupe_option *options;
	size_t n_options;
	size_t option_size; /* stride */
	/* Only the one for `kind` is set. */
	const struct drupe_scope_ops *scope;
	const struct drupe_launcher_ops *launcher;
	const struct drupe_rlimits_ops *rlimits;
	const struct drupe_network_ops *network;
};

#ifdef __cplusplus
}
#endif

#endif
