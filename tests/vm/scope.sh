# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# What the tests of scopes share: tests/integration/lib.sh, and the manager of the caller.
# DRUPE_VM is the kind of caller (see guest/arms.sh); without it there is no such test.
[ -n "${DRUPE_VM:-}" ] || {
	echo "1..0 # SKIP for a guest of \`make check-vm\`"
	exit 0
}
# shellcheck source=tests/integration/lib.sh
. "${srcdir:-.}/tests/integration/lib.sh"
# Emulated, a run takes seconds to start.
WAIT_SECONDS=240
SCOPE=${SCOPE:-systemd}

# scoped NAME CGROUP [LINE-OF-PROFILE...]: a policy with a scope. SCOPE_OPTIONS at the top.
scoped() {
	local name=$1 cgroup=$2 line
	shift 2
	{
		printf 'version: 1\ntmp_root: %s\n' "$TMPROOT"
		[ -z "${SCOPE_OPTIONS:-}" ] || printf 'options: %s\n' "$SCOPE_OPTIONS"
		printf 'backends: {scope: %s, network: none}\nprofiles:\n  build:\n' "$SCOPE"
		printf '    timeout: %s\n    cgroup: {%s}\n' "${POLICY_TIMEOUT:-60s}" "$cgroup"
		for line in "$@"; do
			printf '    %s\n' "$line"
		done
	} >"$CONF/$name.yaml"
}

# As the arm's caller: root names the user, by whose hand nothing else is done.
exec_caller() { # ARG-OF-drupe...
	if as_root; then
		exec "$DRUPE" "$1" -u "$TEST_USER" "${@:2}"
	fi
	exec "$DRUPE" "$@"
}

caller() {
	(exec_caller "$@") >"$OUT" 2>"$ERR" </dev/null
	rc=$?
}

scope_run() { # [OPTION...] -- COMMAND...: by the policy $POLICY
	caller run -p "$CONF/${POLICY:-limits}.yaml" -w "$WS" "$@"
}

manager() { # COMMAND... of systemctl
	if as_root; then
		systemctl "$@"
	else
		systemctl --user "$@" 2>/dev/null # a service has none
	fi
}

units() {
	manager list-units --all --no-legend --plain 'drupe-*.scope' | awk '{ print $1, $3 }'
}

cgroups() {
	find /sys/fs/cgroup -type d -name 'drupe-*.scope' 2>/dev/null
}

# Nothing is in the manager, nor in the kernel: no unit, failed or not, no cgroup, no
# process. The manager may need a moment; emulated, a long one.
nothing_left() { # [SECONDS]
	local i left

	for ((i = 0; i < ${1:-20}; i++)); do
		left=$(units; cgroups; left_over; ls -A "$TMPROOT")
		[ -n "$left" ] || return 0
		sleep 1
	done
	printf 'left over: %s\n' "$left" | note
	return 1
}

# At once, when the result was returned: neither a process nor the cgroup.
gone() { # MARK
	local left

	left=$(pgrep -f "$1"; cgroups)
	[ -z "$left" ] || { note <<<"still there: $left"; return 1; }
}

refused() { # STAGE CODE: the last --json call, nothing of it ran
	is "... is refused, and says what" "$rc $(refusal) $(test -e "$WS/RAN" && echo RAN)" \
		"125 $1 $2 "
	ok "... and what to do" test "$(field refusal.hint)" != null
	rm -f "$WS/RAN"
}
RAN='echo RAN >RAN'
