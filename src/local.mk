# SPDX-License-Identifier: LGPL-2.1-or-later
# The executor.  libdrupe-core.la is all of it but main; tests link it as well.

pkginclude_HEADERS =
drupeincludedir = $(includedir)/drupe
nodist_drupeinclude_HEADERS = %D%/include/drupe/backend.h
noinst_LTLIBRARIES += libdrupe-core.la

# The public header is called drupe-backend.h in the tree and <drupe/backend.h> outside.
%D%/include/drupe/backend.h: %D%/drupe-backend.h
	$(AM_V_GEN)$(MKDIR_P) $(@D) && cp $< $@
BUILT_SOURCES += %D%/include/drupe/backend.h
CLEANFILES += %D%/include/drupe/backend.h

libdrupe_core_la_SOURCES = \
	%D%/argv.c %D%/argv.h \
	%D%/drupe-backend.h \
	%D%/error.c %D%/error.h \
	%D%/fd.c %D%/fd.h \
	%D%/host.c %D%/host.h \
	%D%/policy-ini.c \
	%D%/policy-keys.c \
	%D%/policy-sink.h \
	%D%/policy-yaml.c \
	%D%/policy.c %D%/policy.h \
	%D%/registry.c %D%/registry.h \
	%D%/trust.c %D%/trust.h \
	%D%/utf8.c %D%/utf8.h \
	%D%/value.c %D%/value.h
nodist_libdrupe_core_la_SOURCES = %D%/policy-builtin.c
libdrupe_core_la_CFLAGS = $(AM_CFLAGS) $(YAML_CFLAGS) $(INIH_CFLAGS) $(JANSSON_CFLAGS) \
	$(LIBMD_CFLAGS) -fvisibility=hidden
libdrupe_core_la_CPPFLAGS = $(AM_CPPFLAGS) \
	-DBACKENDDIR='"$(backenddir)"' \
	-DGUARD_PATH='"$(guarddir)/drupe-guard"' \
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
