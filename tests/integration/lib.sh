# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# What the integration tests of runs share.  To be sourced; prints TAP.
#   DRUPE            the program                                   (./drupe)
#   DRUPE_TEST_USER  as root: who calls it             (drupe-test, sbx or nobody)
# Sets:
#   WORK     a fresh folder of that user, in no place that is special to drupe
#   CONF     beside it, for policies; TMPROOT for private tmps
#   OUT ERR  files with what the last `drupe` printed; rc its status
# The test dies after TEST_SECONDS; a single call of drupe after CALL_SECONDS.
#   DRUPE_TEST_LONG=1   loops have their full length, see `rounds`
set -u
umask 022
export LC_ALL=C
unset CDPATH ENV BASH_ENV
CALL_SECONDS=${CALL_SECONDS:-120}
TEST_N=0
TEST_FAILED=0

# ---- TAP -----------------------------------------------------------------------------

# How often a loop goes round that finds more the longer it runs.
rounds() { # SHORT LONG
	if [ "${DRUPE_TEST_LONG:-0}" = 1 ]; then
		echo "$2"
	else
		echo "$1"
	fi
}

plan_end() {
	echo "1..$TEST_N"
	exit "$TEST_FAILED"
}

skip_all() { # WHY
	echo "1..0 # SKIP $1"
	exit 0
}

note() { # as comment lines: what stdin says
	head -c 2000 | tr -c '[:print:]\n' '?' | sed 's/^/# /; $a\'
}

pass() { # DESC
	TEST_N=$((TEST_N + 1))
	echo "ok $TEST_N - $1"
}

fail() { # DESC: details on stdin
	TEST_N=$((TEST_N + 1))
	TEST_FAILED=1
	echo "not ok $TEST_N - $1"
	note
}

skip() { # DESC WHY
	TEST_N=$((TEST_N + 1))
	echo "ok $TEST_N - $1 # SKIP $2"
}

# What the last call printed, for a case that fails.
last_call() {
	echo "status ${rc:-none}"
	[ ! -s "$OUT" ] || { echo "stdout:"; head -c 600 "$OUT"; echo; }
	[ ! -s "$ERR" ] || { echo "stderr:"; head -c 600 "$ERR"; echo; }
	return 0
}

ok() { # DESC COMMAND...: it must succeed
	local desc=$1
	shift
	if "$@"; then
		pass "$desc"
	else
		fail "$desc" < <(echo "failed: $*"; last_call)
	fi
}

is() { # DESC GOT EXPECTED
	if [ "$2" = "$3" ]; then
		pass "$1"
	else
		fail "$1" < <(printf 'got:      %s\nexpected: %s\n' "$2" "$3"; last_call)
	fi
}

like() { # DESC GOT REGEX
	if [[ $2 =~ $3 ]]; then
		pass "$1"
	else
		fail "$1" < <(printf 'got:            %s\nexpected match: %s\n' "$2" "$3"; last_call)
	fi
}

# ---- who and where -------------------------------------------------------------------

# Signals that our caller ignores or blocks (nohup, a shell's background job) would be
# those of every drupe here; bash cannot undo that by itself.
command -v perl >/dev/null || skip_all "perl is not installed"
signals_as_usual() {
	local name value

	while read -r name value; do
		case $name in
		# Bash itself ignores SIGQUIT, though not its children; perl SIGFPE; and
		# those above 31 are the C library's.
		SigBlk: | SigIgn:) [ "$((16#$value & 0x7fffff7b))" -eq 0 ] || return 1 ;;
		esac
	done <"/proc/$$/status"
}
[ -n "${DRUPE_TEST_SIGNALS:-}" ] || signals_as_usual ||
	DRUPE_TEST_SIGNALS=reset exec perl -MPOSIX -e '
	for my $number (1 .. 31) {
		POSIX::sigaction($number, POSIX::SigAction->new("DEFAULT"));
	}
	sigprocmask(SIG_SETMASK, POSIX::SigSet->new);
	exec @ARGV or exit 99' "$BASH" "$0" "$@"
unset DRUPE_TEST_SIGNALS

# make may have been called without one.
exec </dev/null

as_root() {
	[ "$(id -u)" -eq 0 ]
}

pick_user() {
	local name

	if ! as_root; then
		id -un
		return
	fi
	for name in ${DRUPE_TEST_USER:-drupe-test sbx nobody}; do
		if [ "$(id -u "$name" 2>/dev/null || echo 0)" -ne 0 ]; then
			echo "$name"
			return
		fi
	done
}

# exec as the test user: no process in between, so that signals arrive.
exec_as_user() { # COMMAND...
	if as_root; then
		exec setpriv --reuid "$TEST_USER" --regid "$TEST_GID" --init-groups \
			env HOME="$TEST_HOME" USER="$TEST_USER" LOGNAME="$TEST_USER" "$@"
	fi
	exec env HOME="$TEST_HOME" "$@"
}

as_user() { # COMMAND...
	(exec_as_user timeout -k 5 "$CALL_SECONDS" "$@")
}

