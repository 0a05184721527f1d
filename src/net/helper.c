/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The two processes of a network: drupe-netns, which joins the namespaces, and the
 * helper. */
#include "net/network.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>

#include "backend/call.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/reap.h"
#include "base/spawn.h"
#include "guard/netns.h"

#define STOP_MS 1000

static char *const no_environment[] = { NULL };

int network_failed(const struct network *network, int errnum, const char *what,
		   struct error *err)
{
	const struct backend *backend = network->backend;

	error_set(err, ERROR_NETWORK_FAILED, errnum, "%s: %s%s%s", backend_tool(backend),
		  what, errnum ? ": " : "", errnum ? strerror(errnum) : "");
	error_hint(err, "`drupe preflight --network` looks for the cause");
	error_backend(err, slot_names[SLOT_NETWORK], backend->object.name);
	return errnum > 0 ? -errnum : -EIO;
}

/* ---- the process in the namespaces ---- */

static int joiner_failed(const struct network *network,
			 const struct netns_message *message, struct error *err)
{
	static const char *const steps[] = {
		[NETNS_STEP_ARGUMENTS] = "reading the arguments of drupe-netns",
		[NETNS_STEP_USERNS] = "joining the user namespace",
		[NETNS_STEP_NETNS] = "joining the network namespace",
		[NETNS_STEP_TUN] = "/dev/net/tun",
		[NETNS_STEP_TAP] = "making the tap device",
		[NETNS_STEP_ROUTE] = "installing a route of network_deny",
		[NETNS_STEP_VERIFY] = "reading back a route of network_deny",
	};
	size_t step = message->what < sizeof(steps) / sizeof(steps[0]) ? message->what
								       : 0;
	int r = network_failed(network, message->value,
			       step ? steps[step] : "drupe-netns", err);

	if (step == NETNS_STEP_VERIFY)
		error_hint(err,
			   "does network_deny name the sandbox's own network, or the "
			   "default route? Change that, or the helper's cidr");
	if (step == NETNS_STEP_TUN && message->value == ENOENT)
		error_hint(err,
			   "load the tun module (modprobe tun), or give the container "
			   "the device /dev/net/tun");
	else if (step == NETNS_STEP_TUN)
		error_hint(err,
			   "make it accessible (chmod 0666 /dev/net/tun), as udev does");
	return r;
}

int network_joiner_said(struct network *network, uint32_t event, struct error *err)
{
	struct netns_message message;
	ssize_t n = recv(network->joiner_control, &message, sizeof(message),
			 MSG_DONTWAIT);

	if (n != (ssize_t)sizeof(message))
		return network_failed(network, 0, "drupe-netns ended", err);
	if (message.event == NETNS_FAILED)
		return joiner_failed(network, &message, err);
	return message.event == event;
}

static int spawn_joiner(struct network *network, const char *program,
			const struct strings *deny, int control, int null,
			struct error *err)
{
	const struct drupe_network_ops *ops = &network->backend->network;
	_cleanup_argv_ struct drupe_words words = { 0 };
	const int inherit[] = { control, network->userns, network->netns };
	struct spawn spawn = {
		.envp = no_environment,
		.stdio = { null, null, null },
		.inherit = inherit,
		.n_inherit = 3,
		.identity = network->identity,
	};
	int r;

	argv_push(&words, program);
	argv_pushf(&words, "--control=%d", control);
	argv_pushf(&words, "--userns=%d", network->userns);
	argv_pushf(&words, "--netns=%d", network->netns);
	if (ops->tap)
		argv_pushf(&words, "--tap=%s", ops->tap);
	network_deny_words(deny, "--deny=", &words);
	r = argv_check(&words, ERROR_SYSTEM, err);
	if (r < 0)
		return r;
	spawn.argv = words.words;
	return spawn_process(&spawn, &network->joiner, &network->joiner_pidfd, err);
}

int network_join(struct network *network, const char *program, const struct strings *deny,
		 struct error *err)
{
	_cleanup_close_ int control = -1, null = -1;
	int r = fd_lifeline(&network->joiner_control, &control, err);

