# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The parts that tests in VMs share. A test that reads this file has a directory of its own in $scratch, which is gone at the end.
# shellcheck disable=SC2034,SC2154 # The tests use these, and set $here and $khz.
cache=${CTPROF_VM_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/ctprof-vm}
# Arguments of the kernel in every VM, beside the clock's frequency.
kernel_arguments="console=ttyS0 quiet panic=-1 mitigations=off no_timer_check tsc=reliable"

# needs PROGRAM...: skips the test where one is missing, or the kernels are for another machine.
needs() {
    local program

    if [ "$(uname -m)" != x86_64 ]; then
        echo "skipped: the kernels are for x86_64"
        exit 77
    fi
    for program in qemu-system-x86_64 busybox cpio ldd flock timeout "$@"; do
        if ! command -v "$program" >/dev/null; then
            echo "skipped: no $program"
            exit 77
        fi
    done
}

# fetch SUITE: ends the test, with its reason, where the kernel cannot be downloaded.
fetch() {
    local status=0

    "$here/download.sh" "$1" "$cache" || status=$?
    [ $status -eq 0 ] || exit $status
}

scratch=$(mktemp -d)
vm=
trap 'kill -9 $(jobs -p) 2>/dev/null || true; rm -rf "$scratch"' EXIT

# Tests that cut the power have one VM at a time, its disk is "disk" and its console is the file "console".

fail_console() {
    echo "FAILED: $*; the console ends with:"
    tail -n 40 console
    exit 1
}

# start_vm SUITE KERNEL-ARGUMENT...: in the background; its process is $vm.
start_vm() {
    local suite=$1

    shift
    : >console
    qemu-system-x86_64 -accel tcg -cpu max,-cx16 -smp 1 -m 256 -nographic -no-reboot -nodefaults -serial stdio \
        -monitor none -kernel "$cache/$suite/vmlinuz" -initrd initrd -drive "file=disk,format=raw,if=virtio" \
        -append "$kernel_arguments tsc_early_khz=$khz $*" </dev/null >console 2>&1 &
    vm=$!
}

# await PATTERN SECONDS: until the console has it.
await() {
    local i

    for ((i = 0; i < $2 * 20; i++)); do
        if grep -q "$1" console; then return; fi
        kill -0 "$vm" 2>/dev/null || break
        sleep 0.05
    done
    grep -q "$1" console || fail_console "no '$1'"
}
