#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# tree.sh RELEASE: this source, built with the libraries of RELEASE on the CPU of the host
# (that of the guest is about 15 times slower), as a disk: $DRUPE_VM_DIR/RELEASE.tree/disk,
# the guest's /srv.
. "$(dirname "$0")/lib.sh"
need bwrap mke2fs tar
release=$1
root=$VM_DIR/$release/root
place=$VM_DIR/$release.tree

inside() { # COMMAND...: in the root of the image, as it will lie in the guest; no network
	bwrap --ro-bind "$root" / --dev /dev --proc /proc --tmpfs /tmp --bind "$place/srv" /srv \
		--unshare-net --unshare-pid --die-with-parent --chdir /srv/drupe \
		--clearenv --setenv PATH /usr/sbin:/usr/bin:/sbin:/bin --setenv HOME /srv \
		--setenv LC_ALL C.UTF-8 "$@"
}

rm -rf "$place"
mkdir -p "$place/srv/drupe"
tar -C "$SOURCE" --exclude=./.git --exclude='./build*/' --exclude='./drupe-*' \
	--exclude=./autom4te.cache --exclude=./config.status --exclude='*.o' --exclude='*.lo' \
	--exclude='*.la' --exclude='.libs' --exclude='.deps' --exclude='*.log' --exclude='*.trs' \
	-cf - . | tar --no-same-owner -C "$place/srv/drupe" -xf -
chmod -R go-w "$place/srv/drupe"
inside sh -c './bootstrap && ./configure --enable-werror && make -j2 &&
	make -j2 bench-run && make -j2 check TESTS=' >"$place/log" 2>&1 </dev/null || {
	tail -n 40 "$place/log" >&2
	die "drupe does not build on $release"
}
rm -rf "$place"/srv/drupe/autom4te.cache
# What arms.sh is to run; empty: as it sees fit.
long=0
[ "${DRUPE_TEST_LONG:-0}" != 1 ] || long=1
printf 'ARMS=%q\nTESTS=%q\nRUNS=%q\nROUNDS=%q\nLONG=%q\n' "${DRUPE_VM_ARMS:-}" \
	"${DRUPE_VM_TESTS:-}" "${DRUPE_VM_RUNS:-}" "${DRUPE_VM_ROUNDS:-}" \
	"$long" >"$place/srv/conf"
truncate -s 2G "$place/disk"
mke2fs -q -F -t ext4 -L drupe-srv -d "$place/srv" "$place/disk"
