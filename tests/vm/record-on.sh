#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# record-on.sh CTPROF WORK [SUITE...]: boots kernels with and without pressure, and records there with triggers: dense windows behind the
# pressure of a cgroup, which is removed then; errors with the remedy if the kernel keeps no pressure, or refuses the user.
# shellcheck disable=SC2154 # lib.sh sets what is not set here.
set -euo pipefail

ctprof=$(realpath "$1")
work=$(realpath "$2")
shift 2
[ $# -gt 0 ] || set -- bookworm trixie
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/lib.sh"
needs tr
khz=$("$work" tsc)

fail() {
    echo "FAILED: $suite, psi=$psi: $*; the console ends with:"
    tail -n 40 "$scratch/console"
    exit 1
}

# has PATTERN: whether a line of the console is like that.
has() { grep -q "$1" "$scratch/console" || fail "no '$1'"; }

for suite in "$@"; do
    fetch "$suite"
    "$here/make-initramfs.sh" "$here/record-on-init" "$cache/$suite" "$scratch/initrd" "ctprof=$ctprof"
    for psi in 1 0; do
        timeout 600 qemu-system-x86_64 -accel tcg -cpu max,-cx16 -smp 1 -m 384 -nographic -no-reboot -nodefaults -serial stdio \
            -monitor none -kernel "$cache/$suite/vmlinuz" -initrd "$scratch/initrd" \
            -append "$kernel_arguments tsc_early_khz=$khz psi=$psi" \
            </dev/null 2>&1 | tr -d '\r' >"$scratch/console" || fail "it does not end"
        has '^init: done$'
        if [ $psi -eq 0 ]; then
            has '^host: .*boot with psi=1'
            continue
        fi
        has '^none: .*there is no such cgroup'
        has '^host: records$'
        has '^nobody-1s: .*CAP_SYS_RESOURCE'
        # Linux 6.5 has triggers for anyone, as Debian's 6.1 has.
        has '^nobody-2s: records$'
        has "^recorder: 0 .*'psi cgroup:/loaded cpu some 150ms/1s' ends, since its cgroup is gone; the recording goes on"
        has '^trigger,.*,psi cgroup:/loaded cpu some 150ms/1s,,$'
        if grep -q '^gap,' "$scratch/console"; then fail "there is a gap"; fi
        echo "$suite: $(grep '^trigger,' "$scratch/console")"
    done
done
