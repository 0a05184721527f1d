/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The launcher whose ops end before `diagnose`, although bytes follow. */
#define NAME "short"
#define OPS_SIZE offsetof(struct drupe_launcher_ops, diagnose)
#include "launcher-frozen.c"
