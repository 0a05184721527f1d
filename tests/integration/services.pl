# SPDX-License-Identifier: LGPL-2.1-or-later
# What the network tests talk to.  Each writes READY when it listens, and to LOG who came.
#
#   perl services.pl tcp READY LOG ADDRESS PORT NAME    answers a line with "NAME: LINE"
#   perl services.pl dns READY LOG ADDRESS PORT NAME A AAAA
#                        knows one name, and its addresses ("-": none)
use strict;
use warnings;
use IO::Socket::IP;
use Socket qw(AF_INET AF_INET6 inet_pton);

my ($kind, $ready, $log, $address, $port, $name, @records) = @ARGV;

sub append {
	my ($file, $text) = @_;
	open(my $out, '>>', $file) or die "$file: $!\n";
	print $out "$text\n";
	close $out;
}

sub serve_tcp {
	my $socket = IO::Socket::IP->new(
		LocalHost => $address, LocalPort => $port, Listen => 64, ReuseAddr => 1,
		V6Only => 1) or die "$address:$port: $@\n";
	append($ready, 'ready');
	while (my $peer = $socket->accept) {
		append($log, $peer->peerhost);
		local $SIG{ALRM} = sub { close $peer };
		alarm 5;
		my $line = <$peer> // '';
		alarm 0;
		print $peer "$name: $line";
		close $peer;
	}
}

sub answer {
	my ($query) = @_;
	my ($id, $at, @labels) = (unpack('n', $query), 12);
	while ((my $length = ord(substr($query, $at, 1))) > 0) {
		push @labels, substr($query, $at + 1, $length);
		$at += 1 + $length;
	}
	my ($type) = unpack('n', substr($query, $at + 1, 2));
	my $question = substr($query, 12, $at + 5 - 12);
	my $known = lc(join '.', @labels) eq $name;
	my $data = !$known ? undef
		: $type == 1 && $records[0] ne '-' ? inet_pton(AF_INET, $records[0])
		: $type == 28 && $records[1] ne '-' ? inet_pton(AF_INET6, $records[1]) : undef;
	my $header = pack('n6', $id, $known ? 0x8180 : 0x8183, 1, defined $data ? 1 : 0, 0, 0);
	return $header . $question unless defined $data;
	return $header . $question . pack('nnnNn', 0xc00c, $type, 1, 60, length $data) . $data;
}

sub serve_dns {
	my $socket = IO::Socket::IP->new(
		LocalHost => $address, LocalPort => $port, Proto => 'udp') or
		die "$address:$port: $@\n";
	append($ready, 'ready');
	while (defined(my $peer = $socket->recv(my $query, 2048))) {
		next if length $query < 17;
		append($log, 'query');
		$socket->send(answer($query), 0, $peer);
	}
}

$kind eq 'tcp' ? serve_tcp() : serve_dns();
