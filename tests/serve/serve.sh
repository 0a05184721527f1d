# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# What the tests of `drupe serve` share.  To be sourced; prints TAP.
export CALL_SECONDS=${CALL_SECONDS:-400}
. "${srcdir:-.}/tests/integration/lib.sh"
command -v python3 >/dev/null || skip_all "python3 is not installed"
SERVE=${srcdir:-.}/tests/serve
PY=$BASE/py
mkdir "$PY"
cp "$SERVE"/*.py "$PY/"
# By the environment: the programs look for MARK in command lines.
export CONF WS TMPROOT MARK PYTHONDONTWRITEBYTECODE=1
# The locale that the default names may be missing here, and perl would say so.
plain_policy() { # NAME [LINE...]
	policy "$@" 'env: {LANG: C.UTF-8}'
}
plain_policy plain

# Take the unnumbered TAP lines of a command, as ours.
relay() { # NAME, lines on stdin; the last is "exit STATUS"
	local line status=none

	while IFS= read -r line; do
		case $line in
		'ok - '*)
			TEST_N=$((TEST_N + 1))
			echo "ok $TEST_N - ${line#ok - }"
			;;
		'not ok - '*)
			TEST_N=$((TEST_N + 1))
			TEST_FAILED=1
			echo "not ok $TEST_N - ${line#not ok - }"
			;;
		'exit '*) status=${line#exit } ;;
		*) echo "# ${line#'# '}" ;;
		esac
	done
	case $status in
	[01]) ;;
	*) fail "$1 comes to its end" <<<"status $status" ;;
	esac
}

# A program of this folder, as the test user: program NAME ARG...
program() {
	local name=$1
	shift
	relay "$name" < <(
		as_user python3 "$PY/$name.py" "$DRUPE" "$@" 2>&1
		echo "exit $?"
	)
}

# The same as root; the policy names a user.
program_as_root() {
	local name=$1
	shift
	relay "$name" < <(
		timeout -k 5 "$CALL_SECONDS" python3 "$PY/$name.py" "$DRUPE" "$@" 2>&1
		echo "exit $?"
	)
}

# A folder that is laid out as a build tree is, which the test user can read: TREE with
# the library in TREE/.libs and its header in TREE/include.
LIBRARY=${builddir:-.}/.libs/libdrupe.so
make_tree() {
	local built=${builddir:-.}

	TREE=$BASE/tree
	mkdir -p "$TREE/plugins/.libs" "$TREE/.libs" "$TREE/include/drupe" &&
		cp -- "$built"/drupe-{guard,netns} "$TREE/" &&
		cp -- "$built"/plugins/.libs/*.so "$TREE/plugins/.libs/" &&
		cp -P -- "$LIBRARY"* "$TREE/.libs/" &&
		cp -- "${srcdir:-.}/src/drupe.h" "$TREE/include/drupe/"
}
