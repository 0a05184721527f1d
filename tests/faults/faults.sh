# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# What the tests of kills and faults share.  To be sourced after lib.sh.
#   FAULTS  the folder with the built programs   ($builddir/tests/faults)
#   CC      compiles those that are not there
# Sets BIN, a folder with them that the test user reaches; $WS/hostile is there too.
FAULTS_SOURCE=$(cd "${srcdir:-.}/tests/faults" && pwd) || exit 99
FAULTS=${FAULTS:-${builddir:-.}/tests/faults}
BIN=$BASE/faults
mkdir "$BIN"

program() { # NAME SOURCE...
	local name=$1 source=("${@:2}")

	if [ -x "$FAULTS/$name" ]; then
		cp -- "$FAULTS/$name" "$BIN/"
	elif command -v "${CC:-cc}" >/dev/null; then
		"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O1 -o "$BIN/$name" \
			"${source[@]/#/$FAULTS_SOURCE/}"
	else
		skip_all "neither $FAULTS/$name nor a compiler is there"
	fi || { echo "Bail out! cannot make $name"; exit 99; }
}

program kill-at kill-at.c
program hostile hostile.c disarm.c
program fill-keys fill-keys.c
cp "$BIN/hostile" "$WS/"

random_below() { # N -> $REPLY
	REPLY=$(((RANDOM * 32768 + RANDOM) % $1))
}

# Wait until no process of a run is left (but those whose line has EXCEPT); what is
# left then: $LEFT.  A guard ends after it removed the tmp, so whatever lies there
# when the last process is gone would lie there forever: $TMPS.
settle() { # [EXCEPT]
	local i

	for ((i = 0; i < 600; i++)); do
		LEFT=$(left_over)
		[ -z "${1:-}" ] || LEFT=$(grep -vF -- "$1" <<<"$LEFT")
		[ -n "$LEFT" ] || break
		sleep 0.05
	done
	TMPS=$(ls -A "$TMPROOT")
	[ -z "$LEFT" ]
}

# Take what is left away, so that the next case starts clean.
sweep() {
	local pid

	while read -r pid _; do
		[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null
	done <<<"$LEFT"
	chmod -R u+rwX "$TMPROOT" 2>/dev/null
	find "$TMPROOT" -mindepth 1 -delete 2>/dev/null
}
