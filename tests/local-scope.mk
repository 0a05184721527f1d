# SPDX-License-Identifier: LGPL-2.1-or-later
# Tests of the scopes that need no manager; those that do are in tests/vm.

if HAVE_CMOCKA
scope_tests = %D%/unit/test-scope %D%/unit/test-scope-systemd
check_PROGRAMS += $(scope_tests)
TESTS += $(scope_tests)
%C%_unit_test_scope_SOURCES = %D%/unit/test-scope.c
%C%_unit_test_scope_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
%C%_unit_test_scope_LDADD = libdrupe-core.la $(CMOCKA_LIBS)

%C%_unit_test_scope_systemd_SOURCES = %D%/unit/test-scope-systemd.c \
	plugins/scope-systemd.c
%C%_unit_test_scope_systemd_CPPFLAGS = $(AM_CPPFLAGS) \
	-DBACKEND_VERSION='"$(PACKAGE_VERSION)"' \
	-DSYSTEMD_RUN_PATH='"$(SYSTEMD_RUN_PATH)"' -DSYSTEMCTL_PATH='"$(SYSTEMCTL_PATH)"'
%C%_unit_test_scope_systemd_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
%C%_unit_test_scope_systemd_LDADD = libdrupe-core.la $(CMOCKA_LIBS)
endif
