#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# record-clock.sh CTPROF WORK [SUITE...]: boots kernels, and sets the clock there by hours, forward and back, while a recorder runs, which is
# killed then. No window is lost or counted twice: their ticks are the kernel's own, and commands read all of them as one sum.
# shellcheck disable=SC2154 # lib.sh sets what is not set here.
set -euo pipefail

ctprof=$(realpath "$1")
work=$(realpath "$2")
shift 2
[ $# -gt 0 ] || set -- bookworm
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/lib.sh"
needs tr zstd
khz=$("$work" tsc)

fail() {
    echo "FAILED: $suite: $*; the console ends with:"
    tail -n 60 "$scratch/console"
    exit 1
}

# value WORD: the number behind that word on the console.
value() { sed -n "s/^$1: \([0-9]*\).*/\1/p" "$scratch/console" | head -n 1; }

for suite in "$@"; do
    fetch "$suite"
    "$here/make-initramfs.sh" "$here/record-clock-init" "$cache/$suite" "$scratch/initrd" "ctprof=$ctprof" "zstd=$(command -v zstd)"
    timeout 600 qemu-system-x86_64 -accel tcg -cpu max,-cx16 -smp 1 -m 384 -nographic -no-reboot -nodefaults -serial stdio \
        -monitor none -kernel "$cache/$suite/vmlinuz" -initrd "$scratch/initrd" \
        -append "$kernel_arguments tsc_early_khz=$khz" \
        </dev/null 2>&1 | tr -d '\r' >"$scratch/console" || fail "it does not end"
    grep -q '^init: done$' "$scratch/console" || fail "it does not end by itself"
    windows=$(sed -n 's/^windows: [0-9]* of //p' "$scratch/console")
    recorded=$(sed -n 's/^windows: \([0-9]*\) of .*/\1/p' "$scratch/console")
    # In the order of the boot's clock; the recorder that was killed is in front.
    sed -n 's/^window: //p' "$scratch/console" | sort -n >"$scratch/windows"
    [ "$(wc -l <"$scratch/windows")" -eq "$windows" ] || fail "not $windows windows"
    gaps=$(awk '$2 <= $1 || $1 < end { exit 1 } NR > 1 && $1 != end { gaps++ } { end = $2 } END { print gaps + 0 }' "$scratch/windows") ||
        fail "windows overlap, or end before they begin"
    [ "$gaps" -eq 1 ] || fail "$gaps gaps, not that of the kill alone"
    ticks=$(head -n "$recorded" "$scratch/windows" | awk '{ sum += $3 + $4 } END { print sum }')
    inner=$(value inner) outer=$(value outer)
    if [ -z "$inner" ] || [ -z "$outer" ]; then fail "the kernel's own ticks are missing"; fi
    if [ "$ticks" -lt "$inner" ] || [ "$ticks" -gt "$outer" ]; then
        fail "the windows have $ticks ticks, and the kernel between $inner and $outer"
    fi
    all=$(awk '{ sum += $3 + $4 } END { print sum }' "$scratch/windows")
    sum=$(sed -n 's/^sum: "\(user\|system\)_clock_ticks":\([0-9]*\)$/\2/p' "$scratch/console" | awk '{ sum += $1 } END { print sum }')
    [ "$sum" = "$all" ] || fail "the sum has '$sum' ticks, and its windows $all"
    grep -q "^sum: \"windows\":$windows\$" "$scratch/console" || fail "not all of $windows windows are in the sum"
    grep -q '^sum: "gaps":1$' "$scratch/console" || fail "the gap is not in the sum"
    echo "$suite: $windows windows with $all ticks; the kernel had $inner to $outer, the first recorder $ticks"
done
