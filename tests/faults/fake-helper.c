/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A network helper that lies or fails.  The backend under test is built with the path of
 * this program as its tool; what it does stands in the file PROGRAM.mode, one order a
 * line, words separated by tabs, done one after the other:
 *
 *   log FILE      a line with the words it was called with
 *   say TEXT      a line on stderr
 *   flood BYTES   so much on stderr, in lines; 0: without end
 *   sleep MS
 *   ready TEXT    to the descriptor of --ready-fd, which stays open
 *   close         that descriptor
 *   pid TEXT      to the file of --pid
 *   stubborn      neither SIGTERM nor the exit descriptor ends it
 *   wait          until the exit descriptor says so, or a signal comes
 *   exit N, signal N
 *
 * Called with --help only orders that begin with "help" count, in the same way: `help
 * TEXT` is a line on stdout, `help-stderr TEXT` one on stderr, and so `help-sleep MS`,
 * `help-exit N`, `help-flood BYTES`.  Without one of them it says what it must.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HELP "--netns-type=TYPE --userns-path=PATH\n"

struct fake {
	char **argv;
	bool stubborn;
};

/* The word after OPTION, or behind its "=". */
static const char *value_of(const struct fake *fake, const char *option)
{
	for (char **word = fake->argv; *word; word++)
		if (strcmp(*word, option) == 0 && word[1])
			return word[1];
	fprintf(stderr, "fake-helper: no %s\n", option);
	exit(90);
}

static void flood(int fd, long bytes)
{
	static char line[1024];

	memset(line, '.', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\n';
	for (long done = 0; bytes == 0 || done < bytes; done += (long)sizeof(line))
		if (write(fd, line, sizeof(line)) < 0)
			exit(91);
}

static void write_log(const struct fake *fake, const char *path)
{
	FILE *file = fopen(path, "ae");

	for (char **word = fake->argv; file && *word; word++)
		fprintf(file, "%s ", *word);
	if (!file || fputc('\n', file) == EOF || fclose(file) != 0)
		exit(92);
}

static void write_pid(const struct fake *fake, const char *text)
{
	int fd = open(value_of(fake, "--pid"), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		exit(93);
	close(fd);
}

static void wait_for_end(const struct fake *fake)
{
	struct pollfd end = { .fd = -1, .events = POLLIN };

	for (char **word = fake->argv; !fake->stubborn && *word; word++)
		if (strcmp(*word, "--exit-fd") == 0)
			end.fd = atoi(word[1]);
	poll(&end, 1, -1);
}

static void obey(struct fake *fake, const char *name, const char *text)
{
	long number = text ? strtol(text, NULL, 10) : 0;

	if (strcmp(name, "log") == 0)
		write_log(fake, text);
	else if (strcmp(name, "say") == 0)
		fprintf(stderr, "%s\n", text);
	else if (strcmp(name, "flood") == 0)
		flood(2, number);
	else if (strcmp(name, "sleep") == 0)
		usleep((unsigned)number * 1000);
	else if (strcmp(name, "ready") == 0)
		dprintf(atoi(value_of(fake, "--ready-fd")), "%s", text ? text : "");
	else if (strcmp(name, "close") == 0)
		close(atoi(value_of(fake, "--ready-fd")));
	else if (strcmp(name, "pid") == 0)
		write_pid(fake, text ? text : "");
	else if (strcmp(name, "stubborn") == 0)
		fake->stubborn = signal(SIGTERM, SIG_IGN) != SIG_ERR;
	else if (strcmp(name, "wait") == 0)
		wait_for_end(fake);
	else if (strcmp(name, "exit") == 0)
		exit((int)number);
	else if (strcmp(name, "signal") == 0)
		kill(getpid(), (int)number);
}

static void obey_help(const char *name, const char *text)
{
	long number = text ? strtol(text, NULL, 10) : 0;

	if (strcmp(name, "help") == 0)
		printf("%s\n", text ? text : "");
	else if (strcmp(name, "help-stderr") == 0)
		fprintf(stderr, "%s\n", text ? text : "");
	else if (strcmp(name, "help-flood") == 0)
		flood(1, number);
	else if (strcmp(name, "help-sleep") == 0)
		usleep((unsigned)number * 1000);
	else if (strcmp(name, "help-exit") == 0)
		exit((int)number);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct fake fake = { .argv = argv };
	bool help = argc == 2 && strcmp(argv[1], "--help") == 0, told = false;
	char line[4096];
	FILE *file;

	snprintf(line, sizeof(line), "%s.mode", argv[0]);
	file = fopen(line, "re");
	if (!file)
		return 94;
	while (fgets(line, sizeof(line), file)) {
		char *text = line, *name;

		line[strcspn(line, "\n")] = '\0';
		name = strsep(&text, "\t");
		if (!help) {
			obey(&fake, name, text);
		} else if (strncmp(name, "help", 4) == 0) {
			told = true;
			obey_help(name, text);
		}
	}
	if (help && !told)
		fputs(HELP, stdout);
	return 0;
}
