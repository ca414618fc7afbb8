#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures capture, compare and show on this host and prints tables of medians. It judges nothing: the figures
# are for people to compare.
#
#   bench/run.sh BUILD_DIR [THREADS]
#
# THREADS (10000 where not given) real threads are started for the part about the live host. RUNS (5) in the
# environment is how often each command runs.
set -eu

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    echo "Usage: bench/run.sh BUILD_DIR [THREADS]" >&2
    exit 2
fi
build=$(cd "$1" && pwd)
threads=${2:-10000}
runs=${RUNS:-5}
threads_of_process=20
processes=$(((threads + threads_of_process - 1) / threads_of_process))

ninja -C "$build" bench >&2
ctprof=$build/src/ctprof
measure=$build/bench/measure

# Files are written to memory where that is possible, so that no disk is measured.
tmp=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
helper=
clean_up() {
    [ -z "$helper" ] || kill "$helper" 2>/dev/null || true
    rm -rf "$tmp"
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP

heading() {
    printf '\n%s\n' "$1"
}

columns() {
    printf '%-42s %8s %17s %8s %17s %8s %17s %8s\n' "median (minimum..maximum) of $runs runs" \
        'wall ms' '' 'user ms' '' 'sys ms' '' 'peak MiB'
}

# measured LABEL COMMAND...
measured() {
    "$measure" "$runs" "$@"
}

size_of() {
    stat -c %s "$1"
}

describe_host() {
    printf '%s, Linux %s, %s CPUs, %s MiB of memory, %s\n' "$(uname -m)" "$(uname -r)" \
        "$(nproc)" "$(awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo)" \
        "$("$ctprof" --version)"
}

start_threads() {
    mkfifo "$tmp/hold"
    "$build/bench/threads" "$processes" "$threads_of_process" <"$tmp/hold" >"$tmp/ready" &
    helper=$!
    exec 3>"$tmp/hold"
    while ! grep -q READY "$tmp/ready"; do
        if ! kill -0 "$helper" 2>/dev/null; then
            wait "$helper" || true
            helper=
            echo "bench: not enough threads; ask for fewer: bench/run.sh BUILD_DIR THREADS" >&2
            exit 1
        fi
        sleep 0.1
    done
}

stop_threads() {
    exec 3>&-
    wait "$helper" || true
    helper=
}

sizes() {
    rows=$("$ctprof" show --group-by cgroup --metrics thread_count --format csv "$1" |
        awk -F, 'NR > 1 { n += $2 } END { print n }')
    bytes=$(size_of "$1")
    json=$(zstd -dc "$1" | wc -c)
    printf '%-42s %d threads: %d bytes, %d a thread; as JSON %d, %d a thread\n' "$2" "$rows" \
        "$bytes" "$((bytes / rows))" "$json" "$((json / rows))"
}

live_host() {
    heading "The live host with $((processes * threads_of_process)) more threads, all asleep"
    start_threads
    columns
    measured "capture" "$ctprof" capture -q -o "$tmp/a.zst"
    "$ctprof" capture -q -o "$tmp/b.zst"
    "$build/bench/taskstats" "$runs" || echo "taskstats: not measured"
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

describe_host
live_host
exits
stops
RUNS=$runs "$(dirname "$0")/files.sh" "$build"
synthetic
zstd_levels "$tmp/a.zst" "the capture of the live host"
zstd_levels "$tmp/s100000-1.zst" "a synthetic snapshot of 100000 threads"
