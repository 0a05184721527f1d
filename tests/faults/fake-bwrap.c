/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A launcher that lies.  The backend under test is built with -DBWRAP_PATH set to
 * this program; what it does stands in the file PROGRAM.mode, one order a line, words
 * separated by tabs.  In their order:
 *
 *   drop WORD...            leave these words out (they stand behind each other; one
 *                           that is called * may be any)
 *   swap WORD... => WORD... put others in their place
 *   add WORD...             more words, behind all mounts
 *   open PATH               keep a descriptor of it open
 *   nonblock OPTION         set O_NONBLOCK on the descriptor that OPTION names
 *   close OPTION            close it
 *   daemon                  leave a process behind, in a session of its own, with all
 *                           descriptors
 *   orphan                  the same, but only with the standard streams
 *   nameless                the guard is killed, and who waits at the gate, in a PID
 *                           namespace of its own, was never reported
 *   status TEXT             write a line to the descriptor of --json-status-fd
 *   say TEXT                write a line to stderr
 *   exit N, signal N        end so
 *
 * and then REAL_BWRAP is executed.  These are about its report, which a process
 * beside it passes on:
 *
 *   set KEY VALUE           another value, literally
 *   unset KEY               the line is left out
 *   insert TEXT             behind the opening brace
 *   pad N                   N spaces before it
 *   cut                     without the closing brace
 *   twice                   two documents
 *   slow                    byte by byte
 *   early                   nothing, and the descriptor is closed
 *   silent                  nothing, and the descriptor stays open
 *   hold                    all of it, and the descriptor stays open
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef REAL_BWRAP
#define REAL_BWRAP "/usr/bin/bwrap"
#endif

#define MAX_WORDS 4096
#define MAX_ORDERS 32
#define MAX_ORDER_WORDS 16

/* The executor looks in the program for what it can do: this one can what the real
 * one can. */
const char *const fake_features[] = {
#ifdef HAVE_BIND_FD
	"--bind-fd",
	"--ro-bind-fd",
#endif
	NULL,
};

struct order {
	char *words[MAX_ORDER_WORDS + 1];
	int count;
};

struct fake {
	char *argv[MAX_WORDS + 1];
	int argc;
	struct order orders[MAX_ORDERS];
	int n_orders;
};

static void die(const char *what)
{
	fprintf(stderr, "fake-bwrap: %s: %s\n", what, strerror(errno));
	exit(90);
}

static void read_orders(struct fake *fake, const char *program)
{
	static char text[16384];
	char path[4096], *rest = text, *line;
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "%s.mode", program);
	file = fopen(path, "re");
	if (!file)
		die(path);
	n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[n] = '\0';
	while ((line = strsep(&rest, "\n"))) {
		struct order *order = &fake->orders[fake->n_orders];
		char *word;

		if (!*line || fake->n_orders == MAX_ORDERS)
			continue;
		while ((word = strsep(&line, "\t")) && order->count < MAX_ORDER_WORDS)
			order->words[order->count++] = word;
		fake->n_orders++;
	}
}

static const struct order *find_order(const struct fake *fake, const char *name)
{
	for (int i = 0; i < fake->n_orders; i++)
		if (strcmp(fake->orders[i].words[0], name) == 0)
			return &fake->orders[i];
	return NULL;
}

/* ---- words ---- */

static int find_words(const struct fake *fake, char *const *words, int count)
{
	for (int at = 1; at + count <= fake->argc; at++) {
		int i = 0;

		while (i < count && (strcmp(words[i], "*") == 0 ||
				     strcmp(fake->argv[at + i], words[i]) == 0))
			i++;
		if (i == count)
			return at;
	}
	errno = ENOENT;
	die(words[0]);
	return -1;
}

/* COUNT words AT give way to N new ones. */
static void replace(struct fake *fake, int at, int count, char *const *words, int n)
{
	int rest = fake->argc - at - count;

	if (fake->argc + n - count > MAX_WORDS)
		die("too many words");
	memmove(fake->argv + at + n, fake->argv + at + count,
		(size_t)(rest + 1) * sizeof(*fake->argv));
	memcpy(fake->argv + at, words, (size_t)n * sizeof(*fake->argv));
	fake->argc += n - count;
}

static void swap(struct fake *fake, struct order *order)
{
	int middle = 1;

	while (middle < order->count && strcmp(order->words[middle], "=>") != 0)
		middle++;
	replace(fake, find_words(fake, order->words + 1, middle - 1), middle - 1,
		order->words + middle + 1, order->count - middle - 1);
}

static int descriptor_of(const struct fake *fake, char *option)
{
	return atoi(fake->argv[find_words(fake, &option, 1) + 1]);
}

/* ---- behaviour ---- */

