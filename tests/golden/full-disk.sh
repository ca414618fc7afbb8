#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# full-disk.sh CTPROF: a file system with no room, or too little, for the snapshot: one line, exit status 1, and the
# file that was there before stays. Needs root, for a small tmpfs in a mount namespace of its own.
# shellcheck disable=SC2016 # What stands in single quotes is expanded by an inner shell.
set -euo pipefail

if [ "${2-}" != inside ]; then
    if [ "$(id -u)" -ne 0 ] || ! command -v unshare >/dev/null ||
        ! unshare --mount sh -c 'd=$(mktemp -d) && mount -t tmpfs -o size=64k none "$d"; s=$?; umount "$d"; rmdir "$d"; exit $s' 2>/dev/null; then
        echo "skipped: only root can mount a small file system to fill"
        exit 77
    fi
    exec unshare --mount "$0" "$1" inside
fi

CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'cd /; umount "$scratch/disk" "$scratch"; rmdir "$scratch"' EXIT
mount -t tmpfs none "$scratch"
mkdir "$scratch/disk"
mount -t tmpfs -o size=64k none "$scratch/disk"
cd "$scratch"

fail() {
    echo "full-disk.sh: $*"
    cat -v err
    exit 1
}

# full BYTES: the disk holds an old file and has room for about BYTES more.
full() {
    rm -f disk/*
    head -c 5000 /dev/urandom >disk/old.zst
    cp disk/old.zst old.copy
    dd if=/dev/zero of=disk/filler bs=1k 2>/dev/null || true
    truncate -s "-$1" disk/filler
}

# A pool of names that do not compress, so that the snapshot is larger than the disk.
seq 10 1599 | sed 's#.*#many/&/task/&#' | xargs mkdir -p
for ((tid = 10; tid < 1600; tid++)); do
    printf '%s (%s) S 1 1 1 0 -1 0 %s 0 %s 0 %s %s 0 0 20 0 1 0 %s 0 0\n' "$tid" "n$RANDOM$RANDOM" "$RANDOM$RANDOM" \
        "$RANDOM$RANDOM" "$RANDOM$RANDOM" "$RANDOM$RANDOM" "$RANDOM$RANDOM" >"many/$tid/task/$tid/stat"
done
"$CTPROF" capture --proc-root many -o large.zst
[ "$(stat -c %s large.zst)" -gt 40000 ] || fail "the snapshot fits the disk: $(stat -c %s large.zst) bytes"

checks=0
for room in 0 4096 16384; do
    for name in old.zst new.zst; do
        full "$room"
        before=$(ls -A disk)
        status=0
        "$CTPROF" capture --proc-root many -o "disk/$name" >out 2>err || status=$?
        [ "$status" -eq 1 ] || fail "$name with room for $room bytes: status $status, not 1"
        [ ! -s out ] || fail "$name with room for $room bytes: something was printed"
        [ "$(wc -l <err)" -eq 1 ] || fail "$name with room for $room bytes: not one line on stderr"
        grep -q "^ctprof: disk/$name: No space left on device" err || fail "$name: the line does not say why"
        [ "$(ls -A disk)" = "$before" ] || fail "$name with room for $room bytes: left behind: $(ls -A disk)"
        cmp -s disk/old.zst old.copy || fail "$name with room for $room bytes: the old file has changed"
        checks=$((checks + 1))
    done
done
# With room it works, so the refusals were about the room.
rm disk/filler
"$here/../fixtures/tree.sh" vanished vanished
"$CTPROF" capture --proc-root vanished/proc -o disk/old.zst 2>err || fail "a disk with room is refused"
cmp -s disk/old.zst old.copy && fail "the old file was not replaced"
echo "$checks captures were refused"
