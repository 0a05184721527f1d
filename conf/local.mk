# SPDX-License-Identifier: LGPL-2.1-or-later
# Policies to start from; their INI twins are examples, since a policy that exists in
# both formats is refused.
policydir = $(sysconfdir)/drupe
dist_policy_DATA = \
	%D%/agent.yaml \
	%D%/default.yaml
examplesdir = $(docdir)/examples
dist_examples_DATA = \
	%D%/agent.ini \
	%D%/default.ini
