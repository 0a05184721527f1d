/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of commands. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/nearest.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "run/result.h"

static const struct command {
	const char *name;
	enum command_bit bit;
	int (*main)(const struct options *options);
	bool takes_command; /* needs COMMAND [ARG...] after the options */
	bool takes_rest;
	int misuse; /* exit status of a usage error */
	const char *arguments;
	const char *help;
} commands[] = {
	{ "run", FOR_RUN, cmd_run, true, true, EXIT_REFUSED, "[--] COMMAND [ARG...]",
	  "run COMMAND in the sandbox" },
	{ "plan", FOR_PLAN, cmd_plan, true, true, EXIT_MISUSE, "[--] COMMAND [ARG...]",
	  "show what would run; run nothing" },
	{ "preflight", FOR_PREFLIGHT, cmd_preflight, false, false, EXIT_MISUSE, "",
	  "try the sandbox, tell what is wrong and how to fix it" },
	{ "check", FOR_CHECK, cmd_check, false, true, EXIT_MISUSE, "[FILE...]",
	  "validate policies" },
	{ "backends", FOR_BACKENDS, cmd_backends, false, false, EXIT_MISUSE, "",
	  "list the backends" },
	{ "serve", FOR_SERVE, cmd_serve, false, false, EXIT_MISUSE, "",
	  "sessions over JSON-RPC 2.0 on stdin and stdout" },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_version(void)
{
	struct paths paths;

	paths_resolve(&paths);
	printf("drupe %s\nbackends: %s\npolicies: %s\nguard: %s\n", PACKAGE_VERSION,
	       paths.backends, paths.policies, paths.guard);
}

static void print_help(void)
{
	puts("drupe runs a command in a sandbox that was checked before it started.\n");
	for (size_t i = 0; i < COMMANDS; i++)
		printf("  drupe %-9s [OPTIONS] %-22s %s\n", commands[i].name,
		       commands[i].arguments, commands[i].help);
	puts("\nOptions of run, plan and preflight:");
	options_help(FOR_RUN);
	puts("\nMore in drupe(1) and drupe-policy(5); drupe COMMAND --help for one "
	     "command.");
}

static void print_command_help(const struct command *command)
{
	printf("drupe %s [OPTIONS] %s\n\n%s.\n\n", command->name, command->arguments,
	       command->help);
	options_help(command->bit);
}

/* STATUS, or MISUSE if stdout could not be written.  A failed `run` keeps its status. */
static int flushed(int status, int misuse)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	print_unwritten("the output", errno ? errno : EIO);
	return misuse == EXIT_REFUSED && status != 0 ? status : misuse;
}

/* A refusal too, so that no report of an earlier run is taken for one of this. */
static void report_misuse(const struct options *options, const struct error *err)
{
	struct report report = REPORT_NONE;
	struct error unopened = { 0 };
	struct result result;
	json_t *json;

	result_init(&result);
	result.refusal = *err;
	result.has_text = options->json;
	json = result_json(&result, NULL, NULL, options->rest);
	if (report_open(options->report, &report, &unopened) < 0)
		error_print(&unopened);
	(void)report_write(&report, json);
	if (options->json)
		print_json(json);
	else
		json_decref(json);
}

static int misuse(const struct command *command, const struct options *options,
		  const struct error *err)
{
	error_print(err);
	if (command->bit == FOR_RUN && (options->json || options->report))
		report_misuse(options, err);
	return command->misuse;
}

static int call(const struct command *command, int argc, char **argv)
{
	struct options options = { 0 };
	struct error err = { 0 };
	int r;

	paths_resolve(&options.paths);
	r = options_parse(argc, argv, command->bit, &options, &err);
	if (options.help) {
		print_command_help(command);
		return flushed(EXIT_GOOD, command->misuse);
	}
	if (options.version) {
		print_version();
		return flushed(EXIT_GOOD, command->misuse);
	}
	if (r == 0 && command->takes_command && options.n_rest == 0)
		r = error_set(&err, ERROR_USAGE, EINVAL, "%s needs a command to run",
			      command->name);
	else if (r == 0 && command->takes_command && options.rest[0][0] == '\0')
		r = error_set(&err, ERROR_USAGE, EINVAL, "the command is an empty word");
	else if (r == 0 && !command->takes_rest && options.n_rest > 0)
		r = error_set(&err, ERROR_USAGE, EINVAL, "%s takes no argument \"%s\"",
			      command->name, options.rest[0]);
	if (r < 0)
		return misuse(command, &options, &err);
	options.request.command = options.rest;
	return flushed(command->main(&options), command->misuse);
}

static int unknown_command(const char *name)
{
	const char *names[COMMANDS + 1] = { NULL };
	const char *nearest;

	for (size_t i = 0; i < COMMANDS; i++)
		names[i] = commands[i].name;
	nearest = nearest_name(name, names);
	fputs("drupe: there is no command \"", stderr);
	print_escaped(stderr, name);
	fprintf(stderr, "\"%s%s; see drupe --help\n", nearest ? "; did you mean " : "",
		nearest ? nearest : "");
	return EXIT_MISUSE;
}

static int run_main(int argc, char **argv)
{
	/* A write beyond RLIMIT_FSIZE is an error like others. */
	signal(SIGXFSZ, SIG_IGN);
	if (fd_sanitize_stdio() < 0)
		return EXIT_REFUSED;
	/* With set-uid or file capabilities the caller would choose policy and backends
	 * for privileges that are not its own. */
	if (getauxval(AT_SECURE)) {
		fputs("drupe: it must not be installed set-uid, set-gid or with "
		      "capabilities\n",
		      stderr);
		_exit(EXIT_REFUSED); /* at once: nothing else is to run like this */
	}
	if (argc < 2) {
		print_help();
		return EXIT_MISUSE;
	}
	for (size_t i = 0; i < COMMANDS; i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return call(&commands[i], argc - 1, argv + 1);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_help();
		return flushed(EXIT_GOOD, EXIT_MISUSE);
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		print_version();
		return flushed(EXIT_GOOD, EXIT_MISUSE);
	}
	return unknown_command(argv[1]);
}

/* A backend that calls exit(3) must not look like a command that succeeded. */
static bool returned;

static void on_exit_called(void)
{
	if (returned)
		return;
	fputs("drupe: a backend ended the program: take it out of the policy\n", stderr);
	_exit(EXIT_REFUSED);
}

int main(int argc, char **argv)
{
	int status;

	if (atexit(on_exit_called) != 0)
		return EXIT_REFUSED;
	status = run_main(argc, argv);
	returned = true;
	return status;
}
