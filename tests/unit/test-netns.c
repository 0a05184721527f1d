/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * drupe-netns: in namespaces that a child holds, with routes that were there before.  A
 * route that it may not replace, to a network that it shall deny, is what it must tell.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "guard/netns.h"

#define SOON_MS 20000
#define MAX_WORDS 8
#define MAX_ROUTES 3

static char netns_program[4096];

/* ---- who holds the namespaces ---- */

struct route {
	const char *address; /* NULL: no more */
	unsigned char length, type;
	unsigned char table; /* 0: the main one */
};

struct holder {
	pid_t pid;
	int socket; /* a byte a route that is there; then an address, and its errno back
		     */
};

/* A route by netlink; 0 or an errno. */
static int add_route(const struct route *route)
{
	struct {
		struct nlmsghdr header;
		struct rtmsg route;
		struct rtattr attribute;
		unsigned char address[16];
	} request = { .header = { .nlmsg_type = RTM_NEWROUTE,
				  .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK |
						 NLM_F_CREATE } };
	struct {
		struct nlmsghdr header;
		struct nlmsgerr error;
		char more[512];
	} answer;
	int family = strchr(route->address, ':') ? AF_INET6 : AF_INET;
	size_t size = family == AF_INET ? 4 : 16;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	ssize_t n;

	request.route = (struct rtmsg){
		.rtm_family = (unsigned char)family,
		.rtm_dst_len = route->length,
		.rtm_table = route->table ? route->table : RT_TABLE_MAIN,
		.rtm_protocol = RTPROT_STATIC,
		.rtm_type = route->type,
	};
	request.attribute.rta_type = RTA_DST;
	request.attribute.rta_len = (unsigned short)RTA_LENGTH(size);
	inet_pton(family, route->address, request.address);
	request.header.nlmsg_len = (uint32_t)(offsetof(typeof(request), address) + size);
	n = send(fd, &request, request.header.nlmsg_len, 0);
	n = n < 0 ? n : recv(fd, &answer, sizeof(answer), 0);
	close(fd);
	return n < (ssize_t)NLMSG_LENGTH(sizeof(answer.error)) ? EIO
							       : -answer.error.error;
}

/* What a connection would see; nothing is sent. */
static int reach(const char *address)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int r;

	inet_pton(AF_INET, address, &to.sin_addr);
	r = connect(fd, (const struct sockaddr *)&to, sizeof(to)) < 0 ? errno : 0;
	close(fd);
	return r;
}

static _Noreturn void be_holder(int fd, const struct route *routes)
{
	char text[64];
	ssize_t n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0)
		_exit(77);
	for (size_t i = 0; i < MAX_ROUTES && routes[i].address; i++)
		if (add_route(&routes[i]) != 0)
			_exit(99);
	n = write(fd, "h", 1);
	while (n > 0 && (n = read(fd, text, sizeof(text) - 1)) > 0) {
		int errnum;

		text[n] = '\0';
		errnum = reach(text);
		n = write(fd, &errnum, sizeof(errnum));
	}
	_exit(0);
}

/* False: there are no such namespaces here. */
static bool hold(struct holder *holder, const struct route *routes)
{
	int ends[2], status;
	char byte;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	holder->pid = fork();
	if (holder->pid == 0) {
		close(ends[0]);
		be_holder(ends[1], routes);
	}
	close(ends[1]);
	holder->socket = ends[0];
	if (read(ends[0], &byte, 1) == 1)
		return true;
	close(ends[0]);
	waitpid(holder->pid, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 77);
	return false;
}

static void let_go(struct holder *holder)
{
	close(holder->socket);
	assert_int_equal(waitpid(holder->pid, NULL, 0), holder->pid);
}

static int errno_to(const struct holder *holder, const char *address)
{
	int errnum = -1;

	assert_true(write(holder->socket, address, strlen(address)) > 0);
	assert_true(read(holder->socket, &errnum, sizeof(errnum)) == sizeof(errnum));
	return errnum;
}