static void leave_daemon(int last)
{
	if (fork() != 0)
		return;
	setsid();
	if (fork() != 0)
		_exit(0);
	for (int fd = last + 1; fd < 256; fd++)
		close(fd);
	for (int i = 1; i < NSIG; i++)
		(void)sigaction(i, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	for (;;)
		pause();
}

/* Its child holds what a launcher's child does; our own end comes with the guard's. */
static void leave_nameless(void)
{
	if (unshare(CLONE_NEWUSER | CLONE_NEWPID) < 0)
		die("unshare");
	if (fork() != 0) {
		kill(getppid(), SIGKILL);
		for (;;)
			pause();
	}
	for (;;)
		pause();
}

static void obey(struct fake *fake, struct order *order)
{
	static char chdir_word[] = "--chdir", status_word[] = "--json-status-fd";
	static char *chdir_words[] = { chdir_word };
	char **words = order->words;
	const char *name = words[0];

	if (strcmp(name, "drop") == 0)
		replace(fake, find_words(fake, words + 1, order->count - 1),
			order->count - 1, NULL, 0);
	else if (strcmp(name, "swap") == 0)
		swap(fake, order);
	else if (strcmp(name, "add") == 0)
		replace(fake, find_words(fake, chdir_words, 1), 0, words + 1,
			order->count - 1);
	else if (strcmp(name, "open") == 0 && open(words[1], O_RDONLY) < 0)
		die(words[1]);
	else if (strcmp(name, "nonblock") == 0)
		fcntl(descriptor_of(fake, words[1]), F_SETFL, O_NONBLOCK);
	else if (strcmp(name, "close") == 0)
		close(descriptor_of(fake, words[1]));
	else if (strcmp(name, "daemon") == 0)
		leave_daemon(255);
	else if (strcmp(name, "orphan") == 0)
		leave_daemon(2);
	else if (strcmp(name, "nameless") == 0)
		leave_nameless();
	else if (strcmp(name, "status") == 0)
		dprintf(descriptor_of(fake, status_word), "%s\n", words[1]);
	else if (strcmp(name, "say") == 0)
		fprintf(stderr, "%s\n", words[1]);
	else if (strcmp(name, "exit") == 0)
		exit(atoi(words[1]));
	else if (strcmp(name, "signal") == 0)
		kill(getpid(), atoi(words[1]));
}

/* ---- the report ---- */

static const char *const report_orders[] = {
	"set", "unset", "insert", "pad", "cut", "twice", "slow", "early", "silent", "hold"
};

static bool is_about_report(const struct fake *fake)
{
	for (size_t i = 0; i < sizeof(report_orders) / sizeof(report_orders[0]); i++)
		if (find_order(fake, report_orders[i]))
			return true;
	return false;
}

/* GONE bytes AT give way to FRESH; the buffer has room. */
static void splice_text(char *at, size_t gone, const char *fresh)
{
	char rest[8192];

	snprintf(rest, sizeof(rest), "%s", at + gone);
	sprintf(at, "%s%s", fresh, rest);
}

/* Each line of the report is `    "KEY": VALUE` with a comma behind it or not. */
static void edit(char *text, const struct order *order)
{
	char key[64], *at, *end;

	if (strcmp(order->words[0], "insert") == 0) {
		at = strchr(text, '{');
		if (at)
			splice_text(at + 1, 0, order->words[1]);
		return;
	}
	snprintf(key, sizeof(key), "\"%s\": ", order->words[1]);
	at = strstr(text, key);
	if (!at)
		return;
	if (strcmp(order->words[0], "set") == 0) {
		at += strlen(key);
		splice_text(at, strcspn(at, ",\n"), order->words[2]);
	} else {
		end = at + strcspn(at, ",}");
		splice_text(at, (size_t)(end - at) + (*end == ','), "");
	}
}

static void put(int fd, const char *text, size_t length, bool slow)
{
	for (size_t done = 0; done < length;) {
		ssize_t n = write(fd, text + done, slow ? 1 : length - done);

		if (n < 0)
			_exit(1);
		done += (size_t)n;
		if (slow)
			usleep(100);
	}
}

static void pass_on(const struct fake *fake, int from, int to)
{
	const struct order *pad = find_order(fake, "pad");
	bool slow = find_order(fake, "slow");
	char text[16384] = "";
	size_t used = 0;
	ssize_t n;

	while (used < 4096 && (n = read(from, text + used, 4096 - used)) > 0)
		used += (size_t)n;
	text[used] = '\0';
	for (int i = 0; i < fake->n_orders; i++)
		if (strcmp(fake->orders[i].words[0], "set") == 0 ||
		    strcmp(fake->orders[i].words[0], "unset") == 0 ||
		    strcmp(fake->orders[i].words[0], "insert") == 0)
			edit(text, &fake->orders[i]);
	if (find_order(fake, "cut") && strrchr(text, '}'))
		*strrchr(text, '}') = '\0';
	for (long i = pad ? atol(pad->words[1]) : 0; i > 0; i--)
		put(to, " ", 1, false);
	put(to, text, strlen(text), slow);
	if (find_order(fake, "twice"))
		put(to, text, strlen(text), slow);
}

/* Beside the real one, and no child of it: it knows nothing of this. */
static void interpose(struct fake *fake)
{
	static char option[] = "--info-fd", number[16];
	int to = descriptor_of(fake, option), ends[2];
	bool silent = find_order(fake, "silent"), hold = find_order(fake, "hold");

	if (pipe(ends) < 0)
		die("pipe");
	if (fork() != 0) {
		close(ends[0]);
		close(to);
		snprintf(number, sizeof(number), "%d", ends[1]);
		fake->argv[find_words(fake, (char *[]){ option }, 1) + 1] = number;
		return;
	}
	if (fork() != 0)
		_exit(0);
	for (int fd = 0; fd < 256; fd++)
		if (fd != to && fd != ends[0])
			close(fd);
	if (find_order(fake, "early"))
		close(to);
	else if (!silent)
		pass_on(fake, ends[0], to);
	if (silent || hold)
		for (;;)
			pause();
	if (find_order(fake, "early")) /* the real one must not die of SIGPIPE */
		while (read(ends[0], number, sizeof(number)) > 0)
			;
	_exit(0);
}

int main(int argc, char **argv)
{
	static struct fake fake;
	char *const none[] = { NULL };

	if (argc > MAX_WORDS)
		return 91;
	memcpy(fake.argv, argv, (size_t)argc * sizeof(*argv));
	fake.argc = argc;
	read_orders(&fake, argv[0]);
	for (int i = 0; i < fake.n_orders; i++)
		obey(&fake, &fake.orders[i]);
	if (is_about_report(&fake))
		interpose(&fake);
	execve(REAL_BWRAP, fake.argv, none);
	die(REAL_BWRAP);
}
