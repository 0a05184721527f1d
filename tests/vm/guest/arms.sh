#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# In the guest, as root, from drupe-vm.service: the tests, by each kind of caller.
#   user     unprivileged, lingering, from a service of the own user manager
#   root     the system manager
#   service  a system service of a user who has no manager
#   cost     no tests: as `user`, what tests/vm/cost.sh measures
# What the arms print goes to the host between two marks; see boot.sh.
set -u
umask 022
export LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin
SRV=/srv
TREE=$SRV/drupe
# Emulated processors are slow; a test that hangs is ended all the same.
limits=(CALL_SECONDS=240 WAIT_SECONDS=240 TEST_SECONDS=900)
token=$(sed -n 's/.*drupe\.vm=\([0-9a-f]*\).*/\1/p' /proc/cmdline)
failed=0
# shellcheck source=/dev/null
. "$SRV/conf"
limits+=(DRUPE_TEST_LONG="$LONG")
[ "$LONG" = 0 ] || limits+=(TEST_SECONDS=1800)
[ -z "${ROUNDS:-}" ] || limits+=(DRUPE_VM_ROUNDS="$ROUNDS" TEST_SECONDS=7200)

# Either the core of each, or all that versions of tools may change. All of the suite in each
# would take hours; the rest is the host's.
tests_of() { # ARM
	local in=tests/integration vm=tests/vm

	case $LONG-$1 in
	0-user) echo $vm/{scope,manager,inversions}.test ;;
	0-root) echo $vm/{scope,manager,cgroup2}.test $in/root.test ;;
	0-service) echo $vm/service.test ;;
	1-user) echo $vm/{scope,manager,inversions}.test $in/{limits,view}.test ;;
	1-root) echo $vm/{scope,manager,cgroup2}.test $in/{root,process}.test ;;
	1-service) echo $vm/service.test $in/limits.test ;;
	esac
}

# make, in the arm's own copy of the tree.
caller() { # ARM COMMAND...
	local uid arm=$1
	shift
	case $arm in
	user | cost)
		uid=$(id -u drupe-test)
		runuser -u drupe-test -- env "XDG_RUNTIME_DIR=/run/user/$uid" \
			systemd-run --user --quiet --wait --pipe --collect --unit=drupe-vm \
			--working-directory="$TREE" -- "$@"
		;;
	root)
		env -C "$TREE" HOME=/root DRUPE_TEST_USER=drupe-test "$@"
		;;
	service)
		systemd-run --quiet --wait --pipe --collect --unit=drupe-vm-service \
			-p User=drupe-service -p Delegate=yes --working-directory="$TREE" \
			-- "$@"
		;;
	esac
}

owner() { # ARM
	case $1 in
	user | cost) echo drupe-test ;;
	root) echo root ;;
	service) echo drupe-service ;;
	esac
}

# The counts of automake, or, where there are none, an error as automake would count it.
report() { # ARM LOG
	local log=$2 name whole=()

	if ! grep -q '^# TOTAL: *[1-9]' "$log"; then
		tail -n 40 "$log"
		failed=1
		printf '# %s\n' 'TOTAL: 1' 'PASS:  0' 'SKIP:  0' 'XFAIL: 0' 'FAIL:  0' 'XPASS: 0' \
			'ERROR: 1'
		return
	fi
	grep -E '^(FAIL|ERROR|XPASS|SKIP|# (TOTAL|PASS|SKIP|XFAIL|FAIL|XPASS|ERROR))' "$log"
	# These were picked for this arm: one that skips itself as a whole was not run.
	mapfile -t whole < <(grep -rl '^:global-test-result: SKIP' "$TREE/tests" --include=*.trs)
	for name in "${whole[@]}"; do
		echo "not run: $name"
		failed=1
	done
}

# How long each test took, as they ended one after the other.
times() { # BEGIN
	local last=$1 now file

	while read -r now file; do
		echo "$((${now%.*} - last)) s ${file#"$TREE"/}"
		last=${now%.*}
	done < <(find "$TREE/tests" -name '*.trs' -newermt "@$1" -printf '%T@ %p\n' | sort -n)
}

# The arm's own copy of the tree, in the place of the tree.
enter() { # ARM
	mkdir -p "$SRV/arm/$1" "$SRV/log/$1"
	cp -a "$SRV/drupe" "$SRV/arm/$1/"
	chown -R "$(owner "$1"):" "$SRV/arm/$1/drupe"
	mount --bind "$SRV/arm/$1/drupe" "$TREE"
}

cost() {
	enter cost
	caller cost env DRUPE_VM_RUNS="${RUNS:-40}" tests/vm/cost.sh </dev/null || failed=1
	umount -l "$TREE"
}

arm() { # ARM
	local log=$SRV/log/$1/make begin=$SECONDS begin_time status=0 tests name

	tests=${TESTS:-$(tests_of "$1")}
	enter "$1"
	begin_time=$(date +%s)
	caller "$1" env "${limits[@]}" DRUPE_VM="$1" \
		make -k check-TESTS TESTS="$tests" >"$log" 2>&1 </dev/null || status=$?
	echo "=== $1: status $status, $((SECONDS - begin)) s"
	report "$1" "$log"
	times "$begin_time"
	for name in $(grep -lE '^:global-test-result: (FAIL|ERROR)' -r "$TREE/tests" --include=*.trs); do
		echo "--- $1: ${name%.trs}"
		grep -B 1 -A 12 -E '^(not ok|Bail out)' "${name%.trs}.log" | head -n 150
	done
	[ "$status" -eq 0 ] || failed=1
	find "$TREE/tests" -name '*.trs' | sed 's/trs$/log/' | xargs cp -t "$SRV/log/$1"
	umount -l "$TREE"
}

user_manager() {
	local i bus

	bus=/run/user/$(id -u drupe-test)/bus
	for ((i = 0; i < 600; i++)); do
		[ ! -S "$bus" ] || return 0
		sleep 0.5
	done
	echo "the user manager of drupe-test did not start"
	return 1
}

echo
echo "=== begin $token"
echo "Debian $(cat /etc/debian_version), Linux $(uname -r), $(systemctl --version | head -n 1)," \
	"$(bwrap --version)"
if user_manager; then
	for one in ${ARMS:-user root service}; do
		if [ "$one" = cost ]; then
			cost
		else
			arm "$one"
		fi
	done
else
	failed=1
fi
echo "=== end $token $failed"
sync