/* ---- drupe-netns ---- */

struct helper {
	pid_t pid;
	int control;
};

/* With the namespaces of HOLDER, and WORDS. */
static void start(struct helper *helper, const struct holder *holder,
		  const char *const *words)
{
	char texts[3][64], path[64];
	char *argv[MAX_WORDS + 5] = { netns_program, texts[0], texts[1], texts[2] };
	int ends[2], userns, netns;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	snprintf(path, sizeof(path), "/proc/%d/ns/user", holder->pid);
	userns = open(path, O_RDONLY);
	snprintf(path, sizeof(path), "/proc/%d/ns/net", holder->pid);
	netns = open(path, O_RDONLY);
	assert_true(userns >= 0 && netns >= 0);
	snprintf(texts[0], sizeof(texts[0]), "--control=%d", ends[1]);
	snprintf(texts[1], sizeof(texts[1]), "--userns=%d", userns);
	snprintf(texts[2], sizeof(texts[2]), "--netns=%d", netns);
	for (size_t i = 0; i < MAX_WORDS && words[i]; i++)
		argv[4 + i] = (char *)(uintptr_t)words[i];
	helper->pid = fork();
	if (helper->pid == 0) {
		fcntl(ends[1], F_SETFD, 0);
		execv(argv[0], argv);
		_exit(99);
	}
	close(ends[1]);
	close(userns);
	close(netns);
	helper->control = ends[0];
}

static struct netns_message hear(const struct helper *helper)
{
	struct netns_message message = { 0 };
	struct pollfd control = { .fd = helper->control, .events = POLLIN };

	assert_true(poll(&control, 1, SOON_MS) > 0);
	assert_true(recv(helper->control, &message, sizeof(message), 0) ==
		    sizeof(message));
	return message;
}

