/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The standard streams of the command: a pipe each, whatever the caller has there. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/fd.h"
#include "run/run.h"

#define PIPE_SIZE (1 << 20) /* of a passed-through stdout: fewer turns of the loop */

/* A command may open its streams anew, by /proc/self/fd; it could not if they were
 * root's. */
static int give_to_user(const struct run *run, int pipe, struct error *err)
{
	const struct identity *identity = &run->sandbox->identity;

	if (!identity->drop || fchown(pipe, identity->uid, identity->gid) == 0)
		return 0;
	return error_set(err, ERROR_SYSTEM, errno, "cannot give a pipe to user %s: %s",
			 identity->name, strerror(errno));
}

int run_open_output(struct run *run, size_t i, int *ret_write, struct error *err)
{
	struct stream *stream = &run->streams[i + 1];
	const struct profile *profile = run->sandbox->profile;
	_cleanup_close_ int end = -1;
	int source, r = fd_pipe(&source, &end, err);

	if (r < 0)
		return r;
	r = give_to_user(run, end, err);
	if (r == 0 && run->io->capture)
		r = capture_init(&run->captures[i], profile->output_limit, err);
	else if (r == 0 && i == 0) /* as far as the user's limit allows */
		(void)fcntl(source, F_SETPIPE_SZ, PIPE_SIZE);
	if (r == 0)
		r = stream_take(stream, source, run->io->out[i], profile->stream_limit,
				err);
	if (r < 0) {
		close(source);
		return r;
	}
	stream->capture = run->io->capture ? &run->captures[i] : NULL;
	stream->tap = run->io->tap;
	stream->tap_data = run->io->tap_data;
	stream->number = (int)i;
	*ret_write = take_fd(&end);
	return 0;
}

int run_open_input(struct run *run, int *ret_read, struct error *err)
{
	_cleanup_close_ int end = -1;
	int sink, r;

	if (run->io->in < 0)
		return fd_null(O_RDONLY, ret_read, err);
	r = fd_pipe(&end, &sink, err);
	if (r < 0)
		return r;
	r = give_to_user(run, end, err);
	if (r == 0)
		r = stream_feed(&run->streams[0], run->io->in, sink, err);
	if (r < 0)
		close(sink);
	else
		*ret_read = take_fd(&end);
	return r;
}
