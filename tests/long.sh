#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# long.sh [PART...]: what `make check-long` runs, as root; all of it takes hours.
#   suite       the test command of README, with storms of kills in full length
#   sanitizers  the same under ASan and UBSan
#   vm          the scopes in booted Debians: every arm, and every test of it
set -uo pipefail
umask 022
export LC_ALL=C.UTF-8 DRUPE_TEST_LONG=1
unset CDPATH MAKEFLAGS MFLAGS MAKELEVEL
DRUPE_TRY_DIR=$(realpath -m "${DRUPE_TRY_DIR:-/var/lib/drupe-try}")
DRUPE_VM_DIR=$(realpath -m "${DRUPE_VM_DIR:-$DRUPE_TRY_DIR/vm}")
export DRUPE_TRY_DIR DRUPE_VM_DIR
PLACE=$DRUPE_TRY_DIR/long
cd "$(dirname "$0")/.." || exit
. tests/parts.sh

suite() {
	DRUPE_TRY_DIR=$PLACE/suite ./try test
}

sanitizers() {
	DRUPE_TRY_DIR=$PLACE/sanitizers ./try test --enable-sanitizers
}

vm() {
	tests/vm/check.sh
}

mkdir -p "$PLACE"
parts "suite sanitizers vm" "$@"
