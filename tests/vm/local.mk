# SPDX-License-Identifier: LGPL-2.1-or-later
# Tests in a booted Debian with systemd: see tests/vm/README.  Never part of `make check`.

.PHONY: check-vm
check-vm:
	$(srcdir)/%D%/check.sh

EXTRA_DIST += packaging/vm-packages \
	%D%/README \
	%D%/boot.sh \
	%D%/cgroup2.test \
	%D%/check.sh \
	%D%/cost.sh \
	%D%/guest/arms.sh \
	%D%/guest/drupe-vm.service \
	%D%/guest/packages \
	%D%/guest/setup.sh \
	%D%/image.sh \
	%D%/inversions.test \
	%D%/lib.sh \
	%D%/manager.test \
	%D%/scope.sh \
	%D%/scope.test \
	%D%/service.test \
	%D%/tree.sh