/* It ends when nobody listens any more. */
static int end(struct helper *helper)
{
	int status;

	close(helper->control);
	assert_int_equal(waitpid(helper->pid, &status, 0), helper->pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static struct netns_message deny(const struct helper *helper)
{
	const char order = NETNS_DENY;

	assert_int_equal(hear(helper).event, NETNS_JOINED);
	assert_int_equal(write(helper->control, &order, 1), 1);
	return hear(helper);
}

/* What it says of DENIED with ROUTES in place. */
static struct netns_message deny_among(const struct route *routes,
				       const char *const *denied)
{
	struct netns_message message;
	struct holder holder;
	struct helper helper;

	if (!hold(&holder, routes))
		skip();
	start(&helper, &holder, denied);
	message = deny(&helper);
	end(&helper);
	let_go(&holder);
	return message;
}

/* ---- tests ---- */

static void test_denied(void **state)
{
	static const struct route none[MAX_ROUTES];
	static const char *const words[] = { "--deny=10.0.0.0/8", "--deny=203.0.113.7/32",
					     "--deny=fc00::/7", NULL };
	struct holder holder;
	struct helper helper;

	(void)state;
	if (!hold(&holder, none))
		skip();
	assert_int_equal(errno_to(&holder, "10.1.2.3"), ENETUNREACH);
	start(&helper, &holder, words);
	assert_int_equal(deny(&helper).event, NETNS_DENIED);
	assert_int_equal(errno_to(&holder, "10.1.2.3"), EHOSTUNREACH);
	assert_int_equal(errno_to(&holder, "203.0.113.7"), EHOSTUNREACH);
	assert_int_equal(errno_to(&holder, "203.0.113.8"), ENETUNREACH);
	assert_int_equal(end(&helper), 0);
	let_go(&holder);
}

/* A route that denies already is as good as ours. */
static void test_there_already(void **state)
{
	static const struct route routes[MAX_ROUTES] = { { "10.0.0.0", 8, RTN_UNREACHABLE,
							   0 } };
	static const char *const words[] = { "--deny=10.0.0.0/8", NULL };

	(void)state;
	assert_int_equal(deny_among(routes, words).event, NETNS_DENIED);
}

/* The first of each row lets through, or leaves to other tables, what shall be denied;
 * the others look like the route that is missed, but for one thing. */
static void test_read_back(void **state)
{
	static const struct route rows[][MAX_ROUTES] = {
		{ { "10.0.0.0", 8, RTN_THROW, 0 } },
		{ { "10.0.0.0", 8, RTN_THROW, 0 },
		  { "10.0.0.0", 9, RTN_UNREACHABLE, 0 } },
		{ { "10.0.0.0", 8, RTN_THROW, 0 },
		  { "11.0.0.0", 8, RTN_UNREACHABLE, 0 } },
		{ { "10.0.0.0", 8, RTN_THROW, 0 }, { "a00::", 8, RTN_UNREACHABLE, 0 } },
		{ { "10.0.0.0", 8, RTN_THROW, 0 },
		  { "10.0.0.0", 8, RTN_UNREACHABLE, 100 } },
	};
	static const char *const words[] = { "--deny=192.0.2.0/24", "--deny=10.0.0.0/8",
					     NULL };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct netns_message message = deny_among(rows[i], words);

		assert_int_equal(message.event, NETNS_FAILED);
		assert_int_equal(message.what, NETNS_STEP_VERIFY);
		assert_int_equal(message.value, ENOENT);
	}
}

/* Bits behind the prefix: the kernel takes no such route. */
static void test_not_installed(void **state)
{
	static const struct route none[MAX_ROUTES];
	static const char *const words[] = { "--deny=10.1.2.3/8", NULL };
	struct netns_message message = deny_among(none, words);

	(void)state;
	assert_int_equal(message.event, NETNS_FAILED);
	assert_int_equal(message.what, NETNS_STEP_ROUTE);
	assert_int_equal(message.value, EINVAL);
}

/* Not where it was sent to: nothing is denied in the namespace of the caller. */
static void test_not_joined(void **state)
{
	static const struct route none[MAX_ROUTES];
	static const char *const words[] = { "--userns=0", "--deny=10.0.0.0/8", NULL };
	static const char *const other[] = { "--netns=99", NULL };
	struct netns_message message;
	struct holder holder;
	struct helper helper;

	(void)state;
	if (!hold(&holder, none))
		skip();
	start(&helper, &holder, words);
	assert_int_equal(end(&helper), 125);
	start(&helper, &holder, other);
	message = hear(&helper);
	assert_int_equal(message.event, NETNS_FAILED);
	assert_int_equal(message.what, NETNS_STEP_NETNS);
	assert_int_equal(end(&helper), 1);
	let_go(&holder);
}

static void test_bad_words(void **state)
{
	static const char *const bad[] = {
		"--deny=10.0.0.0",     "--deny=10.0.0.0/33", "--deny=10.0.0.0/-1",
		"--deny=10.0.0.0/8 ",  "--deny=10.0.0/8",    "--deny=::/129",
		"--deny=nowhere/8",    "--other=1",	     "--deny=",
		"--deny=10.0.0.0/8/8",
	};
	static const struct route none[MAX_ROUTES];
	struct holder holder;

	(void)state;
	if (!hold(&holder, none))
		skip();
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const char *const words[] = { bad[i], NULL };
		struct helper helper;

		start(&helper, &holder, words);
		assert_int_equal(end(&helper), 125);
	}
	let_go(&holder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_denied),	   cmocka_unit_test(test_there_already),
		cmocka_unit_test(test_read_back),  cmocka_unit_test(test_not_installed),
		cmocka_unit_test(test_not_joined), cmocka_unit_test(test_bad_words),
	};
	const char *guard = getenv("DRUPE_GUARD");
	const char *slash = guard ? strrchr(guard, '/') : NULL;

	if (!slash)
		return 99;
	signal(SIGPIPE, SIG_IGN);
	/* Beside it, as it is installed. */
	snprintf(netns_program, sizeof(netns_program), "%.*s/drupe-netns",
		 (int)(slash - guard), guard);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
