# SPDX-License-Identifier: LGPL-2.1-or-later
# The AppArmor profile, for AppArmor 4 and later only: an older parser fails on it, so
# it is installed where AppArmor loads it only on --with-apparmor-dir.

EXTRA_DIST += %D%/drupe
CLEANFILES += %D%/profile/drupe
apparmorexampledir = $(docdir)/examples/apparmor
apparmorexample_DATA = %D%/profile/drupe
if HAVE_APPARMOR_DIR
apparmordir = $(APPARMOR_DIR)
apparmor_DATA = %D%/profile/drupe
endif

%D%/profile/drupe: %D%/drupe Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
		$(SED) -e 's|@bindir[@]|$(bindir)|g' $(srcdir)/%D%/drupe >$@.tmp && mv $@.tmp $@
