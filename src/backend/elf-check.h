/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a file is a complete shared object for this machine, before it is loaded. */
#ifndef DRUPE_ELF_CHECK_H
#define DRUPE_ELF_CHECK_H

#include <sys/types.h>

#include "base/error.h"

/*
 * The dynamic linker trusts the headers of a file: if they promise more than it
 * contains, the first access to a missing page is a SIGBUS.  FILE is for the message,
 * SIZE is from fstat of FD.  ERR: backend-invalid.
 */
int elf_check(int fd, const char *file, off_t size, struct error *err);

#endif
