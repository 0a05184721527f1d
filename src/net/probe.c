/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether the network helper has what drupe needs. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/reap.h"
#include "base/spawn.h"
#include "net/network.h"

#define PROBE_MS 5000
#define PROBE_TEXT 65536

static int unavailable(const struct backend *backend, int errnum, const char *what,
		       struct error *err)
{
	error_set(err, ERROR_NETWORK_UNAVAILABLE, errnum, "%s", what);
	error_hint(err,
		   "install a version of %s that has what is missing, or name another "
		   "network backend in the policy",
		   backend_tool(backend));
	error_backend(err, slot_names[SLOT_NETWORK], backend->object.name);
	return errnum > 0 ? -errnum : -ENOTSUP;
}

static int not_started(const struct backend *backend, int errnum, struct error *err)
{
	error_set(err, ERROR_NETWORK_UNAVAILABLE, errnum, "%s cannot be started: %s",
		  backend_tool(backend), strerror(errnum));
	error_hint(err,
		   "run `%s --help` to see why, or name another network backend in "
		   "the policy",
		   backend_tool(backend));
	error_backend(err, slot_names[SLOT_NETWORK], backend->object.name);
	return -errnum;
}

/* Read to the end, or until DEADLINE. */
static void read_text(int fd, char *text, size_t size, int64_t deadline)
{
	size_t used = 0;

	while (used < size - 1) {
		struct pollfd output = { .fd = fd, .events = POLLIN };
		ssize_t n;

		if (poll_until(&output, 1, deadline) <= 0)
			break;
		n = read(fd, text + used, size - 1 - used);
		if (n <= 0)
			break;
		used += (size_t)n;
	}
	text[used] = '\0';
}

static int run_probe(const struct backend *backend, const struct identity *identity,
		     char *text, size_t size, struct error *err)
{
	static char *const no_environment[] = { NULL };
	_cleanup_argv_ struct drupe_words words = { 0 };
	_cleanup_close_ int output = -1, end = -1, null = -1, pidfd = -1;
	struct spawn spawn = { .envp = no_environment, .identity = identity };
	int r = fd_pipe(&output, &end, err);

	if (r < 0)
		return r;
	r = fd_null(O_RDONLY, &null, err);
	if (r < 0)
		return r;
	argv_push(&words, backend_tool(backend));
	for (const char *const *word = backend->network.probe; *word; word++)
		argv_push(&words, *word);
	r = argv_check(&words, ERROR_SYSTEM, err);
	if (r < 0)
		return r;
	spawn.argv = words.words;
	spawn.stdio[0] = null;
	spawn.stdio[1] = spawn.stdio[2] = end;
	r = spawn_process(&spawn, NULL, &pidfd, err);
	if (r < 0)
		return not_started(backend, -r, err);
	close_fd(&end);
	read_text(output, text, size, deadline_in_ms(PROBE_MS));
	reap(&pidfd, 0, NULL);
	return 0;
}

int network_probe(const struct backend *backend, const struct identity *identity,
		  struct error *err)
{
	char *text;
	int r = 0;

	if (!backend->network.probe || !backend->network.probe_needs)
		return 0;
	text = malloc(PROBE_TEXT);
	if (!text)
		return error_set(err, ERROR_SYSTEM, ENOMEM, "out of memory");
	r = run_probe(backend, identity, text, PROBE_TEXT, err);
	for (const char *const *need = backend->network.probe_needs; r == 0 && *need;
	     need++)
		if (!strstr(text, *need))
			r = unavailable(backend, 0, backend->network.probe_message, err);
	free(text);
	return r;
}
