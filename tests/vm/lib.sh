# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# What the scripts of the host share. To be sourced.
#   DRUPE_VM_DIR       where images are kept between runs           ($DRUPE_TRY_DIR/vm)
#   DRUPE_VM_RELEASES  of Debian                             (bookworm trixie)
set -euo pipefail
umask 022
export LC_ALL=C.UTF-8
unset CDPATH MAKEFLAGS MFLAGS MAKELEVEL
VM=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
SOURCE=$(realpath "$VM/../..")
VM_DIR=$(realpath -m "${DRUPE_VM_DIR:-${DRUPE_TRY_DIR:-/var/lib/drupe-try}/vm}")
RELEASES=${DRUPE_VM_RELEASES:-bookworm trixie}

die() {
	echo "check-vm: $*" >&2
	exit 1
}

list() { # FILE...: the words that are no comment
	sed 's/#.*//' "$@" | tr -s ' \n' '\n' | sed '/^$/d' | sort -u
}

# Root, and every tool, or an error: a VM that cannot be is no test that passed.
need() { # TOOL...
	local tool

	[ "$(id -u)" -eq 0 ] || die "the images and their users need root"
	for tool; do
		command -v "$tool" >/dev/null ||
			die "$tool is not installed (packaging/vm-packages lists what is needed)"
	done
}
