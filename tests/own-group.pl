# SPDX-License-Identifier: LGPL-2.1-or-later
# own-group.pl COMMAND...: in a process group of its own, with a parent that stays outside.
# The kernel hangs up a whole orphaned group (that of a suite below cron, ssh or a service,
# say) when one of its processes ends while another one is stopped; tests do stop some.
use strict;
use warnings;
use POSIX;

$SIG{CHLD} = 'DEFAULT';
my $pid = fork // die "fork: $!\n";
if (!$pid) {
	setpgrp;
	no warnings 'exec';
	exec { $ARGV[0] } @ARGV or print STDERR "$ARGV[0]: $!\n";
	POSIX::_exit(127);
}
for my $name (qw(HUP INT TERM)) {
	next if ($SIG{$name} // '') eq 'IGNORE';
	$SIG{$name} = sub { kill $name, -$pid };
}
1 until waitpid($pid, 0) == $pid;
exit($? & 127 ? 128 + ($? & 127) : $? >> 8);
