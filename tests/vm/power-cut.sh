#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# power-cut.sh CTPROF WORK DRIVER [CUTS [SUITE]]: the power of a VM is cut (its emulator is killed) at random moments of an experiment
# that runs a command which changes a file on the disk, and one that undoes it. After each boot, before anything else
# changes it, restore must leave the file as it was before the experiment, and the next boot must find nothing to do. Data
# that the VM has not written to the disk is lost; the disk has no cache of its own in the emulator.
set -euo pipefail

ctprof=$(realpath "$1")
work=$(realpath "$2")
driver=$(realpath "$3")
cuts=${4:-20}
suite=${5:-bookworm}
here=$(cd "$(dirname "$0")" && pwd)
cache=${CTPROF_VM_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/ctprof-vm}
seconds=300 # for one boot; it takes 5, and 60 where others use the machine as well

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
"$here/make-initramfs.sh" "$here/power-cut-init" "$cache/$suite" initrd "ctprof=$ctprof" "restore-driver=$driver"
truncate -s 32M disk
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

# await WORD: until the console has it.
await() {
    for ((i = 0; i < seconds * 20; i++)); do
        if grep -q "$1" console; then return; fi
        kill -0 "$vm" 2>/dev/null || break
        sleep 0.05
    done
    grep -q "$1" console || fail "no '$1'"
}

declare -A found=()
# judge: what the console says of the boot before.
judge() {
    local line

    line=$(tr -d '\r' <console | sed -n 's/^.*found: //p')
    [ -n "$line" ] || fail "no 'found'"
    found[$line]=$((${found[$line]:-0} + 1))
    grep -q 'left: status=0 pending=no changed=no' console || fail "it is not as it was: $line"
    case $line in
    pending=yes*) grep -q "said: ctprof: the experiment restore-driver of .*'ctprof ab --restore'" console ||
        fail "a command says nothing of the journal" ;;
    *changed=no) ;;
    *) fail "the file is changed and no journal says so" ;;
    esac
}

for ((n = 0; n < cuts; n++)); do
    start next
    await begun
    judge
    ms=$((RANDOM % 3000))
    printf -v pause '%d.%03d' $((ms / 1000)) $((ms % 1000))
    sleep "$pause"
    ! grep -q 'the experiment has ended' console || fail "the experiment has ended"
    kill -9 "$vm"
    wait "$vm" 2>/dev/null || true
    vm=
done
start last
await left:
judge
wait "$vm" || true
vm=
for line in "${!found[@]}"; do echo "a boot found $line: ${found[$line]}"; done | sort
echo "$cuts cuts of the power leave everything as it was after restoring, seed $seed"
