#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# power-cut.sh CTPROF WORK DRIVER [CUTS [SUITE]]: the power of a VM is cut (its emulator is killed) at random moments of an experiment
# that runs a command which changes a file on the disk, and one that undoes it. After each boot, before anything else
# changes it, restore must leave the file as it was before the experiment, and the next boot must find nothing to do. Data
# that the VM has not written to the disk is lost; the disk has no cache of its own in the emulator.
# shellcheck disable=SC2154 # lib.sh sets what is not set here.
set -euo pipefail

ctprof=$(realpath "$1")
work=$(realpath "$2")
driver=$(realpath "$3")
cuts=${4:-20}
suite=${5:-bookworm}
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/lib.sh"
seconds=300 # for one boot; it takes 5, and 60 where others use the machine as well

needs mkfs.ext4
fetch "$suite"

cd "$scratch"
"$here/make-initramfs.sh" "$here/power-cut-init" "$cache/$suite" initrd "ctprof=$ctprof" "restore-driver=$driver"
truncate -s 32M disk
mkfs.ext4 -q disk
# shellcheck disable=SC2034 # start_vm has it.
khz=$("$work" tsc)
seed=${POWER_CUT_SEED:-$RANDOM}
RANDOM=$seed

declare -A found=()
# judge: what the console says of the boot before.
judge() {
    local line

    line=$(tr -d '\r' <console | sed -n 's/^.*found: //p')
    [ -n "$line" ] || fail_console "no 'found'; seed $seed"
    found[$line]=$((${found[$line]:-0} + 1))
    grep -q 'left: status=0 pending=no changed=no' console || fail_console "it is not as it was: $line; seed $seed"
    case $line in
    pending=yes*) grep -q "said: ctprof: the experiment restore-driver of .*'ctprof ab --restore'" console ||
        fail_console "a command says nothing of the journal; seed $seed" ;;
    *changed=no) ;;
    *) fail_console "the file is changed and no journal says so; seed $seed" ;;
    esac
}

for ((n = 0; n < cuts; n++)); do
    start_vm "$suite" ctprof_cut=next
    await begun $seconds
    judge
    ms=$((RANDOM % 3000))
    printf -v pause '%d.%03d' $((ms / 1000)) $((ms % 1000))
    sleep "$pause"
    ! grep -q 'the experiment has ended' console || fail_console "the experiment has ended; seed $seed"
    kill -9 "$vm"
    wait "$vm" 2>/dev/null || true
    vm=
done
start_vm "$suite" ctprof_cut=last
await left: $seconds
judge
wait "$vm" || true
vm=
for line in "${!found[@]}"; do echo "a boot found $line: ${found[$line]}"; done | sort
echo "$cuts cuts of the power leave everything as it was after restoring, seed $seed"
