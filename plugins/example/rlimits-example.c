/* SPDX-License-Identifier: MIT */
/*
 * rlimits-example.c - an rlimits backend of drupe, to copy and change.
 *
 * drupe puts three layers around a command, always in this order:
 *
 *     scope -> launcher -> rlimits -> COMMAND
 *
 * Each is a program that executes what follows its own words.  A backend is a translator:
 * it is told what the layer must do, and appends the words that make a particular program
 * do it.  This one is for the innermost layer, and its program is prlimit(1):
 *
 *     /usr/bin/prlimit --nofile=4096:4096 --core=0:0 -- COMMAND...
 *
 * THE ONE RULE: a backend describes, drupe acts.  Do not fork, open, close, wait,
 * print, read the environment, or keep anything between two calls.  drupe does all that,
 * and checks with the kernel that what you described took effect.
 */

/* The only header that backends need.  There is no library. */
#include <drupe/backend.h>

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* ---- options ------------------------------------------------------------------
 *
 * What an admin may write under `options: example:` in a policy.  drupe checks the
 * values against this table before any function of yours is called, and reports a
 * misspelt key or a value out of range with file and line.  So what you read below
 * is always good, and you never parse text.
 *
 * Both bounds 0 means no bound.  The help is one line, for `drupe backends --dump`.
 * A backend without options leaves this table and the three fields out.
 */
static const struct drupe_option options[] = {
	{ "sigpending", DRUPE_OPTION_COUNT, 1, 1000000, NULL,
	  "signals that may be queued (RLIMIT_SIGPENDING)" },
	{ "msgqueue", DRUPE_OPTION_SIZE, 0, UINT64_C(1) << 30, NULL,
	  "bytes in POSIX message queues (RLIMIT_MSGQUEUE)" },
};

/* A value that the table above does not allow: the policy does not set the option. */
#define NOT_SET UINT64_MAX

/* ---- words ---- */

/* Which of drupe's limits prlimit has an option for, under the same name. */
static bool is_known(const char *name)
{
	static const char *const names[] = { "nofile", "core",	"cpu",	 "fsize",
					     "as",     "nproc", "stack", "memlock" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static void push_limit(const struct drupe_call *call, struct drupe_words *words,
		       const char *name, uint64_t value)
{
	/* One call, one word.  Words are never joined, split or quoted: what you push
	 * becomes one element of the program's argv. */
	call->host->pushf(words, "--%s=%" PRIu64 ":%" PRIu64, name, value, value);
}

static void push_option(const struct drupe_call *call, struct drupe_words *words,
			const char *name)
{
	uint64_t value = call->host->option_number(call->options, name, NOT_SET);

	if (value != NOT_SET)
		push_limit(call, words, name, value);
}

/*
 * The one function of an rlimits backend.  It returns nothing: when a push fails (no
 * memory, say), drupe remembers that, ignores later pushes, and refuses the run.  So
 * there is nothing to check here.
 */
static void example_words(const struct drupe_call *call,
			  const struct drupe_rlimits *limits, struct drupe_words *words)
{
	/* The path first, and the same as in `.tool` below: drupe checked that file. */
	call->host->push(words, PRLIMIT_PATH);

	for (size_t i = 0; i < limits->n_limits; i++) {
		/* Always use this function, never limits->limits[i]: the elements of a
		 * later drupe may be larger than those you compiled with. */
		const struct drupe_rlimit *limit = drupe_rlimit_at(limits, i);

		/* Refuse what you cannot do.  Leaving it out would give the command
		 * less of a sandbox than the policy asks for. */
		if (!is_known(limit->name)) {
			call->host->fail(words, ENOTSUP,
					 "the example backend has no limit called \"%s\"",
					 limit->name);
			return;
		}
		push_limit(call, words, limit->name, limit->value);
	}
	push_option(call, words, "sigpending");
	push_option(call, words, "msgqueue");

	/* Always end your own options: a command may begin with "-". */
	call->host->push(words, "--");
}

/* ---- the object -------------------------------------------------------------------
 *
 * Constant data, so that drupe can check it before any of your code runs.  Each
 * structure begins with its own size: that is how a newer drupe knows which fields you
 * compiled without.  Fields you do not set are zero, and zero is always the harmless
 * choice.
 */
static const struct drupe_rlimits_ops ops = {
	.size = sizeof(ops),
	.words = example_words,
};

DRUPE_BACKEND_EXPORT = {
	.size = sizeof(struct drupe_backend),
	.abi = DRUPE_BACKEND_ABI,

	/* As in the file's name, rlimits-example.so. */
	.kind = DRUPE_KIND_RLIMITS,
	.name = "example",

	.version = "1.0",
	.summary = "an example: prlimit(1) with two more limits",

	/* Absolute, fixed when you build.  drupe checks owner and mode before each
	 * run, and that the program seen inside the sandbox is the same file. */
	.tool = PRLIMIT_PATH,

	.options = options,
	.n_options = sizeof(options) / sizeof(options[0]),
	.option_size = sizeof(options[0]),

	/* Exactly one of scope, launcher, rlimits and network: that of `kind`. */
	.rlimits = &ops,
};
