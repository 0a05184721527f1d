# SPDX-License-Identifier: LGPL-2.1-or-later
# Clients to copy, beside the example policies of conf/.
dist_examples_DATA += %D%/README %D%/client.c
dist_examples_SCRIPTS = %D%/client.py %D%/client.sh
