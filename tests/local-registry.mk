# SPDX-License-Identifier: LGPL-2.1-or-later
# Tests of the registry, the host and the backends bwrap and prlimit.

# Backends that are spoilt on purpose, and those of the frozen ABI.
registry_out = %D%/bad-plugins/out
check_DATA = %D%/bad-plugins/stamp
%D%/bad-plugins/stamp: %D%/bad-plugins/build.sh %D%/bad-plugins/bad-launcher.c \
		%D%/bad-plugins/bad-network.c \
		%D%/bad-plugins/bad-rlimits.c %D%/abi/drupe-backend-1.h \
		%D%/abi/launcher-frozen.c %D%/abi/launcher-short.c %D%/abi/rlimits-frozen.c \
		src/drupe-backend.h
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
		$(SHELL) $(srcdir)/%D%/bad-plugins/build.sh $(srcdir)/%D% $(srcdir)/src \
			$(registry_out) $(CC) && \
		touch $@
EXTRA_DIST += %D%/bad-plugins/build.sh %D%/bad-plugins/bad-launcher.c \
	%D%/bad-plugins/bad-network.c \
	%D%/bad-plugins/bad-rlimits.c %D%/abi/drupe-backend-1.h %D%/abi/launcher-frozen.c \
	%D%/abi/launcher-short.c %D%/abi/rlimits-frozen.c %D%/abi/layout.test \
	%D%/integration/backends.test
CLEANFILES += %D%/bad-plugins/stamp $(registry_out)/*.so

# Two builds of one file: where fields lie in the released header, and now.
check_PROGRAMS += %D%/abi/layout-now %D%/abi/layout-frozen
%C%_abi_layout_now_SOURCES = %D%/abi/layout.c
%C%_abi_layout_frozen_SOURCES = %D%/abi/layout.c
%C%_abi_layout_frozen_CPPFLAGS = $(AM_CPPFLAGS) -DFROZEN -I$(srcdir)/%D%/abi
TESTS += %D%/abi/layout.test %D%/integration/backends.test

if HAVE_CMOCKA
registry_tests = %D%/unit/test-registry %D%/unit/test-host \
	%D%/unit/test-launcher-bwrap %D%/unit/test-rlimits-prlimit
check_PROGRAMS += $(registry_tests)
TESTS += $(registry_tests)
registry_test_cflags = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
registry_test_libs = libdrupe-core.la $(CMOCKA_LIBS)

%C%_unit_test_registry_SOURCES = %D%/unit/test-registry.c
%C%_unit_test_registry_CPPFLAGS = $(AM_CPPFLAGS) \
	-DBAD_PLUGINS='"$(abs_builddir)/$(registry_out)"'
%C%_unit_test_registry_CFLAGS = $(registry_test_cflags)
%C%_unit_test_registry_LDADD = $(registry_test_libs)

%C%_unit_test_host_SOURCES = %D%/unit/test-host.c
%C%_unit_test_host_CFLAGS = $(registry_test_cflags)
%C%_unit_test_host_LDADD = $(registry_test_libs)

# A backend's own source, linked instead of loaded, with the real host.
%C%_unit_test_launcher_bwrap_SOURCES = %D%/unit/test-launcher-bwrap.c \
	plugins/launcher-bwrap.c
%C%_unit_test_launcher_bwrap_CPPFLAGS = $(AM_CPPFLAGS) \
	-DBACKEND_VERSION='"$(PACKAGE_VERSION)"' -DBWRAP_PATH='"$(BWRAP_PATH)"'
%C%_unit_test_launcher_bwrap_CFLAGS = $(registry_test_cflags) $(JANSSON_CFLAGS)
%C%_unit_test_launcher_bwrap_LDADD = $(registry_test_libs) $(JANSSON_LIBS)

%C%_unit_test_rlimits_prlimit_SOURCES = %D%/unit/test-rlimits-prlimit.c \
	plugins/rlimits-prlimit.c
%C%_unit_test_rlimits_prlimit_CPPFLAGS = $(AM_CPPFLAGS) \
	-DBACKEND_VERSION='"$(PACKAGE_VERSION)"' -DPRLIMIT_PATH='"$(PRLIMIT_PATH)"'
%C%_unit_test_rlimits_prlimit_CFLAGS = $(registry_test_cflags)
%C%_unit_test_rlimits_prlimit_LDADD = $(registry_test_libs)
endif
