#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# job.sh CTPROF WORK [SUITE...]: jobs of 'ctprof run' where there are cgroups of version 2 alone, of version 1 alone, a cgroup that is
# delegated to a user, and one that is not. The result has to say how the processes were found, and has the CPU time of the
# job's own cgroup.
# shellcheck disable=SC2154 # lib.sh sets what is not set here.
set -euo pipefail

ctprof=$(realpath "$1")
work=$(realpath "$2")
shift 2
suites=("$@")
[ $# -gt 0 ] || suites=(bookworm trixie)
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/lib.sh"
seconds=400 # it takes 20, and ten times as long where others use the machine

needs python3
khz=$("$work" tsc)

# boot SUITE v1|v2: twice where the first one does not come to its end, which happens to emulated kernels on a busy machine.
boot() {
    local dir=$scratch/$1-$2 try

    mkdir -p "$dir"
    cd "$dir"
    for try in 1 2; do
        rm -f disk
        truncate -s 16M disk
        timeout $seconds qemu-system-x86_64 -accel tcg,thread=multi -cpu max,-cx16 -smp 2 -m 384 -nographic -no-reboot \
            -nodefaults -serial stdio -monitor none -kernel "$cache/$1/vmlinuz" -initrd "$scratch/initrd-$1" \
            -drive "file=disk,format=raw,if=virtio,cache=unsafe" \
            -append "$kernel_arguments tsc_early_khz=$khz ctprof_job=$2" \
            </dev/null >console 2>&1 || echo "qemu: status $?" >>console
        ! grep -q 'init: complete' console || break
        echo "$1 $2: boot $try stopped behind: $(tail -n 1 console)"
    done
    tar -xf disk 2>/dev/null || true
}

failures=0
# result SUITE v1|v2 NAME CONTAINER WORD: of one job; the reason why it has no cgroup has this word.
result() {
    local dir=$scratch/$1-$2

    if ! python3 - "$dir/$3" "$4" "$5" <<'E'; then
import json
import os
import sys

path, container, word = sys.argv[1:]
with open(path + ".status", encoding="ascii") as file:
    status = file.read().strip()
with open(path + ".json", encoding="utf-8") as file:
    run = json.load(file)["runs"][0]
values = run["values"]
usage = None
if os.path.exists(path + ".usage") and container == "cgroup":
    with open(path + ".usage", encoding="ascii") as file:
        usage = int(file.read()) / 1e6
with open(path + ".spent", encoding="ascii") as file:
    spent = [int(line) / 1e6 for line in file]
around = spent[1] - spent[0] if spent else None
print(f"{path}: {run['container']} ({run['reason']}), CPU time {values['cpu_time']}, from {usage} to {around}, "
      f"processes {values['processes']}, faults {values['minor_faults']}, status {status}")
assert status == "7" and values["exit_code"] == 7, "status"
assert run["container"] == container and word in str(run["reason"]), "container"
assert values["cpu_time"] > 0.01 and values["minor_faults"] > 100, "values"
# It is between two readings of the kernel: that of the shell in the job, which goes on behind it for as long as an emulated CPU
# takes, and that of the cgroup around the job and ctprof. The CPU time of the process before it was the command is not the job's.
assert usage is None or values["cpu_time"] >= 0.98 * usage - 0.05, "less CPU time than the job had"
assert around is None or values["cpu_time"] <= around + 0.01, "more CPU time than the cgroup around it"
assert values["processes_left"] == 0, "left"
with open(path + ".left", encoding="ascii") as file:
    assert file.read() == "", "a cgroup is left"
with open(path + ".err", encoding="ascii") as file:
    assert file.read() == "", "errors"
E
        echo "FAILED: $1 $2: $3"
        cat "$dir/$3".* 2>/dev/null || tail -n 20 "$dir/console"
        failures=$((failures + 1))
    fi
}

missing=
ready=()
for suite in "${suites[@]}"; do
    status=0
    "$here/download.sh" "$suite" "$cache" >"$scratch/download" || status=$?
    if [ $status -ne 0 ]; then
        cat "$scratch/download"
        [ $status -eq 77 ] || exit 1
        missing=$(tail -n 1 "$scratch/download")
        continue
    fi
    ready+=("$suite")
    "$here/make-initramfs.sh" "$here/job-init" "$cache/$suite" "$scratch/initrd-$suite" "ctprof=$ctprof" "work=$work"
done
for suite in "${ready[@]}"; do
    (boot "$suite" v2; boot "$suite" v1) &
done
wait
for suite in "${ready[@]}"; do
    result "$suite" v2 root cgroup None
    result "$suite" v2 divided subreaper 'controller cpu'
    result "$suite" v2 inside cgroup None
    result "$suite" v2 delegated cgroup None
    result "$suite" v2 login subreaper 'Permission denied'
    result "$suite" v1 root cgroup None
    result "$suite" v1 delegated cgroup None
    result "$suite" v1 nobody subreaper cgroup
done
[ "$failures" -eq 0 ] || exit 1
if [ -n "$missing" ]; then
    echo "$missing"
    exit 77
fi
