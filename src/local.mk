# SPDX-License-Identifier: LGPL-2.1-or-later
# The executor, by the folders of README.  libdrupe-core.la is all of it but the command
# line tool; tests link it as well.

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
	%D%/base/argv.c %D%/base/argv.h \
	%D%/base/base64.c %D%/base/base64.h \
	%D%/base/claim.c %D%/base/claim.h \
	%D%/base/clock.h \
	%D%/base/error.c %D%/base/error.h \
	%D%/base/fd.c %D%/base/fd.h \
	%D%/base/identity.c %D%/base/identity.h \
	%D%/base/json.c %D%/base/json.h \
	%D%/base/nearest.c %D%/base/nearest.h \
	%D%/base/path.c %D%/base/path.h \
	%D%/base/paths.c %D%/base/paths.h \
	%D%/base/procfile.c %D%/base/procfile.h \
	%D%/base/reap.c %D%/base/reap.h \
	%D%/base/rmtree.c %D%/base/rmtree.h \
	%D%/base/sink.c %D%/base/sink.h \
	%D%/base/spawn.c %D%/base/spawn.h \
	%D%/base/tree.c %D%/base/tree.h \
	%D%/base/trust.c %D%/base/trust.h \
	%D%/base/utf8.c %D%/base/utf8.h \
	%D%/base/value.c %D%/base/value.h \
	%D%/base/words.c %D%/base/words.h \
	%D%/policy/assign.c %D%/policy/assign.h \
	%D%/policy/env.c %D%/policy/env.h \
	%D%/policy/findings.c %D%/policy/findings.h \
	%D%/policy/ini.c %D%/policy/ini.h \
	%D%/policy/keys.c %D%/policy/keys.h \
	%D%/policy/limits.c %D%/policy/limits.h \
	%D%/policy/lists.c %D%/policy/lists.h \
	%D%/policy/open.c %D%/policy/open.h \
	%D%/policy/place.c %D%/policy/place.h \
	%D%/policy/policy.c %D%/policy/policy.h \
	%D%/policy/rules.c %D%/policy/rules.h \
	%D%/policy/sections.c %D%/policy/sections.h \
	%D%/policy/sink.c %D%/policy/sink.h \
	%D%/policy/suggest.c %D%/policy/suggest.h \
	%D%/policy/text.c %D%/policy/text.h \
	%D%/policy/value-type.c %D%/policy/value-type.h \
	%D%/policy/yaml.c %D%/policy/yaml.h \
	%D%/backend/call.c %D%/backend/call.h \
	%D%/backend/elf-check.c %D%/backend/elf-check.h \
	%D%/backend/host.c %D%/backend/host.h \
	%D%/backend/mapped.c %D%/backend/mapped.h \
	%D%/backend/object.c %D%/backend/object.h \
	%D%/backend/option-check.c %D%/backend/option-check.h \
	%D%/backend/registry.c %D%/backend/registry.h \
	%D%/backend/tool.c %D%/backend/tool.h \
	%D%/view/grant.c %D%/view/grant.h \
	%D%/view/place.c %D%/view/place.h \
	%D%/view/private-tmp.c %D%/view/private-tmp.h \
	%D%/view/request.h \
	%D%/view/view.c %D%/view/view.h \
	%D%/plan/chain.c %D%/plan/chain.h \
	%D%/plan/plan.c %D%/plan/plan.h \
	%D%/scope/cgroup-folder.c %D%/scope/cgroup-folder.h \
	%D%/scope/folder.c %D%/scope/folder.h \
	%D%/scope/scope.c %D%/scope/scope.h \
	%D%/scope/usage.h \
	%D%/net/deny.c \
	%D%/net/helper.c \
	%D%/net/network.h \
	%D%/net/probe.c \
	%D%/net/resolver-files.c \
	%D%/verify/block-point.c \
	%D%/verify/checks.h \
	%D%/verify/descriptors.c \
	%D%/verify/limits.c \
	%D%/verify/mountinfo.c %D%/verify/mountinfo.h \
	%D%/verify/mounts.c \
	%D%/verify/namespaces.c \
	%D%/verify/pin.c \
	%D%/verify/status.c \
	%D%/verify/verify.c %D%/verify/verify.h \
	%D%/run/attach.c \
	%D%/run/capture.c %D%/run/capture.h \
	%D%/run/failure.c \
	%D%/run/gate-holders.c \
	%D%/run/gate.c %D%/run/gate.h \
	%D%/run/hold.c \
	%D%/run/launch.c \
	%D%/run/result.c %D%/run/result.h \
	%D%/run/result-json.c \
	%D%/run/run.c %D%/run/run.h \
	%D%/run/sandbox.h \
	%D%/run/stdio.c \
	%D%/run/stream.c %D%/run/stream.h \
	%D%/run/supervise.c \
	%D%/run/teardown.c \
	%D%/session/keeper.c %D%/session/keeper.h \
	%D%/session/listing.c %D%/session/listing.h \
	%D%/session/preflight.c %D%/session/preflight.h \
	%D%/session/preflight-json.c \
	%D%/session/session.c %D%/session/session.h \
	%D%/lib/drupe.c \
	%D%/lib/private.h \
	%D%/lib/result.c \
	%D%/lib/run.c \
	%D%/drupe-backend.h %D%/drupe.h \
	%D%/guard/guard.h %D%/guard/netns.h
