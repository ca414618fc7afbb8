#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures compare and show of synthetic snapshots by groupings and outputs. Part of run.sh, and a program of its own:
#
#   bench/compare.sh BUILD_DIR
#
# RUNS (5) in the environment is how often each command runs.
# shellcheck disable=SC2154 # lib.sh sets what is not set here.
set -eu

[ $# -eq 1 ] || { echo "Usage: bench/compare.sh BUILD_DIR" >&2; exit 2; }
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
bench_begin "$1"

# make NAME THREADS [NAMES [CGROUPS]]: two synthetic snapshots of one host, as make-snapshot has it.
make() {
    name=$1
    shift
    threads_made=$1
    shift
    "$build/bench/make-snapshot" "$threads_made" 1 0 "$@" >"$tmp/$name-0.zst"
    "$build/bench/make-snapshot" "$threads_made" 1 1 "$@" >"$tmp/$name-1.zst"
}

# groups KEY FILE: how many there are.
groups() {
    "$ctprof" show -g "$1" --metrics thread_count --limit 0 --format csv "$2" | tail -n +2 | wc -l
}

# compared LABEL NAME OPTION...
compared() {
    label=$1
    name=$2
    shift 2
    measured "compare $label" "$ctprof" compare "$@" "$tmp/$name-0.zst" "$tmp/$name-1.zst" 2>>"$tmp/told"
}

# The groupings and outputs that cost most.
by_all() {
    heading "Synthetic, 100000 threads in $(groups all "$tmp/$1-0.zst") groups by all, $(groups \
        cgroup "$tmp/$1-0.zst") by cgroup, $(groups pcomm "$tmp/$1-0.zst") by pcomm"
    columns
    compared "--group-by pcomm" "$1" -g pcomm
    compared "--group-by cgroup" "$1" -g cgroup
    compared "--group-by all" "$1" -g all
    compared "--group-by all --limit 0" "$1" -g all --limit 0
    compared "--group-by all --no-cg-normalize" "$1" -g all --no-cg-normalize
    compared "--group-by all --format csv" "$1" -g all --format csv
    compared "--group-by all --sort-by run_time_ns" "$1" -g all --sort-by run_time_ns
    compared "--group-by all --spread (2 metrics)" "$1" -g all \
        --spread --metrics run_time_ns,wait_sum
    measured "show --group-by all" "$ctprof" show -g all "$tmp/$1-1.zst"
    measured "show --group-by all --format csv" "$ctprof" show -g all --format csv "$tmp/$1-1.zst" \
        2>>"$tmp/told"
}

synthetic() {
    heading "Synthetic snapshots, one thread in ten busy: time grows with threads, memory with groups"
    columns
    for count in 10000 100000 400000; do
        make "s$count" "$count" 1000 1000
        measured "compare $count threads in $(groups pcomm "$tmp/s$count-0.zst") groups" \
            "$ctprof" compare "$tmp/s$count-0.zst" "$tmp/s$count-1.zst"
    done
    measured "show 400000 threads" "$ctprof" show "$tmp/s400000-1.zst"
    for count in 10000 100000 400000; do
        sizes "$tmp/s$count-1.zst" "snapshot"
    done
    make default 100000
    by_all default
    make many 100000 5000 4000
    by_all many
}

synthetic
