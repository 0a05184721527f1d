/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fill-keys PROGRAM ARG...: use up the user's quota of keys, then execute PROGRAM. */
#include <errno.h>
#include <linux/keyctl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Quota of dead keys comes back with a delay: full is what stays so for a while. */
#define SETTLE_TRIES 100 /* of 10 ms */

int main(int argc, char **argv)
{
	int failed = 0;
	char name[32];

	if (argc < 2 || syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0)
		return 99;
	for (int i = 0; failed < SETTLE_TRIES; i++) {
		if (i > 100000)
			return 96; /* no quota to speak of */
		snprintf(name, sizeof(name), "fill-keys-%d", i);
		if (syscall(SYS_add_key, "user", name, "x", 1,
			    KEY_SPEC_SESSION_KEYRING) >= 0) {
			failed = 0;
			continue;
		}
		if (errno != EDQUOT)
			return 98;
		failed++;
		usleep(10000);
	}
	execv(argv[1], argv + 1);
	return 97;
}
