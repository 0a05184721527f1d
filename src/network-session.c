/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of the network that a session asks for once, before any run is held. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <poll.h>
#include <string.h>

#include "clock.h"
#include "fd.h"
#include "network.h"
#include "reap.h"
#include "spawn.h"

#define PROBE_MS 5000
#define PROBE_TEXT 65536
#define MAX_FILES 16

/* ---- the probe ------------------------------------------------------------------------
 */

static int unavailable(const struct backend *backend, int errnum, const char *what,
		       struct error *err)
{
	error_set(err, ERROR_NETWORK_UNAVAILABLE, errnum, "%s", what);
	error_hint(err,
		   "install a version of %s that has what is missing, or name another "
		   "network backend in the policy",
		   backend->object.tool);
	error_backend(err, slot_names[SLOT_NETWORK], backend->object.name);
	return errnum > 0 ? -errnum : -ENOTSUP;
}

static int not_started(const struct backend *backend, int errnum, struct error *err)
{
	error_set(err, ERROR_NETWORK_UNAVAILABLE, errnum, "%s cannot be started: %s",
		  backend->object.tool, strerror(errnum));
	error_hint(err,
		   "call `%s --help` to see why, or name another network backend in "
		   "the policy",
		   backend->object.tool);
	error_backend(err, slot_names[SLOT_NETWORK], backend->object.name);
	return -errnum;
}

/* Read until the end, at most until DEADLINE. */
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
	null = fd_above_stdio(open("/dev/null", O_RDONLY | O_CLOEXEC));
	argv_push(&words, backend->object.tool);
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

/* ---- resolver files
 * ----------------------------------------------------------------------- */

void network_files_free(struct resolver_file *files, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(files[i].dest);
		free(files[i].text);
	}
	free(files);
}

int network_files(const struct backend *backend, struct resolver_file **ret_files,
		  size_t *ret_count, struct error *err)
{
	struct resolver_file *files = calloc(MAX_FILES, sizeof(*files));
	size_t count = 0;
	int r = files ? 0 : -ENOMEM;

	while (r == 0) {
		char scratch[4096];
		struct drupe_resolver_file file = { NULL, NULL };

		registry_lock();
		r = backend->network.file(&backend->call, count, scratch, sizeof(scratch),
					  &file);
		registry_unlock();
		if (r < 0)
			break;
		if (count == MAX_FILES || !file.dest ||
		    strncmp(file.dest, "/etc/", 5) != 0) {
			r = -EINVAL;
			break;
		}
		files[count].dest = strdup(file.dest);
		files[count].text = file.text ? strdup(file.text) : NULL;
		r = !files[count].dest || (file.text && !files[count].text) ? -ENOMEM : 0;
		count++;
	}
	if (r != -ENOENT) {
		network_files_free(files, count);
		error_set(err, ERROR_BACKEND_FAILED, -r, "%s: its resolver files: %s",
			  backend->file, strerror(-r));
		error_backend(err, slot_names[SLOT_NETWORK], backend->object.name);
		return r;
	}
	*ret_files = files;
	*ret_count = count;
	return 0;
}

/* ---- what is denied
 * -------------------------------------------------------------------------- */

/* RFC 1918, RFC 6598, RFC 4193; RFC 3927, RFC 4291. */
static const struct {
	const char *word;
	const char *cidr;
} deny_table[] = {
	{ "private", "10.0.0.0/8" },
	{ "private", "172.16.0.0/12" },
	{ "private", "192.168.0.0/16" },
	{ "private", "100.64.0.0/10" },
	{ "private", "fc00::/7" },
	{ "link-local", "169.254.0.0/16" },
	/* Where clouds have their metadata in IPv6 (EC2, Compute Engine). */
	{ "link-local", "fd00:ec2::254/128" },
	{ "link-local", "fd20:ce::254/128" },
};

/* From a sandbox: not the loopback, which no helper lends, wherever it is set up; a
 * plain address on the interface lo is one of the host like others. */
static bool is_reachable(int family, const void *address)
{
	const struct in6_addr *in6 = address;
	const unsigned char *in4 = address;

	return family == AF_INET
		       ? in4[0] != 127
		       : !IN6_IS_ADDR_LOOPBACK(in6) && !IN6_IS_ADDR_LINKLOCAL(in6);
}

static void deny_host(const char *prefix, struct drupe_words *words)
{
	struct ifaddrs *list;

	if (getifaddrs(&list) < 0) {
		argv_fail(words, errno, "the host's addresses cannot be listed: %s",
			  strerror(errno));
		return;
	}
	for (const struct ifaddrs *at = list; at; at = at->ifa_next) {
		int family = at->ifa_addr ? at->ifa_addr->sa_family : AF_UNSPEC;
		const void *address =
			family == AF_INET
				? (const void *)&(
					  (const struct sockaddr_in *)(const void *)
						  at->ifa_addr)
					  ->sin_addr
				: (const void *)&(
					  (const struct sockaddr_in6 *)(const void *)
						  at->ifa_addr)
					  ->sin6_addr;
		char text[INET6_ADDRSTRLEN];

		if ((family != AF_INET && family != AF_INET6) ||
		    !is_reachable(family, address))
			continue;
		if (inet_ntop(family, address, text, sizeof(text)))
			argv_pushf(words, "%s%s/%d", prefix, text,
				   family == AF_INET ? 32 : 128);
	}
	freeifaddrs(list);
}

void network_deny_words(const struct strings *deny, const char *prefix,
			struct drupe_words *words)
{
	for (size_t i = 0; i < deny->count; i++) {
		const char *word = deny->items[i];

		if (strchr(word, '/'))
			argv_pushf(words, "%s%s", prefix, word);
		else if (strcmp(word, "host") == 0)
			deny_host(prefix, words);
		for (size_t j = 0; j < sizeof(deny_table) / sizeof(deny_table[0]); j++)
			if (strcmp(word, deny_table[j].word) == 0)
				argv_pushf(words, "%s%s", prefix, deny_table[j].cidr);
	}
}
