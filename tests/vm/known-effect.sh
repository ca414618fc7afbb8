#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# known-effect.sh CTPROF SERVICE WORK [SUITE]: an experiment with a file of the scheduler in debugfs, in a VM, for this system's kernel may
# lock it. Two services that compete are switched less often with longer slices; they count that themselves.
# shellcheck disable=SC2154 # lib.sh sets what is not set here.
set -euo pipefail

ctprof=$(realpath "$1")
service=$(realpath "$2")
work=$(realpath "$3")
suite=${4:-trixie}
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/lib.sh"
seconds=1200 # it takes 200 on a machine that does nothing else

needs python3
fetch "$suite"

cd "$scratch"
"$here/make-initramfs.sh" "$here/known-effect-init" "$cache/$suite" initrd "ctprof=$ctprof" "known-service=$service"
truncate -s 128M disk
khz=$("$work" tsc)
# schedstats from the start: the emulator may execute code that a kernel has just changed as it was, and the kernel dies of that.
# Other changes of its code remain, so a second boot is allowed.
for try in 1 2; do
    timeout $seconds qemu-system-x86_64 -accel tcg,thread=multi -cpu max,-cx16 -smp 2 -m 512 -nographic -no-reboot \
        -nodefaults -serial stdio -monitor none -kernel "$cache/$suite/vmlinuz" -initrd initrd \
        -drive "file=disk,format=raw,if=virtio,cache=unsafe" \
        -append "$kernel_arguments tsc_early_khz=$khz delayacct schedstats=enable" \
        </dev/null >console 2>&1 || echo "qemu: status $?" >>console
    ! grep -q 'init: complete' console || break
    echo "boot $try stopped behind: $(tail -n 1 console)"
done
if ! grep -q 'init: complete' console; then
    echo "FAILED: the VM did not come to its end; its console ends with:"
    tail -n 30 console
    exit 1
fi
tar -xf disk
if [ "$(cat status)" != 0 ]; then
    echo "FAILED: ctprof ab, status $(cat status)"
    cat errors
    exit 1
fi
if [ "$(cut -d ' ' -f 2 knob)" != "$(cat after)" ]; then
    echo "FAILED: $(cat knob) is $(cat after) after the experiment"
    exit 1
fi
# One pass over all threads takes long on an emulated CPU.
KNOWN_EFFECT_SLOP_MS=500 python3 -B "$here/../live/known-effect.py" debugfs experiment.json report.json . \
    nonvoluntary_csw:svc-one:-:switches nonvoluntary_csw:svc-two:-:switches run_time_ns:svc-control:0
