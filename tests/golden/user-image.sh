#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# user-image.sh CTPROF: root where an image is mounted whose files a user has written. Owners there are what the user likes, and decide
# nothing: neither what a command of duct gets as its variables, nor where a link leads, nor what an experiment writes. Images of
# root's own, and other file systems without set-id programs and devices, are as before. Needs root, loop devices and mkfs.ext4.
set -euo pipefail

if [ "${2:-}" != inside ]; then
    if [ "$(id -u)" -ne 0 ]; then
        echo "skipped: only root mounts"
        exit 77
    fi
    for tool in unshare mount losetup mkfs.ext4 setpriv; do
        command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
    done
    # The mounts, and the notes of mount(8) about them, are of this namespace and end with it.
    exec unshare --mount --propagation private "$0" "$(realpath "$1")" inside
fi

CTPROF=$1
user=65534
scratch=$(mktemp -d)
finish() {
    cd /
    ! mountpoint -q "$scratch/mnt" || umount "$scratch/mnt"
    ! mountpoint -q "$scratch/away" || umount "$scratch/away"
    rm -rf --one-file-system "$scratch"
}
trap finish EXIT
mkdir -p /run/mount
mount -t tmpfs -o mode=755 none /run/mount
chmod 755 "$scratch"
cd "$scratch"
umask 022
mkdir mnt own images away
chown "$user" images
chmod 700 own
export HOME=$scratch/own STATE_DIRECTORY=$scratch/own/state

checks=0
fail() {
    echo "user-image.sh: $*"
    [ ! -s err ] || cat -v err
    exit 1
}

# image PATH OWNER: a file system in which all seems to be root's, and leads to root's files.
image() {
    truncate -s 8M "$1"
    mkfs.ext4 -q -F -E root_owner=0:0 "$1"
    mount -o loop "$1" mnt || { echo "skipped: no loop devices"; exit 77; }
    mkdir mnt/.duct
    echo "MARK=of the image" >mnt/.duct/.env
    ln -s "$scratch/own/precious" mnt/link
    ln -s "$scratch/own" mnt/way
    echo 1 >mnt/knob
    umount mnt
    chown "$2" "$1"
}
# is_believed: what root does in the image.
is_believed() {
    local things=()

    echo precious >own/precious
    rm -rf own/new own/x_* own/experiment
    ! (cd mnt && "$CTPROF" duct -q -p "$scratch/own/x_" -- env 2>/dev/null) | grep -q "^MARK=" || things+=(variables)
    ! "$CTPROF" capture -q -o mnt/way/new 2>err || things+=(way)
    "$CTPROF" capture -q -o mnt/link 2>err || true
    [ "$(head -c 8 own/precious)" = precious ] || things+=(link)
    ! "$CTPROF" ab -y -q --a "write $scratch/mnt/knob = 2" --b "write $scratch/mnt/knob = 3" --blocks 2 --unit run --settle 0s \
        -o own/experiment -- true >/dev/null 2>err || things+=(knob)
    rm -f own/x_*
    echo "${things[*]:-nothing}"
}
# expect WHAT BELIEVED OPTIONS...: mounts the image so and says what root believes.
expect() {
    local what=$1 expected=$2 found

    shift 2
    mount "$@" mnt
    found=$(is_believed)
    [ "$found" = "$expected" ] || fail "$what: root believes $found, not $expected"
    # A snapshot is written there all the same.
    "$CTPROF" capture -q -o mnt/new.zst 2>err || fail "$what: no snapshot"
    [ "$(stat -c '%u %a' mnt/new.zst)" = "0 600" ] || fail "$what: the snapshot is $(stat -c '%u %a' mnt/new.zst)"
    rm mnt/new.zst
    umount mnt
    checks=$((checks + 1))
}

all="variables way link knob"
image images/theirs "$user"
image own/image 0
expect "root's image" "$all" -o loop,nosuid,nodev own/image
expect "a user's image" nothing -o loop,nosuid,nodev images/theirs
expect "an image that is mounted for a user" nothing -o loop,nosuid,nodev,uhelper=udisks2 own/image
[ ! -s /run/mount/utab ] || fail "mount(8) has left $(cat /run/mount/utab)"
# Set-id programs count there, so the image could do all of it itself.
expect "an image that may have set-id programs" "$all" -o loop images/theirs
# The user has moved the image, and root's lies at its place.
mv images/theirs images/moved
ln own/image images/theirs
expect "a user's image that was moved" nothing -o loop,nosuid,nodev images/moved
rm images/theirs
mv images/moved images/theirs

# A namespace in which the path is another file's: the user has mounted something over it there.
losetup --find --show images/theirs >device
device=$(cat device)
cp own/image away/image
mount --bind away images
cp own/image images/theirs
mount -o nosuid,nodev "$device" mnt
found=$(is_believed)
umount mnt
losetup -d "$device"
umount images
[ "$found" = nothing ] || fail "an image at a path with another file: root believes $found"
checks=$((checks + 1))

# It is mounted once more elsewhere, which mount(8) has not noted.
mount -o loop,nosuid,nodev,uhelper=udisks2 own/image away
mount --bind away mnt
found=$(is_believed)
umount mnt
umount away
[ "$found" = nothing ] || fail "a second mount: root believes $found"
checks=$((checks + 1))

# File systems of memory often have these options.
mount -t tmpfs -o nosuid,nodev,mode=755 none mnt
mkdir mnt/.duct
echo "MARK=of memory" >mnt/.duct/.env
ln -s "$scratch/own/precious" mnt/link
ln -s "$scratch/own" mnt/way
echo 1 >mnt/knob
found=$(is_believed)
umount mnt
[ "$found" = "$all" ] || fail "a file system of memory: root believes $found, not $all"
checks=$((checks + 1))
echo "$checks checks"
