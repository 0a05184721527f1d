/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "network.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>

#include "clock.h"
#include "fd.h"
#include "netns.h"
#include "reap.h"
#include "run.h"
#include "spawn.h"

/* A helper is ready in milliseconds; this is for machines under great load. */
#define READY_MS 20000
#define STOP_MS 1000

static char *const no_environment[] = { NULL };

static const struct backend *backend_of(const struct run *run)
{
	return run->grant->network;
}

static int failed(const struct run *run, struct error *err, int errnum, const char *what)
{
	const struct backend *backend = backend_of(run);

	error_set(err, ERROR_NETWORK_FAILED, errnum, "%s: %s%s%s", backend->object.tool,
		  what, errnum ? ": " : "", errnum ? strerror(errnum) : "");
	error_hint(err, "`drupe preflight --network` looks for the cause");
	error_backend(err, slot_names[SLOT_NETWORK], backend->object.name);
	return errnum > 0 ? -errnum : -EIO;
}

/* ---- the process in the namespaces --------------------------------------------------
 */

static int joiner_failed(const struct run *run, const struct netns_message *message,
			 struct error *err)
{
	static const char *const steps[] = {
		[NETNS_STEP_ARGUMENTS] = "drupe-netns: its arguments",
		[NETNS_STEP_USERNS] = "joining the user namespace",
		[NETNS_STEP_NETNS] = "joining the network namespace",
		[NETNS_STEP_TUN] = "/dev/net/tun",
		[NETNS_STEP_TAP] = "making the tap device",
		[NETNS_STEP_ROUTE] = "installing a route of network_deny",
		[NETNS_STEP_VERIFY] = "a route of network_deny, read back",
	};
	size_t step = message->what < sizeof(steps) / sizeof(steps[0]) ? message->what
								       : 0;
	int r = failed(run, err, message->value, step ? steps[step] : "drupe-netns");

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

/* Wait for EVENT of drupe-netns. */
static int await_joiner(struct run *run, uint32_t event, int64_t deadline,
			struct error *err)
{
	struct network *network = &run->network;

	for (;;) {
		struct pollfd control = { .fd = network->joiner_control,
					  .events = POLLIN };
		struct netns_message message;
		int r = run_wait(run, &control, 1, deadline);
		ssize_t n;

		if (r < 0)
			return failed(run, err, -r, "drupe-netns did not answer");
		if (!control.revents)
			continue;
		n = recv(network->joiner_control, &message, sizeof(message),
			 MSG_DONTWAIT);
		if (n != (ssize_t)sizeof(message))
			return failed(run, err, 0, "drupe-netns ended");
		if (message.event == NETNS_FAILED)
			return joiner_failed(run, &message, err);
		if (message.event == event)
			return 0;
	}
}

static int spawn_joiner(struct run *run, int control, const int stdio[3],
			struct error *err)
{
	const struct session *session = run->session;
	const struct drupe_network_ops *ops = &backend_of(run)->network;
	struct network *network = &run->network;
	_cleanup_argv_ struct drupe_words words = { 0 };
	const int inherit[] = { control, run->held.userns, run->held.netns };
	struct spawn spawn = {
		.envp = no_environment,
		.stdio = { stdio[0], stdio[1], stdio[2] },
		.inherit = inherit,
		.n_inherit = 3,
		.identity = &session->identity,
	};
	int r;

	argv_push(&words, session->paths->netns);
	argv_pushf(&words, "--control=%d", control);
	argv_pushf(&words, "--userns=%d", run->held.userns);
	argv_pushf(&words, "--netns=%d", run->held.netns);
	if (ops->tap)
		argv_pushf(&words, "--tap=%s", ops->tap);
	network_deny_words(&session->profile->network_deny, "--deny=", &words);
	r = argv_check(&words, ERROR_SYSTEM, err);
	if (r < 0)
		return r;
	spawn.argv = words.words;
	return spawn_process(&spawn, &network->joiner, &network->joiner_pidfd, err);
}

int network_join(struct run *run, struct error *err)
{
	_cleanup_close_ int control = -1, null = -1;
	int ends[2], stdio[3];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return failed(run, err, errno, "cannot make a socket");
	run->network.joiner_control = fd_above_stdio(ends[0]);
	control = fd_above_stdio(ends[1]);
	null = fd_above_stdio(open("/dev/null", O_RDWR | O_CLOEXEC));
	if (null < 0 || control < 0 || run->network.joiner_control < 0)
		return failed(run, err, EMFILE, "cannot get a descriptor");
	stdio[0] = stdio[1] = stdio[2] = null;
	return spawn_joiner(run, control, stdio, err);
}

/* ---- the helper -----------------------------------------------------------------------
 */

/* What tells the cause stands at the end: the last of the text is kept. */
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

