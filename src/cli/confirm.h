/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mode: ask - the user grants the network to a command, on the terminal. */
#ifndef DRUPE_CONFIRM_H
#define DRUPE_CONFIRM_H

#include "base/error.h"

/*
 * Ask on the controlling terminal whether COMMAND may have the network.  0: yes.
 * ERR: network-denied, also without a terminal, without an answer within two minutes, or
 * when CANCEL (-1: none) becomes readable.
 */
int confirm_network(char *const *command, int cancel, struct error *err);

#endif
