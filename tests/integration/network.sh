# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# What the network tests share.  To be sourced before lib.sh, by a script that calls
# `lab` after it.  The script then runs in a network and a mount namespace of its own:
#
#   here, as a host:    203.0.113.1, 192.168.77.1, 2001:db8::1; listeners on 127.0.0.1
#   behind veth:        203.0.113.2 (the default gateway and the resolver), 2001:db8::2,
#                       198.51.100.7, 10.77.0.5, 169.254.169.254
#
# No packet is for an address outside of these two.  /etc is a copy, /dev/net our own.
skip_here() { # WHY: before lib.sh is there
	echo "1..0 # SKIP $1"
	exit 0
}

if [ -z "${DRUPE_LAB:-}" ]; then
	[ "$(id -u)" -eq 0 ] || skip_here "needs root, to make network namespaces"
	[ -c /dev/net/tun ] || skip_here "there is no /dev/net/tun"
	for tool in ip nsenter unshare slirp4netns; do
		command -v "$tool" >/dev/null || skip_here "$tool is not installed"
	done
	unshare --net --mount --propagation private true 2>/dev/null ||
		skip_here "no network and mount namespace can be made"
	DRUPE_LAB=1 exec unshare --net --mount --propagation private -- "$BASH" "$0" "$@"
fi
unset DRUPE_LAB

# A device that all may open, as udev makes it: in our mount namespace, for others test
# here, too.
own_tun() {
	mount -t tmpfs -o mode=755 tun /dev/net && mknod -m 0666 /dev/net/tun c 10 200 &&
		: <>/dev/net/tun
}
[ "$(stat -c %a /dev/net/tun)" = 666 ] || own_tun 2>/dev/null ||
	skip_here "no /dev/net/tun that all may open"

lab_cleanup() {
	local pid

	for pid in $(jobs -p); do
		kill -KILL "$pid"
		wait "$pid"
	done 2>/dev/null
	cleanup
}

IP=$(command -v ip)
SERVICES=$(cd "${srcdir:-.}/tests/integration" && pwd)/services.pl

# The neighbour: the namespace of a process.
there() { # COMMAND...: becomes it
	exec nsenter --net="/proc/$NEIGHBOUR/ns/net" -- "$@"
}

in_another_network() { # PID
	test "$(readlink "/proc/$1/ns/net")" != "$(readlink /proc/$$/ns/net)"
}

lab() {
	local address

	trap lab_cleanup EXIT
	unshare --net sleep 3600 &
	NEIGHBOUR=$!
	await_that in_another_network "$NEIGHBOUR"
	"$IP" link set lo up
	"$IP" link add veth0 type veth peer name veth1 netns "$NEIGHBOUR" ||
		skip_all "no veth can be made"
	"$IP" link add other type dummy 2>/dev/null || "$IP" link add other type veth
	"$IP" addr add 203.0.113.1/24 dev veth0
	"$IP" addr add 192.168.77.1/24 dev other
	"$IP" addr add 192.0.2.77/32 dev lo # as those are that a host announces
	"$IP" -6 addr add 2001:db8::1/64 dev veth0 nodad
	"$IP" link set veth0 up
	"$IP" link set other up
	(there "$IP" link set lo up)
	(there "$IP" addr add 203.0.113.2/24 dev veth1)
	(there "$IP" -6 addr add 2001:db8::2/64 dev veth1 nodad)
	for address in 198.51.100.7 10.77.0.5 169.254.169.254; do
		(there "$IP" addr add "$address/32" dev lo)
	done
	(there "$IP" link set veth1 up)
	"$IP" route add default via 203.0.113.2
	"$IP" -6 route add default via 2001:db8::2
	mkdir "$BASE/etc" &&
		mount -t tmpfs -o mode=755 etc "$BASE/etc" &&
		cp -a /etc/. "$BASE/etc/" 2>/dev/null
	mount --move "$BASE/etc" /etc || skip_all "no copy of /etc can be mounted"
	resolver "nameserver 203.0.113.2"
}

resolver() { # LINE...: of the host's resolv.conf
	rm -f /etc/resolv.conf
	printf '%s\n' "$@" >/etc/resolv.conf
}

# service here|there KIND ADDRESS PORT NAME...: in the background; who came: $BASE/NAME.log
# No path of the test is in its words, which `clean` would find.
service() {
	local where=$1 kind=$2 address=$3 port=$4 name=$5

	: >"$BASE/$name.log"
	(
		cd "$BASE" || exit
		set -- perl "$SERVICES" "$kind" "$name.ready" "$name.log" "$address" "$port" \
			"${@:5}"
		[ "$where" = here ] || there "$@"
		exec "$@"
	) &
	await "$BASE/$name.ready" || { echo "Bail out! no service $name"; exit 99; }
}

came() { # NAME: how many
	grep -c . "$BASE/$1.log"
}

# network_policy NAME BACKEND [LINE-OF-PROFILE...]; options of the backend: $OPTIONS
network_policy() {
	local name=$1 backend=$2 line

	shift 2
	{
		printf 'version: 1\ntmp_root: %s\n' "$TMPROOT"
		printf 'backends: {scope: none, network: %s}\n' "$backend"
		[ -z "${OPTIONS:-}" ] || printf 'options:\n  %s: {%s}\n' "$backend" "$OPTIONS"
		printf 'profiles:\n  build:\n    network: %s\n' "${GRANT:-always}"
		printf '    env: {LANG: C.UTF-8}\n    timeout: %s\n' "${POLICY_TIMEOUT:-45s}"
		for line in "$@"; do
			printf '    %s\n' "$line"
		done
	} >"$CONF/$name.yaml"
}

# What a script for the shell inside may use: `reach ADDRESS PORT` prints the answer of a
# tcp service, or the reason why there is none.
# shellcheck disable=SC2016 # $ is for the shell inside
REACH='reach() {
	timeout 6 bash -c '\''exec 3<>"/dev/tcp/$0/$1" && echo hello >&3 && cat <&3'\'' "$1" "$2" 2>&1 |
		sed "s/^[^ ]*: connect: //; /^[^ ]*: line 1:/d" | grep . || echo nothing
}
'

net() { # POLICY SCRIPT [OPTION...]
	POLICY=$1 run "${@:3}" -- bash -c "$REACH$2"
}

# Helpers that are left: processes of the test user in our network namespace, and
# drupe-netns, which leaves that but not our mount namespace.
helpers() {
	perl -e '
		my $uid = shift;
		sub space { my ($pid, $kind) = @_; readlink("/proc/$pid/ns/$kind") // "" }
		for my $dir (glob "/proc/[0-9]*") {
			open(my $in, "<", "$dir/comm") or next;
			chomp(my $comm = <$in> // next);
			my $kind = $comm eq "drupe-netns" ? "mnt"
				: $comm =~ /^(slirp4netns|passt|pasta|fake-helper)/ ? "net" : next;
			open(my $status, "<", "$dir/status") or next;
			my ($owner) = join("", <$status>) =~ /^Uid:\t(\d+)/m or next;
			my ($pid) = $dir =~ /(\d+)/;
			print "$pid $comm\n" if $owner == $uid && space($pid, $kind) eq space("self", $kind);
		}
	' "$TEST_UID"
}

no_helper() {
	test -z "$(helpers)"
}

no_helpers() {
	await_that no_helper || { helpers | note; return 1; }
}

all_clean() {
	no_helpers && clean
}
