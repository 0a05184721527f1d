#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What `make check-vm` runs: the tests, in each release of $DRUPE_VM_RELEASES.
. "$(dirname "$0")/lib.sh"
failed=0

[ -n "${RELEASES// /}" ] || die "no release"
for release in $RELEASES; do
	begin=$SECONDS
	"$VM/image.sh" "$release"
	imaged=$SECONDS
	"$VM/tree.sh" "$release"
	echo "=== $release: image $((imaged - begin)) s, build $((SECONDS - imaged)) s"
done
# One processor each: they are emulated beside each other.
begin=$SECONDS
declare -A guest
for release in $RELEASES; do
	"$VM/boot.sh" "$release" >"$VM_DIR/$release.tree/said" 2>&1 &
	guest[$release]=$!
done
for release in $RELEASES; do
	status=0
	wait "${guest[$release]}" || status=$?
	echo "=== $release"
	cat "$VM_DIR/$release.tree/said"
	echo "=== $release: status $status after $((SECONDS - begin)) s"
	[ "$status" -eq 0 ] || failed=1
done
# The sums of what automake counted in each arm.
for release in $RELEASES; do
	RELEASE=$release perl -ne '
		$arms++ if /^=== (user|root|service): status/;
		$sum{$1} += $2 if /^# (TOTAL|PASS|SKIP|FAIL|ERROR): *(\d+)/;
		END {
			printf "=== %s: %d arms, %s\n", $ENV{RELEASE}, $arms,
				join ", ", map { ($sum{$_} // 0) . " " . lc } qw(TOTAL PASS SKIP FAIL ERROR);
		}' "$VM_DIR/$release.tree/said"
done
exit "$failed"
