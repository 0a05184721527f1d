/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a file is a whole shared object of this machine, before it is loaded. */
#ifndef DRUPE_ELF_CHECK_H
#define DRUPE_ELF_CHECK_H

#include <sys/types.h>

#include "base/error.h"

/*
 * The dynamic linker trusts the headers of a file: where they promise more than
 * the file holds, the first touch of the missing page is a SIGBUS.  FILE is for
 * the message, SIZE comes from fstat of FD.  ERR: backend-invalid.
 */
int elf_check(int fd, const char *file, off_t size, struct error *err);

#endif
