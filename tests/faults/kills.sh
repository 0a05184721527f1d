# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# What the tests share that kill: R10, whatever is killed, and whenever, nothing of a run
# survives; R5, and none of it lets the command go.  To be sourced; prints TAP.
# shellcheck source=tests/integration/lib.sh
. "${srcdir:-.}/tests/integration/lib.sh"
# shellcheck source=tests/faults/faults.sh
. "${srcdir:-.}/tests/faults/faults.sh"

EACH=$(rounds 8 25) # kills of a kind
policy kill 'limits: {nproc: 60, nofile: 256, core: 0}'
command=("$DRUPE" run -q -p "$CONF/kill.yaml" -w "$WS")
cd "$WS" || exit 99

# The moments go from before the executor did anything to well after the command was
# started, on this machine.
start=${EPOCHREALTIME/./}
for i in 1 2 3 4 5; do
	as_user "${command[@]}" -- ./hostile leave "$MARK-warm" </dev/null
done
span=$(((${EPOCHREALTIME/./} - start) * 2 / 5))
[ "$span" -gt 40000 ] || span=40000
echo "# moments: 0 to $span us"
rm -f "$WS/$MARK"*

kill_at() { # OPTION-OF-kill-at... DELAY ARG-OF-drupe... -> $OUT
	as_user "$BIN/kill-at" "$@" >"$OUT" 2>"$ERR" </dev/null
}

# More of them early, where a run has more states than later.
random_moment() { # -> $REPLY
	local first

	random_below "$span"
	first=$REPLY
	random_below $((first + 1))
}

n=0         # runs
ran=0       # of them, the command had run when all was over
processes=0 # kills that something survived
folders=0   # and that left a private tmp
spaces=0    # and that left a sandbox
details=$BASE/details

begin() {
	processes=0 folders=0 spaces=0
	: >"$details"
}

look() { # after a kill of run $n
	settle || { processes=$((processes + 1)); echo "$n: $LEFT" >>"$details"; }
	[ -z "$TMPS" ] || { folders=$((folders + 1)); echo "$n: $TMPS" >>"$details"; }
	! grep -q 'sandbox=lives' "$OUT" || spaces=$((spaces + 1))
	[ -z "$LEFT$TMPS" ] || sweep
	[ ! -e "$WS/$MARK-$n" ] || { ran=$((ran + 1)); : >"$BASE/ran-$n"; }
}

report() { # DESC
	if [ "$processes$folders$spaces" = 000 ]; then
		pass "$1: nothing is left"
	else
		fail "$1: nothing is left" < <(
			echo "kills survived: $processes, tmps left: $folders," \
				"sandboxes left: $spaces"
			cut -c1-200 "$details"
		)
	fi
}

modes=(sleep daemon disarm seize stop forks)

# Nothing is left of any run that could make a file now.
end_of_kills() {
	local i odd=

	ok "nothing is left" clean
	for ((i = 1; i <= n; i++)); do
		[ ! -e "$WS/$MARK-$i" ] || [ -e "$BASE/ran-$i" ] || odd+="$i "
	done
	is "no file of a command came later" "$odd" ""
	plan_end
}
