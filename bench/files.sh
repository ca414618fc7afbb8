#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures snapshots as files: what writing and reading a row costs, and compare of 10,000, 100,000 and 1,000,000 threads,
# with the exponent of its time. Part of run.sh, and a program of its own:
#
#   bench/files.sh BUILD_DIR
#
# RUNS (5) in the environment is how often each command runs.
# shellcheck disable=SC2154 # lib.sh sets what is not set here.
set -eu

[ $# -eq 1 ] || { echo "Usage: bench/files.sh BUILD_DIR" >&2; exit 2; }
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
bench_begin "$1"

counts="10000 100000 1000000"

for count in $counts; do
    for step in 0 1; do
        "$build/bench/make-snapshot" "$count" 1 "$step" 1000 1000 >"$tmp/$count-$step.zst"
    done
done

heading "Writing and reading 100000 synthetic threads, medians of $runs runs"
"$build/bench/snapshot-io" "$runs" "$tmp/100000-1.zst"

heading "compare of synthetic snapshots in a thousand groups at most, one thread in ten busy"
columns
for count in $counts; do
    "$measure" -o "$tmp/compared" "$runs" "compare $count threads" "$ctprof" compare "$tmp/$count-0.zst" "$tmp/$count-1.zst"
done

# grown COLUMN: the exponent from 10,000 to 1,000,000.
grown() {
    for count in $counts; do
        echo "$count $(median_of "compare $count threads" "$1" "$tmp/compared")"
    done | exponent
}

of() {
    median_of "compare $1 threads" "$2" "$tmp/compared"
}

heading "What is aimed at, compare"
target "compare of two 100000-thread snapshots, wall time" "$(calculate 'a / 1000' "$(of 100000 2)")" '<' 1 "s"
target "compare of two 100000-thread snapshots, peak, groups included" "$(of 100000 5)" '<=' 64 "MiB"
target "compare from 10000 to 1000000 threads, wall time: exponent" "$(grown 2)" '<=' 1.05 ""
target "compare from 10000 to 1000000 threads, CPU time: exponent" "$(grown cpu)" '<=' 1.05 ""
target "compare of 1000000 threads, peak as a part of that of 100000" \
    "$(calculate 'a / b' "$(of 1000000 5)" "$(of 100000 5)")" '<=' 1.1 "times"
