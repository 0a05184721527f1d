# SPDX-License-Identifier: LGPL-2.1-or-later
# The executor.  libdrupe-core.la is all of it but main; tests link it as well.

drupeincludedir = $(includedir)/drupe
nodist_drupeinclude_HEADERS = %D%/include/drupe/backend.h %D%/include/drupe/drupe.h
noinst_LTLIBRARIES += libdrupe-core.la

# The public headers are <drupe/backend.h> and <drupe/drupe.h> outside.
%D%/include/drupe/backend.h: %D%/drupe-backend.h
	$(AM_V_GEN)$(MKDIR_P) $(@D) && cp $< $@
%D%/include/drupe/drupe.h: %D%/drupe.h
	$(AM_V_GEN)$(MKDIR_P) $(@D) && cp $< $@
BUILT_SOURCES += $(nodist_drupeinclude_HEADERS)
CLEANFILES += $(nodist_drupeinclude_HEADERS)

libdrupe_core_la_SOURCES = \
	%D%/argv.c %D%/argv.h \
	%D%/attach.c \
	%D%/base64.c %D%/base64.h \
	%D%/capture.c %D%/capture.h \
	%D%/cgroup-folder.c %D%/cgroup-folder.h \
	%D%/chain.c %D%/chain.h \
	%D%/clock.h \
	%D%/deny.c \
	%D%/drupe-backend.h \
	%D%/drupe-private.h \
	%D%/drupe-result.c \
	%D%/drupe-run.c \
	%D%/drupe.c %D%/drupe.h \
	%D%/elf-check.c %D%/elf-check.h \
	%D%/error.c %D%/error.h \
	%D%/fd.c %D%/fd.h \
	%D%/gate.c %D%/gate.h \
	%D%/grant.c %D%/grant.h \
	%D%/hold.c \
	%D%/host.c %D%/host.h \
	%D%/identity.c %D%/identity.h \
	%D%/json.c %D%/json.h \
	%D%/keeper.c %D%/keeper.h \
	%D%/launch.c \
	%D%/listing.c %D%/listing.h \
	%D%/mapped.c %D%/mapped.h \
	%D%/mountinfo.c %D%/mountinfo.h \
	%D%/nearest.c %D%/nearest.h \
	%D%/netns.h \
	%D%/helper.c %D%/network.h \
	%D%/object.c %D%/object.h \
	%D%/path.c %D%/path.h \
	%D%/paths.c %D%/paths.h \
	%D%/place.c %D%/place.h \
	%D%/plan.c %D%/plan.h \
	%D%/policy-assign.c \
	%D%/policy-default.c \
	%D%/policy-env.c \
	%D%/policy-findings.c \
	%D%/policy-ini.c \
	%D%/policy-keys.c \
	%D%/policy-keys.h \
	%D%/policy-list.c \
	%D%/policy-load.c \
	%D%/policy-parse.c \
	%D%/policy-print.c \
	%D%/policy-rules.c \
	%D%/policy-section.c \
	%D%/policy-sink.c \
	%D%/policy-sink.h \
	%D%/policy-state.h \
	%D%/policy-suggest.c \
	%D%/policy-text.c \
	%D%/policy-value.c %D%/policy-value.h \
	%D%/policy-yaml.c \
	%D%/policy.c %D%/policy.h \
	%D%/preflight-json.c \
	%D%/preflight.c %D%/preflight.h \
	%D%/private-tmp.c %D%/private-tmp.h \
	%D%/probe.c \
	%D%/reap.c %D%/reap.h \
	%D%/registry.c %D%/registry.h \
	%D%/request.h \
	%D%/resolver-files.c \
	%D%/result.c %D%/result.h \
	%D%/rmtree.c %D%/rmtree.h \
	%D%/run.c \
	%D%/run.h \
	%D%/sandbox.h \
	%D%/scope-folder.c %D%/scope-folder.h \
	%D%/scope.c %D%/scope.h \
	%D%/session.c %D%/session.h \
	%D%/sink.c %D%/sink.h \
	%D%/spawn.c %D%/spawn.h \
	%D%/stream.c %D%/stream.h \
	%D%/supervise.c \
	%D%/teardown.c \
	%D%/tool.c %D%/tool.h \
	%D%/trust.c %D%/trust.h \
	%D%/usage.h \
	%D%/utf8.c %D%/utf8.h \
	%D%/value.c %D%/value.h \
	%D%/verify-mounts.c %D%/verify-mounts.h \
	%D%/verify.c %D%/verify.h \
	%D%/view.c %D%/view.h \
	%D%/words.c %D%/words.h
nodist_libdrupe_core_la_SOURCES = %D%/policy-builtin.c
libdrupe_core_la_CFLAGS = $(AM_CFLAGS) $(YAML_CFLAGS) $(INIH_CFLAGS) $(JANSSON_CFLAGS) \
	$(LIBMD_CFLAGS) -fvisibility=hidden
libdrupe_core_la_CPPFLAGS = $(AM_CPPFLAGS) \
	-DBINDIR='"$(bindir)"' \
	-DBACKENDDIR='"$(backenddir)"' \
	-DLIBDIR='"$(libdir)"' \
	-DGUARDDIR='"$(guarddir)"' \
	-DPOLICYDIR='"$(sysconfdir)/drupe"'