nodist_libdrupe_core_la_SOURCES = %D%/policy/builtin.c
libdrupe_core_la_CFLAGS = $(AM_CFLAGS) $(YAML_CFLAGS) $(INIH_CFLAGS) $(JANSSON_CFLAGS) \
	$(LIBMD_CFLAGS) -fvisibility=hidden
libdrupe_core_la_CPPFLAGS = $(AM_CPPFLAGS) \
	-DBINDIR='"$(bindir)"' \
	-DBACKENDDIR='"$(backenddir)"' \
	-DLIBDIR='"$(libdir)"' \
	-DGUARDDIR='"$(guarddir)"' \
	-DPOLICYDIR='"$(sysconfdir)/drupe"'
libdrupe_core_la_LIBADD = $(YAML_LIBS) $(INIH_LIBS) $(JANSSON_LIBS) $(LIBMD_LIBS)

# The built-in policy is conf/default.yaml.
EMBED = $(MKDIR_P) $(@D) && $(SHELL) $(srcdir)/%D%/embed.sh
%D%/policy/builtin.c: $(top_srcdir)/conf/default.yaml $(srcdir)/%D%/embed.sh
	$(AM_V_GEN)$(EMBED) policy/open.h policy_builtin_text \
		<$(top_srcdir)/conf/default.yaml >$@.tmp && mv $@.tmp $@
# What `drupe serve --mcp` tells of its tool.
%D%/serve/tool.c: $(srcdir)/%D%/serve/tool.json $(srcdir)/%D%/embed.sh
	$(AM_V_GEN)$(EMBED) serve/serve.h mcp_tool_text \
		<$(srcdir)/%D%/serve/tool.json >$@.tmp && mv $@.tmp $@
CLEANFILES += %D%/policy/builtin.c %D%/serve/tool.c
EXTRA_DIST += %D%/embed.sh %D%/serve/tool.json

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
	%D%/cli/cmd-backends.c \
	%D%/cli/cmd-check.c \
	%D%/cli/cmd-plan.c \
	%D%/cli/cmd-preflight.c \
	%D%/cli/cmd-run.c \
	%D%/cli/cmd-serve.c \
	%D%/cli/commands.c %D%/cli/commands.h \
	%D%/cli/confirm.c %D%/cli/confirm.h \
	%D%/cli/main.c \
	%D%/cli/options.c %D%/cli/options.h \
	%D%/cli/report.c %D%/cli/report.h \
	%D%/serve/mcp.c \
	%D%/serve/methods.c \
	%D%/serve/params.c \
	%D%/serve/rpc.c %D%/serve/rpc.h \
	%D%/serve/serve.c %D%/serve/serve.h \
	%D%/serve/session.c \
	%D%/serve/task.c