# A place that is neither special to drupe nor unreachable for the test user.
pick_base() {
	local place resolved base candidates=("$TEST_HOME" "$PWD" /srv)

	! as_root || candidates=(/srv "$TEST_HOME" "$PWD" /opt)
	for place in "${candidates[@]}"; do
		resolved=$(realpath -e -- "$place" 2>/dev/null) || continue
		case $resolved in
		/ | /tmp | /tmp/* | /var/tmp | /var/tmp/* | /usr/* | /etc/* | /run/* | /proc/* | \
			/sys/* | /dev/* | /root | /root/*) continue ;;
		esac
		base=$(mktemp -d "$resolved/drupe-test.XXXXXX" 2>/dev/null) || continue
		chmod 755 "$base"
		if as_user test -x "$base"; then
			echo "$base"
			return
		fi
		rmdir "$base"
	done
}

# A build below /root or another closed folder: the test user gets a copy.
reachable_drupe() {
	local built

	built=$(realpath -e -- "${DRUPE:-./drupe}") || return
	if as_user test -x "$built" && as_user test -x "${built%/*}/drupe-guard" &&
		as_user test -r "${built%/*}/plugins/.libs/launcher-bwrap.so"; then
		echo "$built"
		return
	fi
	mkdir -p "$BASE/bin/plugins/.libs" &&
		cp -- "$built" "${built%/*}"/drupe-{guard,netns} "$BASE/bin/" &&
		cp -- "${built%/*}"/plugins/.libs/*.so "$BASE/bin/plugins/.libs/" &&
		echo "$BASE/bin/drupe"
}

cleanup() {
	local pid

	trap - EXIT
	for pid in $WATCHDOG $(jobs -rp); do
		kill -KILL "$pid" 2>/dev/null
	done
	chmod -R u+rwX "$BASE" 2>/dev/null
	rm -rf -- "$BASE"
}

TEST_USER=$(pick_user)
[ -n "$TEST_USER" ] || skip_all "no unprivileged user to call drupe"
TEST_UID=$(id -u "$TEST_USER")
TEST_GID=$(id -g "$TEST_USER")
TEST_HOME=${HOME:-/}
! as_root || TEST_HOME=$(getent passwd "$TEST_USER" | cut -d: -f6)
for tool in bwrap prlimit setpriv timeout; do
	command -v "$tool" >/dev/null || skip_all "$tool is not installed"
done
as_user bwrap --unshare-user --unshare-pid --unshare-net --ro-bind / / --proc /proc \
	--dev /dev true 2>/dev/null ||
	skip_all "bwrap makes no sandbox for $TEST_USER here (user namespaces?)"
BASE=$(pick_base)
[ -n "$BASE" ] || skip_all "no place for a workspace ($TEST_HOME, $PWD, /srv)"
WATCHDOG=
trap cleanup EXIT
trap 'exit 1' HUP INT TERM
WORK=$BASE/work CONF=$BASE/conf TMPROOT=$BASE/tmp
OUT=$BASE/out ERR=$BASE/err
mkdir "$WORK" "$CONF" "$TMPROOT"
chmod 1777 "$TMPROOT"
! as_root || chown "$TEST_USER" "$WORK"
: >"$OUT"
: >"$ERR"
rc=
DRUPE=$(reachable_drupe)
[ -n "$DRUPE" ] || { echo "Bail out! there is no drupe"; exit 99; }
# The watchdog of the whole test; it ends with the test, whatever ends that.
(
	trap - EXIT HUP INT TERM
	for ((i = 0; i < ${TEST_SECONDS:-1800}; i++)); do
		sleep 1 >/dev/null 2>&1
		kill -0 $$ 2>/dev/null || exit 0
	done
	echo "Bail out! the test takes too long"
	kill -TERM $$
) &
WATCHDOG=$!
disown

# ---- calls ---------------------------------------------------------------------------

# Runs as the test user in the current folder; output to files, stdin empty.
drupe() { # ARG...
	as_user "$DRUPE" "$@" >"$OUT" 2>"$ERR" </dev/null
	rc=$?
}

# In another folder: at DIR COMMAND...; rc and files as COMMAND leaves them.
at() {
	pushd -- "$1" >/dev/null || return
	shift
	"$@"
	popd >/dev/null || return
}

out() {
	cat "$OUT"
}

err() {
	cat "$ERR"
}

# policy NAME [LINE-OF-PROFILE...]: $CONF/NAME.yaml with these keys of its one profile.
# POLICY_TOP is added at the top.
policy() {
	local name=$1 line
	shift
	{
		printf 'version: 1\ntmp_root: %s\n' "$TMPROOT"
		[ -z "${POLICY_TOP:-}" ] || printf '%s\n' "$POLICY_TOP"
		printf 'backends: {scope: none, network: none}\nprofiles:\n  build:\n'
		printf '    timeout: %s\n' "${POLICY_TIMEOUT:-45s}"
		for line in "$@"; do
			printf '    %s\n' "$line"
		done
	} >"$CONF/$name.yaml"
}

# run [POLICY=NAME before it] OPTION... -- COMMAND...: in the workspace $WS.
WS=$WORK/ws
as_user mkdir -p "$WS"
policy plain
run() {
	drupe run -p "$CONF/${POLICY:-plain}.yaml" -w "$WS" "$@"
}

# A script for the shell inside.
inside() { # SCRIPT [ARG...]
	run -- sh -c "$@"
}

# One value of the JSON object on stdin or in $OUT: field refusal.code
field() { # PATH [FILE]
	perl -e '
		use strict; use warnings;
		my ($path, $file) = @ARGV;
		open(my $in, "<:raw", $file) or die "$file: $!\n";
		local $/; my $text = <$in>; my $at = \$text;
		my %escape = (n => "\n", t => "\t", r => "\r", b => "\b", f => "\f");
		sub utf8 { my $s = chr($_[0]); utf8::encode($s); $s }
		sub unescape {
			my $s = shift;
			$s =~ s{\\u([dD][89abAB]..)\\u(....)|\\u(....)|\\(.)}{
				defined $1 ? utf8(0x10000 + ((hex($1) & 0x3ff) << 10) + (hex($2) & 0x3ff))
				: defined $3 ? utf8(hex $3) : $escape{$4} // $4}ge;
			return $s;
		}
		sub value {
			$text =~ /\G\s*/gc;
			if ($text =~ /\G\{\s*/gc) {
				my %h;
				until ($text =~ /\G\s*\}/gc) {
					$text =~ /\G\s*,?\s*"((?:[^"\\]++|\\.)*+)"\s*:/gc or die "key\n";
					my $k = unescape($1);
					die "twice: $k\n" if exists $h{$k};
					$h{$k} = value();
				}
				return \%h;
			}
			if ($text =~ /\G\[/gc) {
				my @a;
				until ($text =~ /\G\s*\]/gc) { $text =~ /\G\s*,/gc; push @a, value() }
				return \@a;
			}
			return unescape($1) if $text =~ /\G"((?:[^"\\\x00-\x1f]++|\\.)*+)"/gc;
			return $1 if $text =~ /\G(-?[0-9.eE+-]+|true|false|null)/gc;
			die "not JSON at " . (pos($text) // 0) . "\n";
		}
		my $v = value();
		$text =~ /\G\n?\z/ or die "something follows the object\n";
		for my $k (split /\./, $path) {
			$v = ref $v eq "ARRAY" ? $v->[$k] : ref $v eq "HASH" ? $v->{$k} : undef;
		}
		print defined $v ? ref $v eq "ARRAY" ? join("\n", map { ref ? "..." : $_ } @$v)
			: ref $v eq "HASH" ? join(" ", sort keys %$v) : $v : "(none)";
	' "$1" "${2:-$OUT}"
}