	if (r == 0)
		r = fd_null(O_RDWR, &null, err);
	if (r == 0)
		r = spawn_joiner(network, program, deny, control, null, err);
	return r;
}

int network_deny(struct network *network, struct error *err)
{
	const char order = NETNS_DENY;

	if (send(network->joiner_control, &order, 1, MSG_NOSIGNAL) != 1)
		return network_failed(network, errno, "drupe-netns is gone", err);
	return 0;
}

void network_end_joiner(struct network *network)
{
	close_fd(&network->joiner_control);
	reap(&network->joiner_pidfd, 0, NULL);
}

/* ---- the helper ---- */

/* Keep the end: the cause comes last. */
static void keep_text(struct network *network, const char *more, size_t n)
{
	const size_t room = sizeof(network->text) - 1;
	size_t used = strlen(network->text), gone = used + n > room ? used + n - room : 0;

	memmove(network->text, network->text + gone, used - gone);
	memcpy(network->text + used - gone, more, n);
	network->text[used - gone + n] = '\0';
}

void network_read_output(struct network *network)
{
	char buffer[NETWORK_TEXT / 2];

	/* More than a pipe holds, but bounded: the helper may write faster than we
	 * read. */
	for (int i = 0; i < 256 && network->output >= 0; i++) {
		ssize_t n = read(network->output, buffer, sizeof(buffer));

		if (n == 0)
			close_fd(&network->output);
		if (n <= 0)
			return;
		keep_text(network, buffer, (size_t)n);
	}
}

int network_helper_failed(struct network *network, const char *what, struct error *err)
{
	char text[NETWORK_TEXT + 128];
	size_t n;

	network_read_output(network);
	n = strlen(network->text);
	while (n > 0 && network->text[n - 1] == '\n')
		network->text[--n] = '\0';
	snprintf(text, sizeof(text), "%s%s%s", what, n ? ": " : "", network->text);
	return network_failed(network, 0, text, err);
}

/* The helper's ends of the pipes. */
struct helper_ends {
	int ready, exit, output, null;
};

static void close_ends(struct helper_ends *ends)
{
	close_fd(&ends->ready);
	close_fd(&ends->exit);
	close_fd(&ends->output);
	close_fd(&ends->null);
}

static int open_ends(struct network *network, struct helper_ends *ends, struct error *err)
{
	const struct identity *identity = network->identity;
	int r = fd_pipe(&network->ready, &ends->ready, err);

	if (r == 0)
		r = fd_pipe(&ends->exit, &network->exit, err);
	if (r == 0)
		r = fd_pipe(&network->output, &ends->output, err);
	if (r == 0)
		r = fd_null(O_RDONLY, &ends->null, err);
	if (r < 0)
		return r;
	/* A helper that opens it by path does so as its own user. */
	if (identity->drop && fchown(ends->ready, identity->uid, identity->gid) < 0)
		return error_set(err, ERROR_SYSTEM, errno,
				 "cannot give a pipe to the helper: %s", strerror(errno));
	(void)fcntl(network->ready, F_SETFL, O_NONBLOCK);
	(void)fcntl(network->output, F_SETFL, O_NONBLOCK);
	return 0;
}

static bool by_pidfile(const struct network *network)
{
	return network->backend->network.ready == DRUPE_READY_PIDFILE;
}

/* R6: paths of the pinned handles, or of the process that holds them; never the child's
 * pid. */
static void helper_words(const struct network *network, const struct helper_ends *ends,
			 struct drupe_words *words)
{
	const struct backend *backend = network->backend;
	char netns[64], userns[64], ready[16], exit_word[16];
	const struct drupe_attach attach = {
		.size = sizeof(attach),
		.netns = netns,
		.userns = userns,
		.ready = ready,
		.exit = exit_word,
	};

