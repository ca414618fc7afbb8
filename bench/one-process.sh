#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures a capture of one process of a large host, from its start to its end, in turns with the whole host and with ps of the same
# process: wall time, CPU time and memory, with the load of the host beside them. A program of its own:
#
#   bench/one-process.sh BUILD_DIR [THREADS...]
#
# The host is measured as it is, and then with so many sleeping threads more (20000 100000 where none is given), in processes of 100;
# the process has one thread. RUNS (20) in the environment is how often each command runs.
# shellcheck disable=SC2154 # lib.sh sets what is not set here.
set -eu

[ $# -ge 1 ] || { echo "Usage: bench/one-process.sh BUILD_DIR [THREADS...]" >&2; exit 2; }
RUNS=${RUNS:-20}
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
bench_begin "$1"
shift
[ $# -gt 0 ] || set -- 20000 100000
of_process=100
sleep 100000 &
sleeper=$!
trap 'kill "$sleeper" 2>/dev/null || true; clean_up' EXIT

# in_turns: all commands once, and again.
in_turns() {
    count=$(threads_now)
    heading "One process of a host of $count threads, in turns (load $(cut -d' ' -f1 /proc/loadavg) before)"
    columns
    "$measure" -o "$tmp/one-$count" "$runs" "ps -p PID" ps -p "$sleeper" -o pid,user,comm,state,ni,pri,psr,time,rss \
        :: "$runs" "ctprof --pid" "$ctprof" capture -q --pid "$sleeper" -o "$tmp/pid.zst" \
        :: "$runs" "ctprof --pid, no settings" "$ctprof" capture -q --no-settings --pid "$sleeper" -o "$tmp/bare.zst" \
        :: "$runs" "ctprof --pid, procfs" "$ctprof" capture -q --no-settings --source procfs --pid "$sleeper" -o "$tmp/procfs.zst" \
        :: 3 "ctprof, whole host" "$ctprof" capture -q -o "$tmp/all.zst" || true
    for file in pid bare procfs; do
        [ "$(rows_of "$tmp/$file.zst")" = 1 ] || { echo "one-process.sh: $file.zst has not one thread" >&2; exit 1; }
    done
    heading "What is aimed at, one process of $count threads"
    target "CPU time of --pid, no settings, over that of ps -p" \
        "$(calculate 'a / b' "$(median_of "ctprof --pid, no settings" cpu "$tmp/one-$count")" "$(median_of "ps -p PID" cpu "$tmp/one-$count")")" '<=' 2 times
    target "CPU time of --pid, no settings" "$(median_of "ctprof --pid, no settings" cpu "$tmp/one-$count")" '<=' 100 ms
}

in_turns
for more in "$@"; do
    if room_for "$more" && start_threads "$((more / of_process))" "$of_process"; then
        in_turns
        stop_threads
        lower_limits
    fi
done
