/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The limits that a policy can set: one list for single processes, one for the tree.
 * Everything else derives from them: the policy's keys, the backends' arguments, what
 * is read back from the kernel.
 */
#ifndef DRUPE_LIMITS_H
#define DRUPE_LIMITS_H

#include "drupe-backend.h"

/* RLIMIT_ID of getrlimit(2); its key, type, minimum, maximum and default; its label in
 * /proc/PID/limits; the key's help. */
#define RLIMITS(X)                                                                      \
	X(NOFILE, "nofile", COUNT, 4, 1073741816, "4096", "Max open files",             \
	  "Open files.")                                                                \
	X(CORE, "core", SIZE, 0, VALUE_MAX, "0", "Max core file size",                  \
	  "Size of a core dump.")                                                       \
	X(CPU, "cpu", SECONDS, 1, VALUE_MAX, NULL, "Max cpu time",                      \
	  "CPU time of each process, in whole seconds.")                                \
	X(FSIZE, "fsize", SIZE, 0, VALUE_MAX, NULL, "Max file size",                    \
	  "Size of a file that is written.")                                            \
	X(AS, "as", SIZE, 16 * MIB, VALUE_MAX, NULL, "Max address space",               \
	  "Address space.")                                                             \
	X(NPROC, "nproc", COUNT, 1, 4194304, NULL, "Max processes",                     \
	  "Processes and threads of the user.")                                         \
	X(STACK, "stack", SIZE, 128 * KIB, VALUE_MAX, NULL, "Max stack size", "Stack.") \
	X(MEMLOCK, "memlock", SIZE, 0, VALUE_MAX, NULL, "Max locked memory",            \
	  "Memory locked into RAM.")

/*
 * DRUPE_CGROUP_ID of the ABI; its key, type, minimum and maximum; its file in a cgroup,
 * how that reads back, the controller; the key's help. (tasks_max: the launcher is two
 * tasks, the guard and the command are one each.)
 */
#define CGROUP_LIMITS(X)                                                               \
	X(MEMORY_MAX, "memory_max", SIZE, 16 * MIB, VALUE_MAX, "memory.max", PAGES,    \
	  "memory", "Memory; beyond it the tree is killed.")                           \
	X(MEMORY_HIGH, "memory_high", SIZE, 16 * MIB, VALUE_MAX, "memory.high", PAGES, \
	  "memory", "Memory; beyond it the tree is slowed.")                           \
	X(MEMORY_SWAP_MAX, "memory_swap_max", SIZE, 0, VALUE_MAX, "memory.swap.max",   \
	  PAGES, "memory", "Swap.")                                                    \
	X(TASKS_MAX, "tasks_max", COUNT, 4, 4194304, "pids.max", NUMBER, "pids",       \
	  "Processes and threads.")                                                    \
	X(CPU_QUOTA, "cpu_quota", PERCENT, 1, 100000, "cpu.max", QUOTA, "cpu",         \
	  "CPU time, in percent of one CPU.")                                          \
	X(CPU_WEIGHT, "cpu_weight", COUNT, 1, 10000, "cpu.weight", NUMBER, "cpu",      \
	  "Share of the CPU among siblings, of which 100 is usual.")                   \
	X(IO_WEIGHT, "io_weight", COUNT, 1, 10000, "io.weight", DEFAULT, "io",         \
	  "Share of the disks among siblings, of which 100 is usual.")

#define LIMIT_ID(id, ...) LIMIT_##id,
enum rlimit_id { RLIMITS(LIMIT_ID) N_RLIMITS };
#undef LIMIT_ID

struct rlimit_info {
	const char *name;     /* as in the policy and for prlimit(1) */
	const char *constant; /* as in getrlimit(2) */
	int resource;
	const char *label; /* as in /proc/PID/limits */
};
extern const struct rlimit_info rlimit_table[N_RLIMITS];

/* How the kernel formats the value in a cgroup's file. */
enum cgroup_reading {
	READING_NUMBER,
	READING_PAGES,	 /* bytes, rounded down to pages */
	READING_QUOTA,	 /* "QUOTA PERIOD", their ratio is the percentage */
	READING_DEFAULT, /* "default NUMBER", then lines for single devices */
};

/* One more than the greatest id: the table is indexed by the ABI's numbers, which count
 * from 1. */
#define AND_ONE(...) +1
enum { N_CGROUP = 1 CGROUP_LIMITS(AND_ONE) };
#undef AND_ONE

struct cgroup_info {
	const char *name; /* as in the policy */
	const char *file;
	enum cgroup_reading reading;
	const char *controller;
};
extern const struct cgroup_info cgroup_table[N_CGROUP];

#endif
