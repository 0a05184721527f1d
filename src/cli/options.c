/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "policy/suggest.h"

#define FOR_RUNS (FOR_RUN | FOR_PLAN | FOR_PREFLIGHT)
#define FOR_ALL (FOR_RUNS | FOR_CHECK | FOR_BACKENDS | FOR_SERVE)

typedef int (*setter)(struct options *options, const char *value, struct error *err);

static int usage(struct error *err, const char *before, const char *value,
		 const char *after)
{
	error_set(err, ERROR_USAGE, EINVAL, "%s%s%s", before, value, after);
	error_hint(err, "see drupe --help, or drupe(1)");
	return -EINVAL;
}

static int set_timeout(struct options *options, const char *value, struct error *err)
{
	if (value_duration(value, &options->request.timeout_ms) < 0 ||
	    options->request.timeout_ms == 0)
		return usage(err, "--timeout \"", value,
			     "\" is not a duration; write 45s, 10m or 1.5s");
	return 0;
}

static int set_backend_dir(struct options *options, const char *value, struct error *err)
{
	char *whole = realpath(value, NULL);
	size_t n = whole ? strlen(whole) : 0;

	if (!whole || n >= sizeof(options->paths.backends)) {
		free(whole);
		return usage(err, "--backend-dir \"", value,
			     "\" is not an existing folder");
	}
	memcpy(options->paths.backends, whole, n + 1);
	free(whole);
	return 0;
}

static int add_read(struct options *options, const char *value, struct error *err)
{
	struct request *request = &options->request;

	if (request->n_reads == OPTIONS_MAX_READS)
		return usage(err, "--read \"", value, "\": that is one too many");
	options->reads[request->n_reads++] = value;
	request->reads = options->reads;
	return 0;
}

static int set_network(struct options *options, enum ask ask, struct error *err)
{
	if (options->request.network != ASK_DEFAULT && options->request.network != ask)
		return usage(err, "--network", " and ",
			     "--no-network exclude each other");
	options->request.network = ask;
	return 0;
}

static int ask_network(struct options *options, const char *value, struct error *err)
{
	(void)value;
	return set_network(options, ASK_YES, err);
}

static int refuse_network(struct options *options, const char *value, struct error *err)
{
	(void)value;
	return set_network(options, ASK_NO, err);
}

/* The value goes to the member at `text` or `flag`, or `set` is called. */
static const struct option_row {
	const char *name;
	char letter;
	unsigned commands;
	const char *argument; /* its name in the help, NULL: a flag */
	size_t text, flag;    /* offset + 1 in struct options */
	setter set;
	const char *help;
} table[] = {
#define TEXT(field) offsetof(struct options, field) + 1, 0, NULL
#define FLAG(field) 0, offsetof(struct options, field) + 1, NULL
#define CALL(function) 0, 0, function
	{ "policy", 'p', FOR_RUNS | FOR_SERVE, "NAME|FILE", TEXT(policy),
	  "the policy to use" },
	{ "profile", 'P', FOR_RUNS | FOR_SERVE, "NAME", TEXT(request.profile),
	  "the profile to use" },
	{ "workspace", 'w', FOR_RUNS | FOR_SERVE, "DIR", TEXT(request.workspace),
	  "the folder the command may work in [.]" },
	{ "timeout", 't', FOR_RUNS, "DURATION", CALL(set_timeout), "45s, 10m, 1.5s" },
	{ "network", 0, FOR_RUNS, NULL, CALL(ask_network), "ask for the network" },
	{ "no-network", 0, FOR_RUNS, NULL, CALL(refuse_network), "run without it" },
	{ "read", 'r', FOR_RUNS, "PATH", CALL(add_read),
	  "show PATH read-only, where host_read grants it; repeatable" },
	{ "read-only", 0, FOR_RUNS | FOR_SERVE, NULL, FLAG(request.read_only),
	  "make the workspace read-only" },
	{ "single-root", 0, FOR_RUNS | FOR_SERVE, NULL, FLAG(request.single_root),
	  "leave the corpora out" },
	{ "stdin", 'i', FOR_RUNS, NULL, FLAG(request.pass_stdin), "pass stdin through" },
	{ "user", 'u', FOR_RUNS | FOR_SERVE, "NAME", TEXT(request.user),
	  "as root: the user to run as" },
	{ "json", 0, FOR_RUNS | FOR_BACKENDS, NULL, FLAG(json), "print one JSON object" },
	{ "report", 0, FOR_RUN, "FILE", TEXT(report), "write the JSON result to FILE" },
	{ "backend-dir", 0, FOR_RUNS | FOR_BACKENDS | FOR_SERVE, "DIR",
	  CALL(set_backend_dir), "look for backends there" },
	{ "mcp", 0, FOR_SERVE, NULL, FLAG(mcp), "speak the Model Context Protocol" },
	{ "dump", 0, FOR_BACKENDS, "NAME", TEXT(dump), "all about one backend" },
	{ "quiet", 'q', FOR_ALL, NULL, FLAG(quiet), "say less" },
	{ "verbose", 'v', FOR_ALL, NULL, FLAG(verbose), "say more" },
	{ "help", 'h', FOR_ALL, NULL, FLAG(help), "print this help" },
	{ "version", 'V', FOR_ALL, NULL, FLAG(version), "print the version" },
};

