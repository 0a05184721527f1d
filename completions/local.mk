# SPDX-License-Identifier: LGPL-2.1-or-later
# Shell completions.  A distribution with other folders sets these variables
# on make's command line (zshcompletiondir=/usr/share/zsh/vendor-completions).
# FILL is the one of the man pages.

bashcompletiondir = $(datadir)/bash-completion/completions
bashcompletion_DATA = %D%/bash/drupe
zshcompletiondir = $(datadir)/zsh/site-functions
zshcompletion_DATA = %D%/zsh/_drupe
fishcompletiondir = $(datadir)/fish/vendor_completions.d
fishcompletion_DATA = %D%/fish/drupe.fish
EXTRA_DIST += %D%/drupe %D%/_drupe %D%/drupe.fish
CLEANFILES += $(bashcompletion_DATA) $(zshcompletion_DATA) $(fishcompletion_DATA)

%D%/bash/drupe: %D%/drupe Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(FILL) $(srcdir)/%D%/drupe >$@.tmp && mv $@.tmp $@

%D%/zsh/_drupe: %D%/_drupe Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(FILL) $(srcdir)/%D%/_drupe >$@.tmp && mv $@.tmp $@

%D%/fish/drupe.fish: %D%/drupe.fish Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(FILL) $(srcdir)/%D%/drupe.fish >$@.tmp && mv $@.tmp $@
