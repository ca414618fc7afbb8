#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures snapshots as files: what writing and reading a row costs, and compare of 10,000, 100,000 and 1,000,000 threads,
# with the exponent of its time. Part of run.sh, and a program of its own:
#
#   bench/files.sh BUILD_DIR
#
# RUNS (5) in the environment is how often each command runs.
set -eu

if [ $# -ne 1 ]; then
    echo "Usage: bench/files.sh BUILD_DIR" >&2
    exit 2
fi
build=$(cd "$1" && pwd)
runs=${RUNS:-5}
counts="10000 100000 1000000"

ninja -C "$build" bench >&2
tmp=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM HUP

for count in $counts; do
    for step in 0 1; do
        "$build/bench/make-snapshot" "$count" 1 "$step" 1000 1000 >"$tmp/$count-$step.zst"
    done
done

printf '\nWriting and reading 100000 synthetic threads, medians of %s runs\n' "$runs"
"$build/bench/snapshot-io" "$runs" "$tmp/100000-1.zst"

printf '\ncompare of synthetic snapshots, one thread in ten busy\n'
printf '%-42s %8s %17s %8s %17s %8s %17s %8s\n' "median (minimum..maximum) of $runs runs" \
    'wall ms' '' 'user ms' '' 'sys ms' '' 'peak MiB'
for count in $counts; do
    "$build/bench/measure" "$runs" "compare $count threads" "$build/src/ctprof" compare \
        "$tmp/$count-0.zst" "$tmp/$count-1.zst" | tee -a "$tmp/compared"
done

# The slope of the line through the logarithms of threads and of user time.
awk '{
    x = log($2); y = log($6)
    n++; sx += x; sy += y; sxx += x * x; sxy += x * y
}
END { printf "user time grows with threads to the power of %.3f\n", (n * sxy - sx * sy) / (n * sxx - sx * sx) }' "$tmp/compared"