	if (backend->network.holder) {
		snprintf(netns, sizeof(netns), "/proc/%d/ns/net", network->joiner);
		snprintf(userns, sizeof(userns), "/proc/%d/ns/user", network->joiner);
	} else {
		snprintf(netns, sizeof(netns), "/proc/self/fd/%d", network->netns);
		snprintf(userns, sizeof(userns), "/proc/self/fd/%d", network->userns);
	}
	if (by_pidfile(network))
		snprintf(ready, sizeof(ready), "/proc/self/fd/0");
	else
		snprintf(ready, sizeof(ready), "%d", ends->ready);
	snprintf(exit_word, sizeof(exit_word), "%d", ends->exit);
	call_network_words(backend, &attach, words);
}

/* What the helper inherits beyond the standard streams.  A pid file is a pipe on its
 * stdin: no command sees it, it cannot outlive the run, and a helper that closes what it
 * inherits keeps it. */
static size_t inheritance(const struct network *network, const struct helper_ends *ends,
			  int (*ret_fds)[4])
{
	size_t n = 0;

	if (!by_pidfile(network))
		(*ret_fds)[n++] = ends->ready;
	if (network->backend->network.stop == DRUPE_STOP_EXIT_FD)
		(*ret_fds)[n++] = ends->exit;
	if (!network->backend->network.holder) {
		(*ret_fds)[n++] = network->netns;
		(*ret_fds)[n++] = network->userns;
	}
	return n;
}

static int spawn_helper(struct network *network, const struct helper_ends *ends,
			struct error *err)
{
	const struct backend *backend = network->backend;
	_cleanup_argv_ struct drupe_words words = { 0 };
	int inherit[4], r;
	struct spawn spawn = {
		.envp = no_environment,
		.stdio = { by_pidfile(network) ? ends->ready : ends->null, ends->output,
			   ends->output },
		.inherit = inherit,
		.n_inherit = inheritance(network, ends, &inherit),
		.identity = network->identity,
	};

	helper_words(network, ends, &words);
	r = argv_check(&words, ERROR_BACKEND_FAILED, err);
	if (r == 0 && !backend_runs_tool(backend, &words))
		r = error_set(err, ERROR_BACKEND_FAILED, EINVAL,
			      "%s: its words do not start with its tool", backend->file);
	if (r < 0)
		return r;
	spawn.argv = words.words;
	r = spawn_process(&spawn, NULL, &network->helper_pidfd, err);
	return r < 0 ? network_failed(network, -r, "cannot be started", err) : 0;
}

bool network_helper_is_gone(const struct network *network)
{
	struct pollfd process = { .fd = network->helper_pidfd, .events = POLLIN };

	return network->helper_pidfd < 0 || poll(&process, 1, 0) > 0;
}

/* Exactly "1", then EOF; or anything at all in a pid file. */
int network_helper_said(struct network *network, struct error *err)
{
	const size_t size = sizeof(network->answer), used = network->n_answer;
	ssize_t n = read(network->ready, network->answer + used, size - used);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n > 0)
		network->n_answer += (size_t)n;
	if (n > 0 && !by_pidfile(network) && network->n_answer < size)
		return 0;
	if (n == 0 && used == 0)
		return network_helper_failed(network, "ended without getting ready", err);
	if (!(n > 0 && by_pidfile(network)) &&
	    !(n == 0 && used == 1 && network->answer[0] == '1'))
		return network_helper_failed(network,
					     "did not signal readiness correctly", err);
	if (network_helper_is_gone(network))
		return network_helper_failed(network, "ended without getting ready", err);
	return 1;
}

int network_start(struct network *network, struct error *err)
{
	struct helper_ends ends = { -1, -1, -1, -1 };
	int r = open_ends(network, &ends, err);

	if (r == 0)
		r = spawn_helper(network, &ends, err);
	close_ends(&ends);
	return r;
}

void network_stop(struct network *network)
{
	const struct backend *backend = network->backend;

	network_end_joiner(network);
	close_fd(&network->exit);
	if (network->helper_pidfd >= 0 && backend->network.stop == DRUPE_STOP_SIGNAL)
		(void)pidfd_send_signal(network->helper_pidfd, SIGTERM, NULL, 0);
	reap(&network->helper_pidfd, STOP_MS, NULL);
	close_fd(&network->ready);
	close_fd(&network->output);
}
