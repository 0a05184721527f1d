# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# What .ci/run and `make check-long` share: parts, each with its seconds, its log and its
# counts; one that fails ends no other.  To be sourced; set PLACE to a folder before.

declare -a PART_ROWS=()
PARTS_FAILED=
PARTS_BEGIN=$SECONDS
PASSED=0 FAILED=0 SKIPPED=0

# A function that counts tests says so in a last line "N passed, N failed, N skipped".
part() { # NAME
	local name=$1 begin=$SECONDS status log=$PLACE/log/$1 counts p=0 f=0 s=0
	mkdir -p "$PLACE/log"
	printf '\n##### %s: begins at %s\n' "$name" "$(date +%T)"
	# Not in a condition: there -e would not be heeded.
	(
		set -euo pipefail
		"$name"
	) </dev/null 2>&1 | tee "$log"
	status=${PIPESTATUS[0]}
	counts=$(grep -xE '[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped' "$log" | tail -n 1)
	[ -z "$counts" ] || read -r p _ f _ s _ <<<"$counts"
	# A part that fails by something else than a test counts as one.
	[ "$status" -eq 0 ] || [ "$f" -gt 0 ] || f=1
	[ "$status" -eq 0 ] && [ "$f" -eq 0 ] || PARTS_FAILED+=" $name"
	PASSED=$((PASSED + p)) FAILED=$((FAILED + f)) SKIPPED=$((SKIPPED + s))
	PART_ROWS+=("$(printf '%-12s %7d %7d %7d %8d' "$name" $((SECONDS - begin)) "$p" "$f" "$s")")
	printf '##### %s: ends at %s, status %d, %d s\n' "$name" "$(date +%T)" "$status" \
		$((SECONDS - begin))
}

# parts "ALL PARTS" [PART...]: the functions of that name, then the table, the sum, and the
# status of the whole.
parts() {
	local name all=$1
	shift
	# shellcheck disable=SC2086
	[ $# -gt 0 ] || set -- $all
	for name; do
		[[ " $all " == *" $name "* ]] || {
			echo "no part \`$name', but: $all" >&2
			exit 2
		}
	done
	for name; do
		part "$name"
	done
	printf '\n%-12s %7s %7s %7s %8s\n' part seconds passed failed skipped
	printf '%s\n' "${PART_ROWS[@]}"
	printf '%-12s %7d %7d %7d %8d\n' total $((SECONDS - PARTS_BEGIN)) "$PASSED" "$FAILED" \
		"$SKIPPED"
	[ -z "$PARTS_FAILED" ] || echo "failed:$PARTS_FAILED"
	echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
	[ -z "$PARTS_FAILED" ]
}
