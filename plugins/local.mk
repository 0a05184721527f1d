# SPDX-License-Identifier: LGPL-2.1-or-later
# The backends: one file and one exported symbol each.

backend_LTLIBRARIES = \
	%D%/launcher-bwrap.la \
	%D%/network-pasta.la \
	%D%/network-slirp4netns.la \
	%D%/rlimits-prlimit.la \
	%D%/scope-cgroup2.la \
	%D%/scope-systemd.la

# -z defs: a backend stands alone; what it needs of drupe comes through callbacks.
BACKEND_CPPFLAGS = $(AM_CPPFLAGS) -DBACKEND_VERSION='"$(PACKAGE_VERSION)"'
BACKEND_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
BACKEND_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -Wl,-z,defs \
	-Wl,--version-script=$(srcdir)/%D%/backend.map
BACKEND_MAP = %D%/backend.map

%C%_launcher_bwrap_la_SOURCES = %D%/launcher-bwrap.c
%C%_launcher_bwrap_la_CPPFLAGS = $(BACKEND_CPPFLAGS) -DBWRAP_PATH='"$(BWRAP_PATH)"'
%C%_launcher_bwrap_la_CFLAGS = $(BACKEND_CFLAGS) $(JANSSON_CFLAGS)
%C%_launcher_bwrap_la_LDFLAGS = $(BACKEND_LDFLAGS)
%C%_launcher_bwrap_la_LIBADD = $(JANSSON_LIBS)
EXTRA_%C%_launcher_bwrap_la_DEPENDENCIES = $(BACKEND_MAP)

%C%_network_pasta_la_SOURCES = %D%/network-pasta.c
%C%_network_pasta_la_CPPFLAGS = $(BACKEND_CPPFLAGS) -DPASTA_PATH='"$(PASTA_PATH)"'
%C%_network_pasta_la_CFLAGS = $(BACKEND_CFLAGS)
%C%_network_pasta_la_LDFLAGS = $(BACKEND_LDFLAGS)
EXTRA_%C%_network_pasta_la_DEPENDENCIES = $(BACKEND_MAP)

%C%_network_slirp4netns_la_SOURCES = %D%/network-slirp4netns.c
%C%_network_slirp4netns_la_CPPFLAGS = $(BACKEND_CPPFLAGS) \
	-DSLIRP4NETNS_PATH='"$(SLIRP4NETNS_PATH)"'
%C%_network_slirp4netns_la_CFLAGS = $(BACKEND_CFLAGS)
%C%_network_slirp4netns_la_LDFLAGS = $(BACKEND_LDFLAGS)
EXTRA_%C%_network_slirp4netns_la_DEPENDENCIES = $(BACKEND_MAP)

%C%_rlimits_prlimit_la_SOURCES = %D%/rlimits-prlimit.c
%C%_rlimits_prlimit_la_CPPFLAGS = $(BACKEND_CPPFLAGS) -DPRLIMIT_PATH='"$(PRLIMIT_PATH)"'
%C%_rlimits_prlimit_la_CFLAGS = $(BACKEND_CFLAGS)
%C%_rlimits_prlimit_la_LDFLAGS = $(BACKEND_LDFLAGS)
EXTRA_%C%_rlimits_prlimit_la_DEPENDENCIES = $(BACKEND_MAP)

%C%_scope_cgroup2_la_SOURCES = %D%/scope-cgroup2.c
%C%_scope_cgroup2_la_CPPFLAGS = $(BACKEND_CPPFLAGS)
%C%_scope_cgroup2_la_CFLAGS = $(BACKEND_CFLAGS)
%C%_scope_cgroup2_la_LDFLAGS = $(BACKEND_LDFLAGS)
EXTRA_%C%_scope_cgroup2_la_DEPENDENCIES = $(BACKEND_MAP)

%C%_scope_systemd_la_SOURCES = %D%/scope-systemd.c
%C%_scope_systemd_la_CPPFLAGS = $(BACKEND_CPPFLAGS) \
	-DSYSTEMD_RUN_PATH='"$(SYSTEMD_RUN_PATH)"' -DSYSTEMCTL_PATH='"$(SYSTEMCTL_PATH)"'
%C%_scope_systemd_la_CFLAGS = $(BACKEND_CFLAGS)
%C%_scope_systemd_la_LDFLAGS = $(BACKEND_LDFLAGS)
EXTRA_%C%_scope_systemd_la_DEPENDENCIES = $(BACKEND_MAP)

EXTRA_DIST += $(BACKEND_MAP)

# Backends are found by name in their folder: libtool's .la files serve nobody.
# Uninstalling by them would then find nothing, so it goes by the names, too.
install-data-hook:
	for la in $(backend_LTLIBRARIES); do \
		rm -f "$(DESTDIR)$(backenddir)/$${la##*/}"; done

uninstall-hook:
	for la in $(backend_LTLIBRARIES); do \
		so=$${la##*/}; rm -f "$(DESTDIR)$(backenddir)/$${so%.la}.so"; done

# For backends that are built elsewhere: what they find drupe by, and one to copy.
aclocaldir = $(datadir)/aclocal
dist_aclocal_DATA = m4/drupe.m4
pkgconfig_DATA = drupe.pc
EXTRA_DIST += \
	%D%/example/Makefile.am \
	%D%/example/README \
	%D%/example/configure.ac \
	%D%/example/rlimits-example.c \
	%D%/example/test-example.c
