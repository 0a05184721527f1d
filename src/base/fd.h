/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Owned descriptors and memory: close-on-exec at birth, never below 3. */
#ifndef DRUPE_FD_H
#define DRUPE_FD_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"

/* Linux releases the descriptor even when close fails, so never retry. */
static inline int close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	return -1;
}

static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

static inline void close_fdp(int *fd)
{
	close_fd(fd);
}

static inline void freep(void *p)
{
	free(*(void **)p);
}

static inline void fclosep(FILE **file)
{
	if (*file)
		fclose(*file);
}

#define _cleanup_close_ __attribute__((cleanup(close_fdp)))
#define _cleanup_free_ __attribute__((cleanup(freep)))
#define _cleanup_fclose_ __attribute__((cleanup(fclosep)))

/* Move a descriptor above 2.  It landed on 0..2 because the caller had one closed, and
 * would be overwritten when a child's standard streams are set up. */
int fd_above_stdio(int fd);

/* A pipe, both ends close-on-exec and above 2. */
int fd_pipe(int *ret_read, int *ret_write, struct error *err);

/* A SOCK_SEQPACKET pair.  The other end goes to one of drupe's own programs, which sees
 * ours close however we end. */
int fd_lifeline(int *ret_ours, int *ret_other, struct error *err);

/* /dev/null, opened with FLAGS. */
int fd_null(int flags, int *ret_fd, struct error *err);

/* Open the directory PATH below DIRFD for readdir; NULL and errno on failure. */
DIR *fd_listing(int dirfd, const char *path);

/* A sealed memfd with the text, at offset 0. */
int fd_data(const char *text, size_t length, int *ret_fd, struct error *err);

/* Read PATH below DIRFD (AT_FDCWD for absolute paths) into BUFFER, at most SIZE-1
 * bytes, then a NUL.  Returns the number of bytes or -errno. */
ssize_t fd_read_file(int dirfd, const char *path, char *buffer, size_t size);

/* Like fd_read_file, but from offset 0 of an open file. */
ssize_t fd_pread(int fd, char *buffer, size_t size);

/* Open /dev/null on each of 0, 1, 2 that is closed, for reading: what is written there
 * fails, as it would have. */
int fd_sanitize_stdio(void);

#endif
