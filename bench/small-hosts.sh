#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures captures of small hosts beside the tools that people use there, each from its start to its end and in turns: wall
# time, CPU time and memory. Part of run.sh, and a program of its own:
#
#   bench/small-hosts.sh BUILD_DIR [THREADS...]
#
# Sleeping threads in processes of four are added until the host has so many (100 500 2000 where none is given); a host that has
# more is measured as it is, once. RUNS (20) in the environment is how often each command runs.
# shellcheck disable=SC2154 # lib.sh sets what is not set here.
set -eu

[ $# -ge 1 ] || { echo "Usage: bench/small-hosts.sh BUILD_DIR [THREADS...]" >&2; exit 2; }
RUNS=${RUNS:-20}
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
bench_begin "$1"
shift
[ $# -gt 0 ] || set -- 100 500 2000
of_process=4
ten=pid,lwp,user,comm,state,ni,pri,psr,time,rss
ps_label="ps -eLo, 10 columns"

has_bpf=
if "$ctprof" capture -q --source bpf -o "$tmp/first.zst" 2>"$tmp/why"; then
    has_bpf=yes
else
    echo "--source bpf: skipped ($(cat "$tmp/why"))"
fi
command -v ps >/dev/null || { echo "small-hosts.sh: there is no ps to compare with"; exit 0; }
for tool in top pidstat atop; do
    command -v "$tool" >/dev/null || echo "$tool: skipped, it is not installed"
done

# in_turns SIZE THREADS
in_turns() {
    size=$1
    count=$2
    set -- "$runs" "$ps_label" ps -eLo "$ten"
    set -- "$@" :: "$runs" "ctprof" "$ctprof" capture -q -o "$tmp/default.zst"
    [ -z "$has_bpf" ] || set -- "$@" :: "$runs" "ctprof, bpf" "$ctprof" capture -q --source bpf -o "$tmp/bpf.zst"
    set -- "$@" :: "$runs" "ctprof, procfs" "$ctprof" capture -q --source procfs -o "$tmp/procfs.zst"
    set -- "$@" :: "$runs" "ctprof, no jemalloc, no smaps" \
        "$ctprof" capture -q --jemalloc off --smaps off -o "$tmp/off.zst"
    ! command -v top >/dev/null || set -- "$@" :: "$runs" "top -b -n1" top -b -n1
    ! command -v pidstat >/dev/null || set -- "$@" :: "$runs" "pidstat -t -p ALL" pidstat -t -p ALL
    # shellcheck disable=SC2016 # The inner shell expands it. atop adds to a file that is there.
    ! command -v atop >/dev/null || set -- "$@" :: "$runs" "atop -w, 1 sample" \
        sh -c 'rm -f "$1"; exec atop -w "$1" 1 1' sh "$tmp/atop.raw"
    printf '%-30s %8s %17s %8s %8s %8s %15s\n' "" "" "" "" "CPU us" "peak" "times ps's"
    printf '%-30s %8s %17s %8s %8s %8s %7s %7s\n' "medians of $runs runs" 'wall ms' '' 'CPU ms' '/thread' 'MiB' wall CPU
    "$measure" -n "$count" -b 1 -o "$tmp/small-$size" "$@" || true
}

# targets_of SIZE: a capture costs at most twice a ps on the smallest host, and no more than one on the others.
targets_of() {
    of=$tmp/small-$1
    limit=1
    [ "$1" -gt 100 ] || limit=2
    target "$1 threads: default capture, wall time over ps's" \
        "$(calculate 'a / b' "$(median_of ctprof 2 "$of")" "$(median_of "$ps_label" 2 "$of")")" '<=' "$limit" times
    target "$1 threads: default capture, CPU time over ps's" \
        "$(calculate 'a / b' "$(median_of ctprof cpu "$of")" "$(median_of "$ps_label" cpu "$of")")" '<=' "$limit" times
}

was_too_large=
for size in "$@"; do
    more=$((size - $(threads_now)))
    if [ "$more" -gt "$of_process" ]; then
        start_threads "$((more / of_process))" "$of_process" || continue
    elif [ -n "$was_too_large" ]; then
        continue
    else
        was_too_large=yes
    fi
    count=$(threads_now)
    heading "Capture of a host of $count threads, in turns"
    in_turns "$size" "$count"
    [ -z "$helper" ] || stop_threads
done
heading "What is aimed at, small hosts"
for size in "$@"; do
    targets_of "$size"
done
