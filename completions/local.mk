# SPDX-License-Identifier: LGPL-2.1-or-later
# Shell completions.  A distribution with other folders sets these variables
# on make's command line (zshcompletiondir=/usr/share/zsh/vendor-completions).

bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = %D%/drupe
zshcompletiondir = $(datadir)/zsh/site-functions
dist_zshcompletion_DATA = %D%/_drupe
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_fishcompletion_DATA = %D%/drupe.fish
