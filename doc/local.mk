# SPDX-License-Identifier: LGPL-2.1-or-later
# The man pages.  @policydir@ and the like are filled in with the folders of this
# build, so that the installed pages name the files that are really looked at.

man_MANS = \
	%D%/man/drupe.1 \
	%D%/man/drupe-backend.3 \
	%D%/man/drupe-policy.5 \
	%D%/man/drupe-serve.7 \
	%D%/man/libdrupe.3
TESTS += %D%/docs.test
EXTRA_DIST += %D%/docs.test %D%/keys.awk %D%/drupe.1 %D%/drupe-backend.3 %D%/drupe-policy.5 \
	%D%/drupe-serve.7 %D%/libdrupe.3
CLEANFILES += $(man_MANS)

check_PROGRAMS += %D%/print-keys
%C%_print_keys_SOURCES = %D%/print-keys.c
%C%_print_keys_LDADD = libdrupe-core.la

FILL = $(SED) \
	-e 's|@policydir[@]|$(sysconfdir)/drupe|g' \
	-e 's|@backenddir[@]|$(backenddir)|g' \
	-e 's|@guarddir[@]|$(guarddir)|g' \
	-e 's|@docdir[@]|$(docdir)|g' \
	-e 's|@bindir[@]|$(bindir)|g' \
	-e 's|@includedir[@]|$(includedir)|g' \
	-e 's|@BWRAP_PATH[@]|$(BWRAP_PATH)|g' \
	-e 's|@PASTA_PATH[@]|$(PASTA_PATH)|g' \
	-e 's|@PRLIMIT_PATH[@]|$(PRLIMIT_PATH)|g' \
	-e 's|@SLIRP4NETNS_PATH[@]|$(SLIRP4NETNS_PATH)|g' \
	-e 's|@VERSION[@]|$(PACKAGE_VERSION)|g'

%D%/man/drupe.1: %D%/drupe.1 Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(FILL) $(srcdir)/%D%/drupe.1 >$@.tmp && mv $@.tmp $@

%D%/man/drupe-policy.5: %D%/drupe-policy.5 Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(FILL) $(srcdir)/%D%/drupe-policy.5 >$@.tmp && mv $@.tmp $@

%D%/man/drupe-backend.3: %D%/drupe-backend.3 Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(FILL) $(srcdir)/%D%/drupe-backend.3 >$@.tmp && mv $@.tmp $@

%D%/man/drupe-serve.7: %D%/drupe-serve.7 Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(FILL) $(srcdir)/%D%/drupe-serve.7 >$@.tmp && mv $@.tmp $@

%D%/man/libdrupe.3: %D%/libdrupe.3 Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(FILL) $(srcdir)/%D%/libdrupe.3 >$@.tmp && mv $@.tmp $@

# For maintainers: both formatters must be silent.
.PHONY: lint-man
lint-man: $(man_MANS)
	mandoc -T lint -W warning $(man_MANS)
	for page in $(man_MANS); do \
		groff -ww -t -man -Tutf8 $$page 2>&1 >/dev/null | { ! grep .; } || exit 1; \
	done