libdrupe_core_la_LIBADD = $(YAML_LIBS) $(INIH_LIBS) $(JANSSON_LIBS) $(LIBMD_LIBS)

# The built-in policy is conf/default.yaml, as an array so that no quoting can err.
%D%/policy-builtin.c: $(top_srcdir)/conf/default.yaml
	$(AM_V_GEN)$(MKDIR_P) $(@D) && { \
		echo '#include "policy.h"'; \
		echo 'const char policy_builtin_text[] = {'; \
		od -An -v -tu1 $(top_srcdir)/conf/default.yaml | \
			$(SED) 's/[0-9][0-9]*/&,/g'; \
		echo '0 };'; \
	} >$@.tmp && mv $@.tmp $@
CLEANFILES += %D%/policy-builtin.c

# The library: the same code, of which only what drupe.h names is seen.
lib_LTLIBRARIES = libdrupe.la
libdrupe_la_SOURCES =
libdrupe_la_LIBADD = libdrupe-core.la
libdrupe_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -Wl,-z,defs \
	-Wl,--version-script=$(srcdir)/%D%/libdrupe.map
EXTRA_libdrupe_la_DEPENDENCIES = %D%/libdrupe.map
EXTRA_DIST += %D%/libdrupe.map

# No .la is installed; without it libtool does not find what to remove.
install-exec-hook:
	rm -f "$(DESTDIR)$(libdir)/libdrupe.la"
uninstall-local:
	rm -f "$(DESTDIR)$(libdir)"/libdrupe.so "$(DESTDIR)$(libdir)"/libdrupe.so.0*

bin_PROGRAMS += drupe
drupe_SOURCES = \
	%D%/cmd-backends.c \
	%D%/cmd-check.c \
	%D%/cmd-plan.c \
	%D%/cmd-preflight.c \
	%D%/cmd-run.c \
	%D%/cmd-serve.c \
	%D%/commands.c %D%/commands.h \
	%D%/confirm.c %D%/confirm.h \
	%D%/main.c \
	%D%/options.c %D%/options.h \
	%D%/report.c %D%/report.h \
	%D%/rpc.c %D%/rpc.h \
	%D%/serve-mcp.c \
	%D%/serve-methods.c \
	%D%/serve-params.c \
	%D%/serve-session.c \
	%D%/serve-task.c \
	%D%/serve.c %D%/serve.h
drupe_CPPFLAGS = $(libdrupe_core_la_CPPFLAGS)
drupe_CFLAGS = $(libdrupe_core_la_CFLAGS) $(PIE_CFLAGS)
drupe_LDFLAGS = $(AM_LDFLAGS) $(PIE_LDFLAGS)
drupe_LDADD = libdrupe-core.la

# These share no code that needs a library: see guard.h and netns.h.  With musl they start
# in a quarter of the time, by a compiler of its own, which automake has no place for.
guard_c = $(srcdir)/%D%/cgroup-folder.c $(srcdir)/%D%/guard-kill.c \
	$(srcdir)/%D%/guard-tmp.c $(srcdir)/%D%/guard.c $(srcdir)/%D%/rmtree.c
guard_h = $(srcdir)/%D%/cgroup-folder.h $(srcdir)/%D%/clock.h $(srcdir)/%D%/guard-kill.h \
	$(srcdir)/%D%/guard-tmp.h $(srcdir)/%D%/guard.h $(srcdir)/%D%/rmtree.h
if MUSL
pkglibexec_SCRIPTS = drupe-guard drupe-netns
CLEANFILES += $(pkglibexec_SCRIPTS)
MUSL_COMPILE = $(MUSL_CC) $(DEFS) $(AM_CPPFLAGS) $(MUSL_CPPFLAGS) $(CPPFLAGS) -std=gnu11 \
	$(WARN_CFLAGS) $(HARDEN_CFLAGS) $(CFLAGS) $(HARDEN_LDFLAGS) $(LDFLAGS) -fno-pie \
	-no-pie -static
drupe-guard: $(guard_c) $(guard_h)
	$(AM_V_CCLD)$(MUSL_COMPILE) -o $@ $(guard_c)
drupe-netns: $(srcdir)/%D%/netns.c $(srcdir)/%D%/netns.h
	$(AM_V_CCLD)$(MUSL_COMPILE) -o $@ $(srcdir)/%D%/netns.c
else
pkglibexec_PROGRAMS = drupe-guard drupe-netns
drupe_guard_SOURCES = \
	%D%/cgroup-folder.c %D%/cgroup-folder.h \
	%D%/clock.h \
	%D%/guard-kill.c %D%/guard-kill.h \
	%D%/guard-tmp.c %D%/guard-tmp.h \
	%D%/guard.c %D%/guard.h \
	%D%/rmtree.c %D%/rmtree.h
drupe_guard_LDFLAGS = $(AM_LDFLAGS) $(GUARD_LDFLAGS)
drupe_guard_LDADD =
drupe_netns_SOURCES = %D%/netns.c %D%/netns.h
drupe_netns_LDFLAGS = $(AM_LDFLAGS) $(GUARD_LDFLAGS)
drupe_netns_LDADD =
endif
