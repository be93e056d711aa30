#!/bin/bash
# Installs, upgrades, removes and purges a deb in a root of its own: the machine's own files below, and
# whatever is written on a layer that goes again. Wants root, and a folder with old.deb and new.deb.
set -euo pipefail
place=$1
mkdir -p "$place/layer"
mount -t tmpfs tmpfs "$place/layer"
mkdir -p "$place/layer/upper" "$place/layer/work" "$place/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$place/layer/upper,workdir=$place/layer/work" "$place/root"
root=$place/root
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/tmp"
mount -t tmpfs tmpfs "$root/run"
cp "$place/old.deb" "$place/new.deb" "$root/run/"
in_root() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"; }
as_person() { in_root setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/run/person "$@"; }
left() { (cd "$place/layer/upper" && find . \( -type f -o -type l \) -path '*interlock*' ! -path './var/lib/dpkg/*' ! -path './var/log/*' | sort); }
mkdir -m 0777 "$root/run/person"

echo '== install'
in_root dpkg -i /run/old.deb
in_root dpkg --verify interlock
as_person interlock --version
as_person interlock init --host gateway
as_person interlock self-test
in_root man -w interlock
in_root bash -c 'source /usr/share/bash-completion/completions/interlock && type -t _interlock'
[ ! -e "$root/usr/bin/cc" ] || echo "a compiler is there, and was not used: $(as_person sh -c 'PATH=/usr/bin interlock sandbox status | head -1')"

echo '== upgrade'
in_root dpkg -i /run/new.deb
in_root dpkg --verify interlock
as_person interlock home status

echo '== remove'
in_root dpkg -r interlock
echo "left: $(left)"
as_person test -f /run/person/.interlock/exec-approvals.json

echo '== again, and purge, with a unit of the machine that leads into it'
in_root dpkg -i /run/new.deb
unit=etc/systemd/system/interlock-runner.service
mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
printf '[Service]\nExecStart=/usr/bin/node /usr/lib/interlock/dist/runner/main.js\n' > "$root/$unit"
ln -s "/$unit" "$root/etc/systemd/system/multi-user.target.wants/interlock-runner.service"
in_root dpkg -P interlock
echo "left: $(left)"
as_person test -f /run/person/.interlock/exec-approvals.json

echo '== purge beside a unit that is not of the package'
in_root dpkg -i /run/new.deb
printf '[Service]\nExecStart=/usr/bin/node /opt/interlock/main.js\n' > "$root/$unit"
in_root dpkg -P interlock
[ -e "$root/$unit" ] && echo 'kept: the unit of somebody else'
in_root dpkg -s interlock 2>&1 | head -1 || true
