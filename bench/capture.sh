#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures captures of hosts of many threads by each source, beside tools that read less of them: wall time, CPU time,
# memory, system calls, the phases, and how they grow. Part of run.sh, and a program of its own:
#
#   bench/capture.sh BUILD_DIR [THREADS...]
#
# Hosts of so many more threads are made one after another (1000 10000 20000 50000 100000 where none is given), in
# processes of 100. Most of what is aimed at is about 20000 and 100000. Root raises kernel.pid_max and
# kernel.threads-max where they are in the way, and puts them back. RUNS (5) in the environment is how often each command
# runs; above 20000 threads three times are the most.
#
# The other tools are those of procps, sysstat and atop; system calls are counted by perf or strace. Tools that are not
# there are named, and left out.
# shellcheck disable=SC2154 # lib.sh sets what is not set here.
set -eu

[ $# -ge 1 ] || { echo "Usage: bench/capture.sh BUILD_DIR [THREADS...]" >&2; exit 2; }
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
bench_begin "$1"
shift
[ $# -gt 0 ] || set -- 1000 10000 20000 50000 100000
sizes_wanted=$*
of_process=100
ten=pid,lwp,user,comm,state,ni,pri,psr,time,rss

has_bpf=
if "$ctprof" capture -q --source bpf -o "$tmp/first.zst" 2>"$tmp/why"; then
    has_bpf=yes
else
    echo "--source bpf: skipped ($(cat "$tmp/why"))"
fi
for tool in ps top pidstat atop; do
    command -v "$tool" >/dev/null || echo "$tool: skipped, it is not installed"
done

# All columns that ps can have at once: some versions crash when a line gets too long, or at single ones of them.
ps_columns() {
    # shellcheck disable=SC2046 # Names of columns.
    set -- $(ps L | awk '{ print $1 }')
    while [ $# -gt 10 ]; do
        list=$(echo "$*" | tr ' ' ,)
        if (ps -Lo "$list" -p 1) >/dev/null 2>&1; then
            echo "$list"
            return
        fi
        shift $(($# / 4))
    done
}
all=
if command -v ps >/dev/null; then
    all=$(ps_columns 2>/dev/null)
fi
all_count=$(echo "$all" | tr ',' '\n' | grep -c . || true)

# in_turns SIZE THREADS ROUNDS: so many threads the host has in all, and everybody reads all of them. Ours come first,
# for the others are told as multiples of them.
in_turns() {
    size=$1
    count=$2
    rounds=$3
    bases=1
    set --
    if [ -n "$has_bpf" ]; then
        bases=2
        set -- "$@" :: "$rounds" "ctprof, bpf" "$ctprof" capture -q --source bpf -o "$tmp/bpf.zst"
    fi
    set -- "$@" :: "$rounds" "ctprof, procfs" "$ctprof" capture -q --source procfs -o "$tmp/procfs.zst"
    if command -v ps >/dev/null; then
        set -- "$@" :: "$rounds" "ps -eLo, 10 columns" ps -eLo "$ten"
        # Once is enough for what takes a minute.
        all_rounds=$(few "$rounds")
        [ "$count" -le 30000 ] || all_rounds=1
        [ -z "$all" ] || set -- "$@" :: "$all_rounds" "ps -eLo, $all_count columns ($all_rounds)" ps -eLo "$all"
    fi
    ! command -v top >/dev/null || set -- "$@" :: "$(few "$rounds")" "top -H -b -n1 ($(few "$rounds"))" top -H -b -n1
    # shellcheck disable=SC2016 # The inner shell expands it. atop adds to a file that is there.
    ! command -v atop >/dev/null || set -- "$@" :: "$rounds" "atop -w, 1 sample" \
        sh -c 'rm -f "$1"; exec atop -w "$1" 1 1' sh "$tmp/atop.raw"
    # It takes minutes where there are more.
    if [ "$count" -le 12000 ] && command -v pidstat >/dev/null; then
        set -- "$@" :: 1 "pidstat -turdw -p ALL (1)" pidstat -t -u -r -d -w -p ALL
    fi
    shift
    if [ "$bases" = 2 ]; then
        printf '%-30s %8s %17s %8s %8s %8s %15s %15s\n' "" "" "" "" "CPU us" "peak" "times bpf's" "times procfs's"
        printf '%-30s %8s %17s %8s %8s %8s %7s %7s %7s %7s\n' "medians of $rounds runs" 'wall ms' \
            '' 'CPU ms' '/thread' 'MiB' wall CPU wall CPU
    else
        printf '%-30s %8s %17s %8s %8s %8s %15s\n' "" "" "" "" "CPU us" "peak" "times procfs's"
        printf '%-30s %8s %17s %8s %8s %8s %7s %7s\n' "medians of $rounds runs" 'wall ms' \
            '' 'CPU ms' '/thread' 'MiB' wall CPU
    fi
    "$measure" -n "$count" -b "$bases" -o "$tmp/turns-$size" "$@" || true
}

# few ROUNDS: of what takes long.
few() {
    [ "$1" -lt 3 ] && echo "$1" || echo 3
}

# calls THREADS LABEL COMMAND...: how many system calls it makes for each thread.
calls() {
    count=$1
    label=$2
    shift 2
    number=
    if perf stat -x, -e raw_syscalls:sys_enter -o "$tmp/calls" true >/dev/null 2>&1; then
        perf stat -x, -e raw_syscalls:sys_enter -o "$tmp/calls" "$@" >/dev/null 2>&1 || true
        number=$(awk -F, '/sys_enter/ && $1 ~ /^[0-9]+$/ { print $1 }' "$tmp/calls")
    elif command -v strace >/dev/null; then
        strace -f -c -o "$tmp/calls" "$@" >/dev/null 2>&1 || true
        number=$(awk '$NF == "total" { print (($(NF - 1) ~ /^[0-9]+$/ && NF > 5) ? $(NF - 2) : $(NF - 1)) }' "$tmp/calls" || true)
    else
        echo "$label: system calls not counted, there is neither perf nor strace"
        return
    fi
    [ -z "$number" ] || awk -v label="$label" -v number="$number" -v count="$count" \
        'BEGIN { printf "%-30s %10d system calls, %8.2f a thread\n", label, number, number / count }'
}

count_calls() {
    heading "System calls on a host of $1 threads"
    [ -z "$has_bpf" ] || calls "$1" "ctprof, bpf" "$ctprof" capture -q --source bpf -o "$tmp/calls.zst"
    calls "$1" "ctprof, procfs" "$ctprof" capture -q --source procfs -o "$tmp/calls.zst"
    ! command -v ps >/dev/null || calls "$1" "ps -eLo, 10 columns" ps -eLo "$ten"
    ! command -v top >/dev/null || calls "$1" "top -H -b -n1" top -H -b -n1
    rm -f "$tmp/atop.raw"
    ! command -v atop >/dev/null || calls "$1" "atop -w, 1 sample" atop -w "$tmp/atop.raw" 1 1
}

# phases SIZE ROUNDS WHAT
phases() {
    heading "Phases of a capture $3: CPU time, medians of $2 runs"
    "$build/bench/capture-phases" "$2" "$tmp/phases-$1"
}

# Processes cost, too: their files are read whatever the source is.
small_processes() {
    room_for 20000 || return 0
    start_threads 1000 20 || return 0
    heading "20000 threads in 1000 processes of 20"
    columns
    [ -z "$has_bpf" ] || measured "ctprof, bpf" "$ctprof" capture -q --source bpf -o "$tmp/small.zst"
    measured "ctprof, procfs" "$ctprof" capture -q --source procfs -o "$tmp/small.zst"
    stop_threads
}

# Threads alone, without anything of their processes, and in memory that is there already.
threads_alone() {
    heading "The pass by BPF over $1 more threads, and samples of what it gave"
    "$build/bench/thread-pass" "$runs" >"$tmp/pass-$1" || echo "thread-pass: not measured"
    cat "$tmp/pass-$1"
}

busy() {
    room_for 20000 || return 0
    start_threads 200 "$of_process" 10 || return 0
    sleep 5
    heading "20000 threads of which a tenth are busy"
    for source in ${has_bpf:+bpf} procfs; do
        "$ctprof" capture -q --source "$source" -o "$tmp/busy-$source.zst"
        sizes "$tmp/busy-$source.zst" "snapshot by $source"
    done
    echo "$(size_of "$tmp/busy-procfs.zst") $(rows_of "$tmp/busy-procfs.zst")" >"$tmp/busy-bytes"
    [ -z "$has_bpf" ] ||
        echo "$(size_of "$tmp/busy-bpf.zst") $(rows_of "$tmp/busy-bpf.zst")" >"$tmp/busy-bytes"
    stop_threads
}

# phase SIZE SOURCE COLUMN, or "-". Columns are those of capture-phases.
phase() {
    awk -F'\t' -v name="$2" -v column="$3" '$1 == name { value = $column } END { print value == "" ? "-" : value }' \
        "$tmp/phases-$1" 2>/dev/null || echo -
}

# Costs that arise once, such as the start of the program and loading, would make it look better. Reading, JSON and zstd, over all
# threads of the host, contain none of them.
growth() {
    for source in bpf procfs; do
        : >"$tmp/all" && : >"$tmp/rest"
        for size in $sizes_wanted; do
            cpu=$(median_of "ctprof, $source" cpu "$tmp/turns-$size")
            [ "$cpu" != - ] || continue
            echo "$(cat "$tmp/threads-$size") $cpu" >>"$tmp/all"
            walked=$(calculate "a + b + c" "$(phase "$size" $source 4)" "$(phase "$size" $source 5)" "$(phase "$size" $source 6)")
            echo "$(phase "$size" $source 2) $walked" >>"$tmp/rest"
        done
        printf '%-8s CPU time of the program: threads to the power of %s; of reading, JSON and zstd: %s\n' "$source" \
            "$(exponent <"$tmp/all")" "$(exponent <"$tmp/rest")"
        exponent <"$tmp/rest" >"$tmp/exponent-$source"
    done
}

targets_of_20000() {
    of=$tmp/turns-20000
    threads=$(cat "$tmp/threads-20000" 2>/dev/null || echo -)
    reading=$(phase 20000 bpf 4)
    target "20000 threads: reading by bpf, CPU of procfs's over it" \
        "$(calculate 'a / b' "$(phase 20000 procfs 4)" "$reading")" '>=' 10 "times"
    target "20000 threads: reading threads by bpf, CPU" \
        "$(awk '/^both/ { print $2 }' "$tmp/pass-20000" 2>/dev/null)" '<=' 2 "us/thread"
    target "20000 threads: reading by bpf, and the files of their processes, CPU" \
        "$(calculate 'a * 1000 / b' "$reading" "$(phase 20000 bpf 2)")" '<=' 2 "us/thread"
    target "20000 threads: whole capture by procfs, CPU" \
        "$(calculate 'a * 1000 / b' "$(median_of 'ctprof, procfs' cpu "$of")" "$threads")" '<=' 25 "us/thread"
    target "20000 threads: procfs, wall time as a part of ps's, 10 columns" \
        "$(calculate 'a / b' "$(median_of 'ctprof, procfs' 2 "$of")" "$(median_of 'ps -eLo, 10 columns' 2 "$of")")" \
        '<' 1 "times"
    target "20000 threads: whole capture by bpf, CPU, loading included" \
        "$(calculate 'a * 1000 / b' "$(median_of 'ctprof, bpf' cpu "$of")" "$threads")" '<' 8 "us/thread"
    target "20000 threads: whole capture by bpf, CPU, without loading" \
        "$(calculate '(a - b) * 1000 / c' "$(median_of 'ctprof, bpf' cpu "$of")" "$(phase 20000 bpf 3)" "$threads")" '<' 8 "us/thread"
    target "20000 threads, a tenth busy: size of the snapshot" \
        "$([ -s "$tmp/busy-bytes" ] && awk '{ print $1 / $2 }' "$tmp/busy-bytes" || echo -)" '<=' 150 "B/thread"
}

targets_of_100000() {
    of=$tmp/turns-100000
    target "100000 threads: capture by bpf, wall time" \
        "$(calculate 'a / 1000' "$(median_of 'ctprof, bpf' 2 "$of")")" '<' 1.5 "s"
    target "100000 threads: capture by procfs, wall time" \
        "$(calculate 'a / 1000' "$(median_of 'ctprof, procfs' 2 "$of")")" '<' 3 "s"
    target "100000 threads: capture by bpf, peak" "$(median_of 'ctprof, bpf' 5 "$of")" '<' 128 "MiB"
    target "100000 threads: capture by procfs, peak" "$(median_of 'ctprof, procfs' 5 "$of")" '<' 128 "MiB"
    target "100000 threads: first to last thread read by bpf" "$(phase 100000 bpf 7)" '<' 150 "ms"
}

for size in $sizes_wanted; do
    room_for "$size" || continue
    start_threads "$(((size + of_process - 1) / of_process))" "$of_process" || continue
    rounds=$runs
    [ "$size" -le 20000 ] || rounds=$(few "$runs")
    heading "Capture with $size more threads, all asleep, in processes of $of_process; in turns; in brackets fewer runs"
    threads_now >"$tmp/threads-$size"
    in_turns "$size" "$(cat "$tmp/threads-$size")" "$rounds"
    phases "$size" "$rounds" "with $size more threads"
    [ -z "$has_bpf" ] || [ "$size" != 20000 ] || threads_alone "$size"
    [ "$size" != 10000 ] || count_calls "$(cat "$tmp/threads-$size")"
    stop_threads
done
small_processes
busy
heading "How captures grow"
growth
heading "What is aimed at, captures"
targets_of_20000
targets_of_100000
for source in bpf procfs; do
    target "capture by $source, $(echo "$sizes_wanted" | sed 's/ .* / to /') threads, CPU of reading, JSON, zstd: exponent" \
        "$(cat "$tmp/exponent-$source")" '<=' 1.05 ""
done