nodist_drupe_SOURCES = %D%/serve/tool.c
drupe_CPPFLAGS = $(libdrupe_core_la_CPPFLAGS)
drupe_CFLAGS = $(libdrupe_core_la_CFLAGS) $(PIE_CFLAGS)
drupe_LDFLAGS = $(AM_LDFLAGS) $(PIE_LDFLAGS)
drupe_LDADD = libdrupe-core.la

# These share no code that needs a library: see guard.h and netns.h.  With musl they start
# in a quarter of the time, by a compiler of its own, which automake has no place for.
guard_c = $(srcdir)/%D%/base/claim.c $(srcdir)/%D%/base/procfile.c \
	$(srcdir)/%D%/base/rmtree.c $(srcdir)/%D%/base/tree.c \
	$(srcdir)/%D%/scope/cgroup-folder.c $(srcdir)/%D%/guard/descriptors.c \
	$(srcdir)/%D%/guard/kill.c $(srcdir)/%D%/guard/tmp.c \
	$(srcdir)/%D%/guard/guard.c
guard_h = $(srcdir)/%D%/base/claim.h $(srcdir)/%D%/base/clock.h \
	$(srcdir)/%D%/base/procfile.h $(srcdir)/%D%/base/rmtree.h \
	$(srcdir)/%D%/base/tree.h \
	$(srcdir)/%D%/scope/cgroup-folder.h \
	$(srcdir)/%D%/guard/descriptors.h $(srcdir)/%D%/guard/kill.h \
	$(srcdir)/%D%/guard/tmp.h $(srcdir)/%D%/guard/guard.h
if MUSL
pkglibexec_SCRIPTS = drupe-guard drupe-netns
CLEANFILES += $(pkglibexec_SCRIPTS)
MUSL_COMPILE = $(MUSL_CC) $(DEFS) $(AM_CPPFLAGS) $(MUSL_CPPFLAGS) $(CPPFLAGS) -std=gnu11 \
	$(WARN_CFLAGS) $(HARDEN_CFLAGS) $(CFLAGS) $(HARDEN_LDFLAGS) $(LDFLAGS) -fno-pie \
	-no-pie -static
drupe-guard: $(guard_c) $(guard_h)
	$(AM_V_CCLD)$(MUSL_COMPILE) -o $@ $(guard_c)
drupe-netns: $(srcdir)/%D%/guard/netns.c $(srcdir)/%D%/guard/netns.h
	$(AM_V_CCLD)$(MUSL_COMPILE) -o $@ $(srcdir)/%D%/guard/netns.c
else
pkglibexec_PROGRAMS = drupe-guard drupe-netns
drupe_guard_SOURCES = \
	%D%/base/claim.c %D%/base/claim.h \
	%D%/base/clock.h \
	%D%/base/procfile.c %D%/base/procfile.h \
	%D%/base/rmtree.c %D%/base/rmtree.h \
	%D%/base/tree.c %D%/base/tree.h \
	%D%/scope/cgroup-folder.c %D%/scope/cgroup-folder.h \
	%D%/guard/descriptors.c %D%/guard/descriptors.h \
	%D%/guard/kill.c %D%/guard/kill.h \
	%D%/guard/tmp.c %D%/guard/tmp.h \
	%D%/guard/guard.c %D%/guard/guard.h
drupe_guard_LDFLAGS = $(AM_LDFLAGS) $(GUARD_LDFLAGS)
drupe_guard_LDADD =
drupe_netns_SOURCES = %D%/guard/netns.c %D%/guard/netns.h
drupe_netns_LDFLAGS = $(AM_LDFLAGS) $(GUARD_LDFLAGS)
drupe_netns_LDADD =
endif
