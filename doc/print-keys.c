/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of keys, for docs.test to compare drupe-policy(5) with. */
#include <stdio.h>

#include "policy/keys.h"

int main(void)
{
	policy_keys_print(stdout);
	return fflush(stdout) == 0 ? 0 : 1;
}
