# SPDX-License-Identifier: LGPL-2.1-or-later
# Tests of the network, and the race that pinning removes.

network_integration_tests = %D%/integration/network.test \
	%D%/integration/network-faults.test
TESTS += $(network_integration_tests)
EXTRA_DIST += $(network_integration_tests) %D%/integration/network.sh %D%/integration/answer.py \
	%D%/integration/services.pl %D%/faults/fake-helper.c %D%/unit/network-words.h

# A caller that lives longer than one run.
check_PROGRAMS += %D%/faults/session-runs
%C%_faults_session_runs_SOURCES = %D%/faults/session-runs.c
%C%_faults_session_runs_CPPFLAGS = $(libdrupe_core_la_CPPFLAGS)
%C%_faults_session_runs_LDADD = libdrupe-core.la

if HAVE_CMOCKA
network_tests = %D%/unit/test-netns %D%/unit/test-network-deny %D%/unit/test-network-helper \
	%D%/unit/test-network-pasta %D%/unit/test-network-slirp4netns
check_PROGRAMS += $(network_tests)
TESTS += $(network_tests)
network_test_cflags = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
network_test_libs = libdrupe-core.la $(CMOCKA_LIBS)

%C%_unit_test_netns_SOURCES = %D%/unit/test-netns.c
%C%_unit_test_netns_CFLAGS = $(network_test_cflags)
%C%_unit_test_netns_LDADD = $(CMOCKA_LIBS)

%C%_unit_test_network_deny_SOURCES = %D%/unit/test-network-deny.c
%C%_unit_test_network_deny_CFLAGS = $(network_test_cflags)
%C%_unit_test_network_deny_LDADD = $(network_test_libs)

%C%_unit_test_network_helper_SOURCES = %D%/unit/test-network-helper.c
%C%_unit_test_network_helper_CFLAGS = $(network_test_cflags)
%C%_unit_test_network_helper_LDADD = $(network_test_libs)

%C%_unit_test_network_pasta_SOURCES = %D%/unit/test-network-pasta.c \
	plugins/network-pasta.c
%C%_unit_test_network_pasta_CPPFLAGS = $(AM_CPPFLAGS) \
	-DBACKEND_VERSION='"$(PACKAGE_VERSION)"' -DPASTA_PATH='"$(PASTA_PATH)"'
%C%_unit_test_network_pasta_CFLAGS = $(network_test_cflags)
%C%_unit_test_network_pasta_LDADD = $(network_test_libs)

%C%_unit_test_network_slirp4netns_SOURCES = %D%/unit/test-network-slirp4netns.c \
	plugins/network-slirp4netns.c
%C%_unit_test_network_slirp4netns_CPPFLAGS = $(AM_CPPFLAGS) \
	-DBACKEND_VERSION='"$(PACKAGE_VERSION)"' \
	-DSLIRP4NETNS_PATH='"$(SLIRP4NETNS_PATH)"'
%C%_unit_test_network_slirp4netns_CFLAGS = $(network_test_cflags)
%C%_unit_test_network_slirp4netns_LDADD = $(network_test_libs)
endif
