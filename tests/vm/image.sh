#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# image.sh RELEASE: a bootable Debian in $DRUPE_VM_DIR/RELEASE, made where it is not there,
# was made by another recipe, or is not what was made. This alone downloads anything.
#   root/            its files, to build in
#   disk vmlinuz initrd
#   stamp            the recipe's hash, then what it made
. "$(dirname "$0")/lib.sh"
need apt-get e2fsck mke2fs mmdebstrap sha256sum
release=$1
place=$VM_DIR/$release

# What the host has configured, for another release: "deb URI SUITE main".
sources() {
	local uri suite

	# shellcheck disable=SC2016 # apt's own variables
	apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' \
		'Origin: Debian' 'Component: main' | sort -u | while read -r uri suite; do
		case $suite in
		*-security) echo "deb $uri $release-security main" ;;
		*-updates) echo "deb $uri $release-updates main" ;;
		*-*) ;;
		*) echo "deb $uri $release main" ;;
		esac
	done
}

# Of anything that the image depends on but the mirror.
recipe() {
	echo "$release" "$(dpkg --print-architecture)"
	list "$VM/guest/packages" "$SOURCE/packaging/build-packages"
	cat "$VM/image.sh" "$VM/guest/setup.sh" "$VM/guest/drupe-vm.service"
}

# Of what was made: sums of what is small; of the disk (gigabytes) and of root/ sizes and
# times of change.
content() {
	(
		cd "$place"
		sha256sum vmlinuz initrd
		stat -c '%n %s %Y' disk
		find root -printf '%P %y %m %U %G %s %T@\n' | sort | sha256sum
	)
}

fresh() {
	[ -s "$place/stamp" ] && cmp -s "$place/stamp" <(stamp 2>/dev/null) &&
		e2fsck -fn "$place/disk" >/dev/null 2>&1
}

stamp() {
	recipe | sha256sum
	content
}

make_image() {
	local packages files

	packages=$(list "$VM/guest/packages" "$SOURCE/packaging/build-packages" | paste -sd,)
	mapfile -t files < <(sources)
	[ ${#files[@]} -gt 0 ] || die "no Debian mirror is configured (apt-get update?)"
	rm -rf "$place"
	mkdir -p "$place/root"
	mmdebstrap --quiet --variant=minbase --mode=root --include="$packages" \
		--customize-hook="copy-in $VM/guest/drupe-vm.service /etc/systemd/system" \
		--customize-hook="upload $VM/guest/setup.sh /setup.sh" \
		--customize-hook='chroot "$1" sh /setup.sh && rm "$1/setup.sh"' \
		"$release" "$place/root" "${files[@]}" >"$place/log" 2>&1 || {
		tail -n 30 "$place/log" >&2
		die "no image of $release"
	}
	cp "$place"/root/boot/vmlinuz-* "$place/vmlinuz"
	cp "$place"/root/boot/initrd.img-* "$place/initrd"
	truncate -s 4G "$place/disk"
	mke2fs -q -F -t ext4 -L drupe-root -d "$place/root" "$place/disk"
	stamp >"$place/stamp.new"
	mv "$place/stamp.new" "$place/stamp"
}

mkdir -p "$VM_DIR"
exec 9>"$VM_DIR/$release.lock"
flock 9
fresh || {
	echo "image of $release: making it ($place)"
	make_image
}
