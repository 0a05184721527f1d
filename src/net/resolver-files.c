/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files that the network backend needs below /etc. */
#include <errno.h>
#include <string.h>

#include "backend/call.h"
#include "base/fd.h"
#include "net/network.h"

#define MAX_FILES 16

int network_files(const struct backend *backend, struct resolver_file **ret_files,
		  size_t *ret_count, struct error *err)
{
	struct resolver_file *files = calloc(MAX_FILES, sizeof(*files));
	size_t count = 0;
	int r = files ? 0 : -ENOMEM;

	while (r == 0) {
		char scratch[4096];
		struct drupe_resolver_file file;

		r = call_network_file(backend, count, scratch, sizeof(scratch), &file);
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
		resolver_files_free(files, count);
		error_set(err, ERROR_BACKEND_FAILED, -r, "%s: its resolver files: %s",
			  backend->file, strerror(-r));
		error_backend(err, slot_names[SLOT_NETWORK], backend->object.name);
		return r;
	}
	*ret_files = files;
	*ret_count = count;
	return 0;
}