	/* What a pipe holds and more, but not without end: it may come faster than it can
	 * be read. */
	for (int i = 0; i < 256 && network->output >= 0; i++) {
		ssize_t n = read(network->output, buffer, sizeof(buffer));

		if (n == 0)
			close_fd(&network->output);
		if (n <= 0)
			return;
		keep_text(network, buffer, (size_t)n);
	}
}

/* Why the helper did not get ready, in its own words. */
static int helper_failed(struct run *run, const char *what, struct error *err)
{
	struct network *network = &run->network;
	char text[NETWORK_TEXT + 128];
	size_t n;

	network_read_output(network);
	n = strlen(network->text);
	while (n > 0 && network->text[n - 1] == '\n')
		network->text[--n] = '\0';
	snprintf(text, sizeof(text), "%s%s%s", what, n ? ": " : "", network->text);
	return failed(run, err, 0, text);
}

/* The ends that the helper gets. */
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

static int open_ends(struct run *run, struct helper_ends *ends, struct error *err)
{
	const struct identity *identity = &run->session->identity;
	struct network *network = &run->network;
	int r = fd_pipe(&network->ready, &ends->ready, err);

	if (r == 0)
		r = fd_pipe(&ends->exit, &network->exit, err);
	if (r == 0)
		r = fd_pipe(&network->output, &ends->output, err);
	if (r < 0)
		return r;
	ends->null = fd_above_stdio(open("/dev/null", O_RDONLY | O_CLOEXEC));
	if (ends->null < 0)
		return error_set(err, ERROR_SYSTEM, -ends->null,
				 "cannot open /dev/null: %s", strerror(-ends->null));
	/* A helper that opens it by its path opens it as the user who runs it. */
	if (identity->drop && fchown(ends->ready, identity->uid, identity->gid) < 0)
		return error_set(err, ERROR_SYSTEM, errno,
				 "cannot give a pipe to the helper: %s", strerror(errno));
	(void)fcntl(network->ready, F_SETFL, O_NONBLOCK);
	(void)fcntl(network->output, F_SETFL, O_NONBLOCK);
	return 0;
}

static bool by_pidfile(const struct run *run)
{
	return backend_of(run)->network.ready == DRUPE_READY_PIDFILE;
}

/* R6: the helper gets two paths, of the pinned handles or of the process that holds
 * them, and never the child's pid. */
static void helper_words(const struct run *run, const struct helper_ends *ends,
			 struct drupe_words *words)
{
	const struct backend *backend = backend_of(run);
	char netns[64], userns[64], ready[16], exit_word[16];
	const struct drupe_attach attach = {
		.size = sizeof(attach),
		.netns = netns,
		.userns = userns,
		.ready = ready,
		.exit = exit_word,
	};

	if (backend->network.holder) {
		snprintf(netns, sizeof(netns), "/proc/%d/ns/net", run->network.joiner);
		snprintf(userns, sizeof(userns), "/proc/%d/ns/user", run->network.joiner);
	} else {
		snprintf(netns, sizeof(netns), "/proc/self/fd/%d", run->held.netns);
		snprintf(userns, sizeof(userns), "/proc/self/fd/%d", run->held.userns);
	}
	if (by_pidfile(run))
		snprintf(ready, sizeof(ready), "/proc/self/fd/0");
	else
		snprintf(ready, sizeof(ready), "%d", ends->ready);
	snprintf(exit_word, sizeof(exit_word), "%d", ends->exit);
	registry_lock();
	backend->network.words(&backend->call, &attach, words);
	registry_unlock();
}

/* What it gets beside the standard streams.  The file that tells its pid is a pipe, its
 * standard input: no command sees that, it cannot outlive the run, and it is there for
 * a helper that closes what it inherits. */
static size_t inheritance(const struct run *run, const struct helper_ends *ends,
			  int (*ret_fds)[4])
{
	size_t n = 0;

	if (!by_pidfile(run))
		(*ret_fds)[n++] = ends->ready;
	if (backend_of(run)->network.stop == DRUPE_STOP_EXIT_FD)
		(*ret_fds)[n++] = ends->exit;
	if (!backend_of(run)->network.holder) {
		(*ret_fds)[n++] = run->held.netns;
		(*ret_fds)[n++] = run->held.userns;
	}
	return n;
}

static int spawn_helper(struct run *run, const struct helper_ends *ends,
			struct error *err)
{
	const struct backend *backend = backend_of(run);
	struct network *network = &run->network;
	_cleanup_argv_ struct drupe_words words = { 0 };
	int inherit[4], r;
	struct spawn spawn = {
		.envp = no_environment,
		.stdio = { by_pidfile(run) ? ends->ready : ends->null, ends->output,
			   ends->output },
		.inherit = inherit,
		.n_inherit = inheritance(run, ends, &inherit),
		.identity = &run->session->identity,
	};

