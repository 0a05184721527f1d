/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "base/argv.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/reap.h"
#include "base/spawn.h"
#include "guard/guard.h"

#define START_MS 30000
#define STOP_MS 60000 /* the tmp may be large */

static int spawn_keeper(struct keeper *keeper, const char *guard, const char *tmp,
			const struct identity *identity, int control, struct error *err)
{
	static char *const no_environment[] = { NULL };
	_cleanup_argv_ struct drupe_words words = { 0 };
	_cleanup_close_ int null = -1;
	struct spawn spawn = {
		.envp = no_environment,
		.inherit = &control,
		.n_inherit = 1,
		.identity = identity,
	};
	int r = fd_null(O_RDWR, &null, err);

	if (r < 0)
		return r;
	argv_push(&words, guard);
	argv_pushf(&words, "--control=%d", control);
	argv_pushf(&words, "--tmp=%s", tmp);
	argv_push(&words, "--make-tmp=-");
	r = argv_check(&words, ERROR_SYSTEM, err);
	if (r < 0)
		return r;
	spawn.argv = words.words;
	spawn.stdio[0] = spawn.stdio[1] = spawn.stdio[2] = null;
	return spawn_process(&spawn, NULL, &keeper->pidfd, err);
}

static int failed(struct error *err, int errnum, const struct identity *identity)
{
	error_set(err, ERROR_TMP_FAILED, errnum,
		  "drupe-guard could not make the private tmp: %s", strerror(errnum));
	error_hint(err,
		   "tmp_root of the policy must be a folder in which user %s can make "
		   "one, like /var/tmp",
		   identity->name);
	return -errnum;
}

static int await_tmp(const struct keeper *keeper, const struct identity *identity,
		     struct error *err)
{
	struct pollfd control = { .fd = keeper->control, .events = POLLIN };
	struct guard_message message;
	ssize_t n;

	if (poll_until(&control, 1, deadline_in_ms(START_MS)) <= 0)
		return failed(err, ETIMEDOUT, identity);
	n = recv(keeper->control, &message, sizeof(message), MSG_DONTWAIT);
	if (n != (ssize_t)sizeof(message))
		return failed(err, EPIPE, identity);
	if (message.event == GUARD_EMPTY)
		return 0;
	return failed(err, message.value > 0 ? message.value : EPROTO, identity);
}

int keeper_start(struct keeper *keeper, const char *guard, const char *tmp,
		 const struct identity *identity, struct error *err)
{
	_cleanup_close_ int other = -1;
	int r = fd_lifeline(&keeper->control, &other, err);

	if (r == 0)
		r = spawn_keeper(keeper, guard, tmp, identity, other, err);
	close_fd(&other); /* our copy would hide the keeper's death */
	if (r == 0)
		r = await_tmp(keeper, identity, err);
	if (r < 0)
		keeper_stop(keeper);
	return r;
}

void keeper_stop(struct keeper *keeper)
{
	const char order = GUARD_END;

	if (keeper->control >= 0)
		(void)!send(keeper->control, &order, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
	close_fd(&keeper->control);
	reap(&keeper->pidfd, STOP_MS, NULL);
}
