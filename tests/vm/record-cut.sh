#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# record-cut.sh CTPROF WORK [CUTS [SUITE]]: the power of a VM is cut (its emulator is killed) at random moments while a recorder runs.
# After each boot the recording must have every window that it had before the cut, but for the last one, which may not have been on
# the disk yet; it must be readable, and the recorder goes on in the same directory.
# shellcheck disable=SC2154 # lib.sh sets what is not set here.
set -euo pipefail

ctprof=$(realpath "$1")
work=$(realpath "$2")
cuts=${3:-20}
suite=${4:-bookworm}
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/lib.sh"
seconds=300 # for one boot

needs mkfs.ext4
fetch "$suite"

cd "$scratch"
"$here/make-initramfs.sh" "$here/record-cut-init" "$cache/$suite" initrd "ctprof=$ctprof"
truncate -s 64M disk
mkfs.ext4 -q disk
# shellcheck disable=SC2034 # start_vm has it.
khz=$("$work" tsc)
seed=${POWER_CUT_SEED:-$RANDOM}
RANDOM=$seed

# number found|now: the last number of windows that the console has.
number() {
    tr -d '\r' <console | sed -n "s/.*$1: windows=\([0-9]\{1,\}\).*/\1/p" | tail -n 1
}

before=0
lost=0
# judge: what the console says of the boot before.
judge() {
    local found

    await 'found: .*shown=' $seconds
    grep -q 'found: .*shown=0' console || fail_console "the recording cannot be read; seed $seed"
    found=$(number found)
    [ -n "$found" ] || fail_console "no number of windows; seed $seed"
    [ "$found" -ge $((before - 1)) ] || fail_console "$found windows, and $before before the cut; seed $seed"
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
    fail_console "the recorder does not go on; seed $seed"
}

for ((n = 0; n < cuts; n++)); do
    start_vm "$suite" ctprof_cut=next
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
start_vm "$suite" ctprof_cut=last
judge
wait "$vm" || true
vm=
echo "$cuts cuts of the power: $before windows, the last one missing after $lost, seed $seed"
