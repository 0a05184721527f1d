/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The processes below one.  Links no library, for drupe-guard. */
#ifndef DRUPE_TREE_H
#define DRUPE_TREE_H

#include <sys/types.h>

/*
 * SIGKILL to every process below ROOT that is there now, ROOT not among them.  A process
 * that traces the init of its PID namespace can hold that in an exit stop, and with it
 * all the others: only its own death frees them.  New ones may appear meanwhile: call it
 * again until nothing is left.  Needs no more rights than kill(2).
 */
void tree_kill(pid_t root);

#endif
