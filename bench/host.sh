#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures what ctprof does on the live host beside capture.sh: taskstats and the pass by BPF alone, compare and show of
# what was captured, listening to exits, thread pointers, and levels of compression. Part of run.sh, and a program of its own:
#
#   bench/host.sh BUILD_DIR
#
# RUNS (5) in the environment is how often each command runs.
# shellcheck disable=SC2154 # lib.sh sets what is not set here.
set -eu

[ $# -eq 1 ] || { echo "Usage: bench/host.sh BUILD_DIR" >&2; exit 2; }
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
bench_begin "$1"

live_host() {
    room_for 10000 || return 0
    start_threads 500 20 || return 0
    heading "The live host with 10000 more threads, all asleep, in processes of 20"
    columns
    measured "capture" "$ctprof" capture -q -o "$tmp/a.zst"
    "$ctprof" capture -q -o "$tmp/b.zst"
    "$build/bench/taskstats" "$runs" || echo "taskstats: not measured"
    "$build/bench/thread-pass" "$runs" || true
    stop_threads
    for key in pcomm comm-exact cgroup; do
        measured "compare --group-by $key" "$ctprof" compare -g "$key" "$tmp/a.zst" "$tmp/b.zst"
    done
    for key in pcomm comm-exact cgroup; do
        measured "show --group-by $key" "$ctprof" show -g "$key" "$tmp/a.zst"
    done
    sizes "$tmp/a.zst" "snapshot"
}

exits() {
    heading "Listening while processes exit, 10000 a second or as many as there can be"
    "$build/bench/exits" 5 10000 || echo "exits: not measured"
    "$build/bench/exits" 5 10000 recorded || echo "exits: not measured"
}

stops() {
    heading "Thread pointers of 1000 threads, by stopping them and without"
    "$build/bench/stops" 1000 10 | grep -v ', run '
}

# The same JSON at several levels, so that the level of snapshots is chosen by measurement. It comes in on
# standard input, as a stream does, for the writer streams too.
zstd_levels() {
    command -v zstd >/dev/null || { echo "zstd levels: not measured, there is no zstd"; return; }
    heading "zstd levels: $2"
    zstd -dqf "$1" -o "$tmp/levels.json"
    columns
    for level in 1 2 3 5 9; do
        zstd -q --single-thread "-$level" <"$tmp/levels.json" >"$tmp/levels.zst"
        # shellcheck disable=SC2016 # The inner shell expands them.
        measured "level $level: $(size_of "$tmp/levels.zst") bytes" \
            sh -c 'zstd -q --single-thread "-$1" <"$2"' sh "$level" "$tmp/levels.json"
    done
    rm "$tmp/levels.json" "$tmp/levels.zst"
}

live_host
exits
stops
[ ! -s "$tmp/a.zst" ] || zstd_levels "$tmp/a.zst" "the capture of the live host"
"$build/bench/make-snapshot" 100000 1 1 1000 1000 >"$tmp/synthetic.zst"
zstd_levels "$tmp/synthetic.zst" "a synthetic snapshot of 100000 threads"