# The refusal of the last --json call as "stage code".
refusal() {
	echo "$(field refusal.stage) $(field refusal.code)"
}

# ---- what is left --------------------------------------------------------------------

# Every process that belongs to a run of this test: its command line has our paths or
# the marker, or it is a dead one below us that nobody reaped.  Others test here, too.
MARK=drupe-mark-$$-$RANDOM
left_over() {
	perl -e '
		my ($base, $mark, $self) = @ARGV;
		my (%parent, %dead);
		for my $dir (glob "/proc/[0-9]*") {
			my ($pid) = $dir =~ /(\d+)/;
			next if $pid == $$ || $pid == $self;
			open(my $in, "<", "$dir/cmdline") or next;
			local $/; my $line = <$in> // "";
			open(my $stat, "<", "$dir/stat") or next;
			my ($comm, $state, $ppid) = (<$stat> // "") =~ /\((.*)\) (\S) (\d+)/s or next;
			$parent{$pid} = $ppid;
			$dead{$pid} = "$pid $state $ppid $comm\n"
				if $state eq "Z" && $comm =~ /^(drupe|bwrap|prlimit)/;
			print "$pid $state $ppid $comm ", $line =~ tr/\0/ /r, "\n"
				if index($line, $mark) >= 0 ||
				index($line, $base) >= 0 && $line =~ /(drupe|bwrap)/;
		}
		for my $pid (keys %dead) {
			my $above = $parent{$pid};
			$above = $parent{$above} while defined $above && $above != $self;
			print $dead{$pid} if defined $above;
		}
	' "$BASE" "$MARK" "$$"
}

# Nothing of any run is left, neither process nor private tmp; it may take a moment
# after a kill.
clean() {
	local i left=x

	for ((i = 0; i < 600; i++)); do
		left=$(left_over; ls -A "$TMPROOT")
		[ -n "$left" ] || return 0
		sleep 0.05
	done
	printf 'left over: %s\n' "$left" | note
	return 1
}

# Until COMMAND... succeeds; it fails after a time that no healthy machine takes.
: "${WAIT_SECONDS:=60}"
await_that() { # COMMAND...
	local end=$((SECONDS + WAIT_SECONDS))

	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.02
	done
}

# Until something is in a file (written by a command inside, say).
await() { # FILE
	await_that test -s "$1"
}

# The first process of that name below PID.
descendant() { # PID NAME
	local child name
	for child in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do
		read -r name 2>/dev/null <"/proc/$child/comm" || continue
		[ "$name" != "$2" ] || { echo "$child"; return; }
		descendant "$child" "$2"
	done
}
