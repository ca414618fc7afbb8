#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# record-cut.sh CTPROF WORK [CUTS [SUITE]]: the power of a VM is cut (its emulator is killed) at random moments while a recorder runs.
# After each boot the recording must have every window that it had before the cut, but for the last one, which may not have been on
# the disk yet; it must be readable, and the recorder goes on in the same directory.
set -euo pipefail

ctprof=$(realpath "$1")
work=$(realpath "$2")
cuts=${3:-20}
suite=${4:-bookworm}
here=$(cd "$(dirname "$0")" && pwd)
cache=${CTPROF_VM_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/ctprof-vm}
seconds=300 # for one boot

if [ "$(uname -m)" != x86_64 ]; then
    echo "skipped: the kernels are for x86_64"
    exit 77
fi
for program in qemu-system-x86_64 busybox cpio mkfs.ext4 ldd flock; do
    if ! command -v "$program" >/dev/null; then
        echo "skipped: no $program"
        exit 77
    fi
done
status=0
"$here/download.sh" "$suite" "$cache" || status=$?
[ $status -eq 0 ] || exit $status

scratch=$(mktemp -d)
vm=
trap '[ -z "$vm" ] || kill -9 "$vm" 2>/dev/null || true; rm -rf "$scratch"' EXIT
cd "$scratch"
"$here/make-initramfs.sh" "$here/record-cut-init" "$cache/$suite" initrd "ctprof=$ctprof"
truncate -s 64M disk
mkfs.ext4 -q disk
khz=$("$work" tsc)
seed=${POWER_CUT_SEED:-$RANDOM}
RANDOM=$seed

fail() {
    echo "FAILED: $*; seed $seed; the console ends with:"
    tail -n 30 console
    exit 1
}

# start next|last
start() {
    : >console
    qemu-system-x86_64 -accel tcg -cpu max,-cx16 -smp 1 -m 256 -nographic -no-reboot -nodefaults -serial stdio \
        -monitor none -kernel "$cache/$suite/vmlinuz" -initrd initrd -drive "file=disk,format=raw,if=virtio" \
        -append "console=ttyS0 quiet panic=-1 mitigations=off no_timer_check tsc=reliable tsc_early_khz=$khz ctprof_cut=$1" \
        </dev/null >console 2>&1 &
    vm=$!
}

# await PATTERN: until the console has it.
await() {
    for ((i = 0; i < seconds * 20; i++)); do
        if grep -q "$1" console; then return; fi
        kill -0 "$vm" 2>/dev/null || break
        sleep 0.05
    done
    grep -q "$1" console || fail "no '$1'"
}

# number found|now: the last number of windows that the console has.
number() {
    tr -d '\r' <console | sed -n "s/.*$1: windows=\([0-9]\{1,\}\).*/\1/p" | tail -n 1
}

before=0
lost=0
# judge: what the console says of the boot before.
judge() {
    local found

    await 'found: .*shown='
    grep -q 'found: .*shown=0' console || fail "the recording cannot be read"
    found=$(number found)
    [ -n "$found" ] || fail "no number of windows"
    [ "$found" -ge $((before - 1)) ] || fail "$found windows, and $before before the cut"
    [ "$found" -ge "$before" ] || lost=$((lost + 1))
    before=$found
}

# await_more: until the recorder has written a window.
await_more() {
    local now

    for ((i = 0; i < seconds * 20; i++)); do
        now=$(number now)
        [ "${now:-0}" -le "$before" ] || return 0
        kill -0 "$vm" 2>/dev/null || break
        sleep 0.05
    done
    fail "the recorder does not go on"
}

for ((n = 0; n < cuts; n++)); do
    start next
    judge
    await_more
    ms=$((RANDOM % 3000))
    printf -v pause '%d.%03d' $((ms / 1000)) $((ms % 1000))
    sleep "$pause"
    kill -9 "$vm"
    wait "$vm" 2>/dev/null || true
    vm=
    before=$(number now)
done
start last
judge
wait "$vm" || true
vm=
echo "$cuts cuts of the power: $before windows, the last one missing after $lost, seed $seed"
