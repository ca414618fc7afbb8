#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# run.sh CTPROF WORK PARITY [SUITE...]: boots the kernels of Debian 12 and 13, each with everything that the kernel can keep
# switched on and again with everything switched off, and runs check.py on the captures of ctprof. The kernels
# are downloaded once, to $CTPROF_VM_CACHE or ~/.cache/ctprof-vm, from this system's mirror or $CTPROF_VM_MIRROR.
# The test is skipped if they or a program are missing. With CTPROF_VM_RESULTS all results of the boots are kept in that folder.
# shellcheck disable=SC2154 # lib.sh sets what is not set here.
set -euo pipefail

begin=$(date +%s)
ctprof=$(realpath "$1")
work=$(realpath "$2")
parity=$(realpath "$3")
shift 3
suites=("${@:-bookworm}")
[ $# -gt 0 ] || suites=(bookworm trixie)
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/lib.sh"
# A boot takes 20 s, and 700 s where others use the machine as well. It is ended when its console stands still.
seconds=1800
standstill=300

needs zstd python3

results=${CTPROF_VM_RESULTS:-$scratch/results}
mkdir -p "$results"
results=$(realpath "$results")
rm -f "$results"/*.first-console

# boot SUITE on|off: twice where the first one does not come to its end. On a busy machine an emulated kernel may lose
# its timer, and then it stands still.
boot() {
    boot_once "$@"
    if [ ! -e "$results/$1-$2/files/complete" ]; then
        mv "$results/$1-$2/console" "$results/$1-$2.first-console"
        boot_once "$@"
    fi
}

# watch_console PID FILE: until that process ends; ends it where the file has not grown for $standstill seconds.
watch_console() {
    local size=-1 grown=$SECONDS now

    while kill -0 "$1" 2>/dev/null; do
        now=$(stat -c %s "$2")
        if [ "$now" -ne "$size" ]; then
            size=$now
            grown=$SECONDS
        elif [ $((SECONDS - grown)) -ge "$standstill" ]; then
            kill "$1" 2>/dev/null || true
        fi
        sleep 1
    done
}

boot_once() {
    local dir=$results/$1-$2 append
    rm -rf "$dir" "$scratch/$1-$2"
    mkdir -p "$dir/files" "$scratch/$1-$2"
    append="$kernel_arguments $clock softlockup_panic=1 ctprof_vm=$2 ctprof_loader=${CTPROF_VM_LOADER:-}"
    if [ "$2" = on ]; then
        append="$append delayacct psi=1"
    else
        append="$append psi=0"
    fi
    cd "$scratch/$1-$2"
    truncate -s 64M out
    truncate -s 64M data
    truncate -s 128M swap
    truncate -s 32M files
    disks=()
    for disk in out data swap files; do
        disks+=(-drive "file=$disk,format=raw,if=virtio,cache=unsafe")
    done
    # Without cx16: QEMU's cmpxchg16b without a lock prefix leaves garbage in the flags, which an interrupt right
    # behind it saves and restores, and the kernel dies of that in one boot of ten.
    timeout "$seconds" qemu-system-x86_64 -accel tcg,thread=multi -cpu max,-cx16 -smp 2 -m 384 -nographic -no-reboot \
        -nodefaults -serial stdio -monitor none -kernel "$cache/$1/vmlinuz" -initrd "$scratch/initrd-$1" \
        -append "$append" "${disks[@]}" </dev/null >"$dir/console" 2>&1 &
    watch_console $! "$dir/console"
    wait $! || echo "qemu: status $?" >>"$dir/console"
    tar -xf out -C "$dir/files" 2>/dev/null || true
    cp "$cache/$1/config" "$dir/files/kernel-config"
}

# The emulated CPU's counter is that of this CPU. On a busy machine an emulated kernel measures it wrongly, and then
# its time passes at another speed.
khz=$("$work" tsc)
clock="tsc_early_khz=$khz"

missing=
ready=()
jemalloc=()
[ ! -x "$ctprof-jemalloc" ] || jemalloc=("ctprof-jemalloc=$ctprof-jemalloc")
for suite in "${suites[@]}"; do
    status=0
    "$here/download.sh" "$suite" "$cache" >"$scratch/download" || status=$?
    cat "$scratch/download"
    if [ $status -ne 0 ]; then
        [ $status -eq 77 ] || exit 1
        missing=$(tail -n 1 "$scratch/download")
        continue
    fi
    ready+=("$suite")
    "$here/make-initramfs.sh" "$here/init" "$cache/$suite" "$scratch/initrd-$suite" \
        "ctprof=$ctprof" "work=$work" "parity=$parity" "${jemalloc[@]}"
done

# The kernels at the same time, the boots of each one after the other.
for suite in "${ready[@]}"; do
    (boot "$suite" on; boot "$suite" off) &
done
wait
"$ctprof" metric-list --format json >"$scratch/metrics.json"

failures=0
for suite in "${ready[@]}"; do
    for mode in on off; do
        dir=$results/$suite-$mode
        if [ -e "$dir.first-console" ]; then
            echo "$suite-$mode was booted twice, since the first time it stopped behind: $(tail -n 1 "$dir.first-console")"
        fi
        if [ ! -e "$dir/files/complete" ]; then
            echo "FAILED: $suite-$mode did not come to its end; its console ends with:"
            tail -n 40 "$dir/console"
            failures=$((failures + 1))
            continue
        fi
        for snapshot in a b nobody window records; do
            zstd -dqf "$dir/files/$snapshot.zst" -o "$dir/files/$snapshot.json" || failures=$((failures + 1))
        done
        python3 -B "$here/check.py" "$mode" "$dir/files" "$scratch/metrics.json" "$ctprof" ||
            failures=$((failures + 1))
    done
done
echo "the VM test took $(($(date +%s) - begin)) s"
[ "$failures" -eq 0 ] || exit 1
if [ -n "$missing" ]; then
    echo "$missing"
    exit 77
fi
