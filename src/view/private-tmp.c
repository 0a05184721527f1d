/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/private-tmp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/claim.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/rmtree.h"
#include "base/trust.h"

#define SUFFIX 6 /* random characters */
/* A start waits this long for leftovers to go; the next ones go on. */
#define SWEEP_MS 100
#define REMOVE_MS 60000

static int failed(struct error *err, int errnum, const char *root, const char *what)
{
	error_set(err, ERROR_TMP_FAILED, errnum, "%s: cannot %s a private tmp: %s", root,
		  what, strerror(errnum));
	error_hint(err, "tmp_root must be a folder like /var/tmp, with free space");
	return -errnum;
}

static size_t prefix_of(const struct identity *identity, char *ret, size_t size)
{
	return (size_t)snprintf(ret, size, "drupe-%u-", identity->uid);
}

static int random_suffix(char *to)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
	unsigned char random[SUFFIX];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return -errno;
	for (size_t i = 0; i < SUFFIX; i++)
		to[i] = letters[random[i] % (sizeof(letters) - 1)];
	to[SUFFIX] = '\0';
	return 0;
}

/* Remove what an executor left behind when it was killed together with its guard.  Only
 * what belongs to the user or to us, and is not locked. */
static void sweep_one(int root, const char *name, const struct identity *identity,
		      int64_t deadline)
{
	_cleanup_close_ int fd = claim_take(root, name, LOCK_EX);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 ||
	    (st.st_uid != identity->uid && st.st_uid != geteuid()))
		return;
	(void)rmtree_until(root, name, deadline);
}

static void sweep(int root, const struct identity *identity)
{
	char prefix[32];
	size_t n = prefix_of(identity, prefix, sizeof(prefix));
	int64_t deadline = deadline_in_ms(SWEEP_MS);
	DIR *dir = fd_listing(root, ".");
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		if (strncmp(entry->d_name, prefix, n) == 0 &&
		    strlen(entry->d_name) == n + SUFFIX)
			sweep_one(root, entry->d_name, identity, deadline);
		if (clock_now() >= deadline)
			break;
	}
	closedir(dir);
}

int private_tmp_choose(const char *root, const struct identity *identity,
		       struct private_tmp *ret_tmp, struct error *err)
{
	struct private_tmp tmp = PRIVATE_TMP_NONE;
	int r = trust_open_dir(root, ERROR_TMP_FAILED, ERROR_TMP_FAILED, &tmp.root, err);

	if (r < 0)
		return r;
	sweep(tmp.root, identity);
	r = random_suffix(tmp.name + prefix_of(identity, tmp.name, sizeof(tmp.name)));
	if (r == 0 && asprintf(&tmp.place.path, "%s/%s", root, tmp.name) < 0) {
		tmp.place.path = NULL;
		r = -ENOMEM;
	}
	if (r < 0) {
		close_fd(&tmp.root);
		return failed(err, -r, root, "make");
	}
	*ret_tmp = tmp;
	return 0;
}

int private_tmp_adopt(struct private_tmp *tmp, const struct identity *identity,
		      struct error *err)
{
	int lock = claim_take(tmp->root, tmp->name, LOCK_SH);
	_cleanup_close_ int fd = lock < 0 ? lock : fd_above_stdio(lock);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return failed(err, fd < 0 ? -fd : errno, tmp->place.path, "open");
	if (st.st_uid != identity->uid || (st.st_mode & 07777) != 0700)
		return failed(err, EPERM, tmp->place.path, "trust");
	tmp->place.fd = take_fd(&fd);
	tmp->place.st = st;
	return 0;
}

int private_tmp_remove(struct private_tmp *tmp, struct error *err)
{
	int r = 0;

	if (tmp->root >= 0)
		r = rmtree_until(tmp->root, tmp->name, deadline_in_ms(REMOVE_MS));
	if (r < 0)
		failed(err, -r, tmp->place.path, "remove");
	if (r == -ETIMEDOUT)
		error_hint(err, "sessions that start later go on with it");
	place_close(&tmp->place);
	close_fd(&tmp->root);
	return r;
}