	helper_words(run, ends, &words);
	r = argv_check(&words, ERROR_BACKEND_FAILED, err);
	if (r == 0 &&
	    (words.count == 0 || strcmp(words.words[0], backend->object.tool) != 0))
		r = error_set(err, ERROR_BACKEND_FAILED, EINVAL,
			      "%s: its words do not start with its tool", backend->file);
	if (r < 0)
		return r;
	spawn.argv = words.words;
	r = spawn_process(&spawn, NULL, &network->helper_pidfd, err);
	return r < 0 ? failed(run, err, -r, "cannot be started") : 0;
}

static bool is_gone(int pidfd)
{
	struct pollfd process = { .fd = pidfd, .events = POLLIN };

	return pidfd < 0 || poll(&process, 1, 0) > 0;
}

enum answer { ANSWER_WAIT, ANSWER_READY, ANSWER_NONE, ANSWER_WRONG };

/* Exactly "1", then the end of the pipe; or, in a pid file, anything. */
static enum answer read_answer(struct run *run, char *answer, size_t size, size_t *used)
{
	ssize_t n = read(run->network.ready, answer + *used, size - *used);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return ANSWER_WAIT;
	if (n > 0)
		*used += (size_t)n;
	if (n > 0 && by_pidfile(run))
		return ANSWER_READY;
	if (n > 0 && *used < size)
		return ANSWER_WAIT;
	if (n == 0 && *used == 0)
		return ANSWER_NONE;
	return n == 0 && *used == 1 && answer[0] == '1' ? ANSWER_READY : ANSWER_WRONG;
}

/* A helper that is ready, and goes on living. */
static int await_ready(struct run *run, int64_t deadline, struct error *err)
{
	struct network *network = &run->network;
	enum answer state;
	char answer[8];
	size_t used = 0;

	for (;;) {
		struct pollfd fds[] = {
			{ .fd = network->ready, .events = POLLIN },
			{ .fd = network->output, .events = POLLIN },
			{ .fd = run->held.pidfd, .events = POLLIN },
		};
		int r = run_wait(run, fds, 3, deadline);

		if (r < 0)
			return helper_failed(run,
					     r == -ECANCELED ? "cancelled"
							     : "was not ready in time",
					     err);
		if (fds[2].revents)
			return run_launcher_failure(run, err);
		if (fds[1].revents)
			network_read_output(network);
		state = fds[0].revents ? read_answer(run, answer, sizeof(answer), &used)
				       : ANSWER_WAIT;
		if (state == ANSWER_READY && !is_gone(network->helper_pidfd))
			return 0;
		if (state != ANSWER_WAIT)
			return helper_failed(
				run,
				state == ANSWER_WRONG
					? "did not signal readiness as it should"
					: "ended without getting ready",
				err);
	}
}

static int start_helper(struct run *run, int64_t deadline, struct error *err)
{
	struct helper_ends ends = { -1, -1, -1, -1 };
	int r = open_ends(run, &ends, err);

	if (r == 0)
		r = spawn_helper(run, &ends, err);
	close_ends(&ends);
	return r < 0 ? r : await_ready(run, deadline, err);
}

static int deny(struct run *run, int64_t deadline, struct error *err)
{
	const char order = NETNS_DENY;

	if (run->session->profile->network_deny.count == 0)
		return 0;
	if (send(run->network.joiner_control, &order, 1, MSG_NOSIGNAL) != 1)
		return failed(run, err, errno, "drupe-netns is gone");
	return await_joiner(run, NETNS_DENIED, deadline, err);
}

/* It holds nothing the helper still needs once that is ready. */
static void end_joiner(struct network *network)
{
	close_fd(&network->joiner_control);
	reap(&network->joiner_pidfd, 0, NULL);
}

int network_attach(struct run *run, struct error *err)
{
	int64_t deadline = deadline_in_ms(READY_MS);
	int r = await_joiner(run, NETNS_JOINED, deadline, err);

	if (r == 0)
		r = start_helper(run, deadline, err);
	if (r == 0)
		r = deny(run, deadline, err);
	end_joiner(&run->network);
	/* Spec 5.4.6: closed as soon as the helper is ready. */
	close_fd(&run->held.netns);
	close_fd(&run->held.userns);
	if (r == 0 && is_gone(run->network.helper_pidfd))
		r = helper_failed(run, "ended right after it was ready", err);
	/* An open handle keeps a namespace alive after its processes: look at the child.
	 */
	if (r == 0 && is_gone(run->held.pidfd))
		r = run_launcher_failure(run, err);
	return r;
}

void network_stop(struct run *run)
{
	struct network *network = &run->network;
	const struct backend *backend = backend_of(run);

	end_joiner(network);
	close_fd(&network->exit);
	if (network->helper_pidfd >= 0 && backend->network.stop == DRUPE_STOP_SIGNAL)
		(void)pidfd_send_signal(network->helper_pidfd, SIGTERM, NULL, 0);
	reap(&network->helper_pidfd, STOP_MS, NULL);
	close_fd(&network->ready);
	close_fd(&network->output);
}
