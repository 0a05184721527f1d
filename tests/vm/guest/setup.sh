# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs once inside the new root: users, and a machine that does nothing but the tests.
set -eu
useradd --create-home --uid 1001 --shell /bin/bash drupe-test
useradd --create-home --uid 1002 --shell /bin/bash drupe-service
mkdir -p /var/lib/systemd/linger
touch /var/lib/systemd/linger/drupe-test
echo drupe-vm >/etc/hostname
echo tun >/etc/modules-load.d/drupe-vm.conf
: >/etc/fstab
systemctl enable drupe-vm.service
systemctl set-default multi-user.target
systemctl mask apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer \
	e2scrub_reap.service fstrim.timer getty@tty1.service serial-getty@ttyS0.service \
	systemd-timesyncd.service
