/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* To be preloaded: once the file $NO_LINE exists there is no memory for a line of JSON.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <dlfcn.h>

FILE *open_memstream(char **text, size_t *size)
{
	static FILE *(*real)(char **text, size_t *size);
	const char *file = getenv("NO_LINE");

	if (file && access(file, F_OK) == 0) {
		errno = ENOMEM;
		return NULL;
	}
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "open_memstream");
	return real(text, size);
}
