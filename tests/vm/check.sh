#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What `make check-vm` runs: the tests, in each release of $DRUPE_VM_RELEASES.
. "$(dirname "$0")/lib.sh"
failed=0

# With its image and its tree each takes one processor, emulated or not: beside each other.
guest() { # RELEASE
	local begin=$SECONDS imaged built status=0

	"$VM/image.sh" "$1"
	imaged=$SECONDS
	"$VM/tree.sh" "$1"
	built=$SECONDS
	echo "=== $1: image $((imaged - begin)) s, build $((built - imaged)) s"
	"$VM/boot.sh" "$1" >"$VM_DIR/$1.said" 2>&1 || status=$?
	echo "=== $1: status $status after $((SECONDS - built)) s" >>"$VM_DIR/$1.said"
	return "$status"
}

[ -n "${RELEASES// /}" ] || die "no release"
mkdir -p "$VM_DIR"
declare -A guest
for release in $RELEASES; do
	: >"$VM_DIR/$release.said"
	guest "$release" &
	guest[$release]=$!
done
for release in $RELEASES; do
	wait "${guest[$release]}" || failed=1
	echo "=== $release"
	cat "$VM_DIR/$release.said"
done
# The sum of what automake counted in each arm; a guest without any counts as an error.
for release in $RELEASES; do
	grep -E '^# (PASS|SKIP|XFAIL|FAIL|XPASS|ERROR): *[0-9]+$' "$VM_DIR/$release.said" ||
		echo '# ERROR: 1'
done | awk '
	{ sum[$2] += $3 }
	END {
		printf "%d passed, %d failed, %d skipped\n", sum["PASS:"] + sum["XFAIL:"],
			sum["FAIL:"] + sum["XPASS:"] + sum["ERROR:"], sum["SKIP:"]
	}'
exit "$failed"
