#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# embed.sh HEADER NAME: stdin as the C array NAME of HEADER; numbers, so that no quoting
# can err.
set -e
printf '#include "%s"\nconst char %s[] = {\n' "$1" "$2"
od -An -v -tu1 | sed 's/[0-9][0-9]*/&,/g'
echo '0 };'