#define ROWS (sizeof(table) / sizeof(table[0]))

static int apply(const struct option_row *row, struct options *options, const char *value,
		 struct error *err)
{
	char *base = (char *)options;

	if (row->set)
		return row->set(options, value, err);
	if (row->flag)
		*(bool *)(void *)(base + row->flag - 1) = true;
	else
		*(const char **)(void *)(base + row->text - 1) = value;
	return 0;
}

#define LONG 256 /* getopt's value of the first long option: above any letter */

/* getopt's two lists for one command. */
struct lists {
	struct option longs[ROWS + 1];
	char shorts[2 * ROWS + 3];
};

static void make_lists(enum command_bit command, struct lists *lists)
{
	size_t n = 0, at = 0;

	memset(lists, 0, sizeof(*lists));
	lists->shorts[at++] = '+'; /* options end where the command begins */
	lists->shorts[at++] = ':';
	for (size_t i = 0; i < ROWS; i++) {
		if (!(table[i].commands & command))
			continue;
		lists->longs[n++] = (struct option){
			.name = table[i].name,
			.has_arg = table[i].argument ? required_argument : no_argument,
			.val = LONG + (int)i,
		};
		if (!table[i].letter)
			continue;
		lists->shorts[at++] = table[i].letter;
		if (table[i].argument)
			lists->shorts[at++] = ':';
	}
}

static const struct option_row *row_of(int value)
{
	for (size_t i = 0; i < ROWS; i++)
		if (value == LONG + (int)i ||
		    (table[i].letter && value == table[i].letter))
			return &table[i];
	return NULL;
}

/* getopt takes any unique prefix; a later option could make it ambiguous. */
static bool is_name(const char *word, const char *name)
{
	size_t length = strlen(name);

	word += 2;
	return strncmp(word, name, length) == 0 &&
	       (word[length] == '\0' || word[length] == '=');
}

/* The order of the layers has no option either, by any name. */
static void unknown_option(const char *word, struct error *err)
{
	char name[32];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + strspn(word, "-"), "="),
		 word + strspn(word, "-"));
	for (char *at = name; *at; at++)
		if (*at == '-')
			*at = '_';
	if (suggest_is_order(name))
		error_set(err, ERROR_ORDER, EINVAL, "%s: %s", word, suggest_order_rule);
	else
		usage(err, "there is no option ", word, " here");
}

int options_parse(int argc, char **argv, enum command_bit command,
		  struct options *options, struct error *err)
{
	struct lists lists;
	struct error first = { 0 };
	int value, at = 1, r = 0; /* AT: the index of the word being parsed */

	make_lists(command, &lists);
	optind = 0; /* glibc: start over */
	opterr = 0;
	while ((value = getopt_long(argc, argv, lists.shorts, lists.longs, NULL)) != -1) {
		const struct option_row *row = row_of(value);
		const char *word = argv[at];
		struct error now = { 0 };

		at = optind;
		if (value == ':')
			usage(&now, "", word, " needs a value");
		else if (!row || (value >= LONG && !is_name(word, row->name)))
			unknown_option(word, &now);
		else
			apply(row, options, optarg, &now);
		if (now.code && !first.code)
			first = now;
	}
	options->rest = argv + optind;
	options->n_rest = argc - optind;
	if (first.code) {
		*err = first;
		r = -EINVAL;
	}
	return r;
}

void options_help(enum command_bit command)
{
	for (size_t i = 0; i < ROWS; i++) {
		const struct option_row *row = &table[i];
		char left[40];

		if (!(row->commands & command))
			continue;
		snprintf(left, sizeof(left), "--%s%s%s", row->name,
			 row->argument ? " " : "", row->argument ? row->argument : "");
		printf("  %c%c%s %-24s %s\n", row->letter ? '-' : ' ',
		       row->letter ? row->letter : ' ', row->letter ? "," : " ", left,
		       row->help);
	}
}
