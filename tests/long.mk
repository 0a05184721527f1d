# SPDX-License-Identifier: LGPL-2.1-or-later
# Everything, in full length: what .ci/run has no time for. See tests/README.

.PHONY: check-long
check-long:
	$(srcdir)/%D%/long.sh $(LONG)

EXTRA_DIST += %D%/long.sh %D%/parts.sh
