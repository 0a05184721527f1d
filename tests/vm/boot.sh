#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# boot.sh RELEASE: boots the image with the tree and prints what the guest said between its
# two marks. Exit status: what followed the second; 1 where that did not come.
#   DRUPE_VM_SECONDS  until the guest is ended (1800; long 7200)
#   DRUPE_VM_CPUS     processors of the guest (1)
# Emulated, never by KVM: that works anywhere, and nested it may hang. One plain processor a
# guest is emulated at half the cost of two that can do all; guests run beside each other.
. "$(dirname "$0")/lib.sh"
need qemu-system-x86_64
release=$1
image=$VM_DIR/$release
tree=$VM_DIR/$release.tree
# In the marks, so that nothing else that is printed looks like them.
token=$(od -An -N8 -tx8 /dev/urandom | tr -d ' ')
console=$tree/console
seconds=1800
[ "${DRUPE_TEST_LONG:-0}" != 1 ] || seconds=7200
status=0

timeout -k 10 "${DRUPE_VM_SECONDS:-$seconds}" qemu-system-x86_64 \
	-accel tcg -cpu Nehalem -smp "${DRUPE_VM_CPUS:-1}" -m 2G -nographic -no-reboot -nic none \
	-kernel "$image/vmlinuz" -initrd "$image/initrd" \
	-append "console=ttyS0 root=/dev/vda rw panic=-1 quiet loglevel=3 mitigations=off drupe.vm=$token" \
	-drive "file=$image/disk,if=virtio,format=raw,cache=unsafe,snapshot=on" \
	-drive "file=$tree/disk,if=virtio,format=raw,cache=unsafe" \
	</dev/null >"$console" 2>&1 || status=$?
sed -i 's/\r//g' "$console"
sed -n "/^=== begin $token\$/,/^=== end $token /{/^=== \(begin\|end\) $token/d;p}" "$console"
said=$(sed -n "s/^=== end $token \([0-9][0-9]*\)\$/\1/p" "$console")
if [ -z "$said" ]; then
	echo "check-vm: $release did not finish (qemu: $status); the end of its console:" >&2
	tail -n 30 "$console" | tr -cd '[:print:]\n' >&2
	exit 1
fi
exit "$said"
