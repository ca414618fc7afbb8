#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# source.sh CTPROF WORKLOAD REFUSE: what is read by BPF is what is read from files, row by row; no file is opened for a thread; and
# where the kernel refuses BPF, files are read, unless BPF was asked for.
#
# Single quotes hold programs for jq, and lib.sh sets the variables that are not set here.
# shellcheck disable=SC2016,SC2154
set -euo pipefail

CTPROF=$(realpath "$1")
WORKLOAD=$(realpath "$2")
refuse=$(realpath "$3")
here=$(cd "$(dirname "$0")" && pwd)
export CTPROF WORKLOAD
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd
scratch=$(mktemp -d)
pid=
# It may be stopped, or have ended.
trap 'kill -CONT $pid 2>/dev/null || true; stop_all; rm -rf "$scratch"' EXIT
cd "$scratch"

if ! "$CTPROF" capture -q --source bpf -o try.zst 2>err; then
    grep -q '^ctprof: --source bpf: .' err || fail "no word why BPF does not work: $(cat err)"
    [ ! -e try.zst ] || fail "a capture that failed left a file"
    echo "skipped: $(cat err)"
    exit 77
fi

p=$(unique_prefix)
name=${p}pool workers=100
start "$name" pool "$workers"
pid=${pid_of[$name]}
proceed "$name"
await "$name.out" DONE
kill -STOP "$pid"
for ((i = 0; i < 100; i++)); do
    [ "$(cut -d ' ' -f 3 "/proc/$pid/task"/*/stat | sort -u)" != T ] || break
    sleep 0.05
done

# of FILE: the rows of the stopped process, without the times of reading. Values that it shares with others move.
of() {
    zstd -dc "$1" | jq -cS --argjson pid "$pid" '.threads[] | select(.tgid == $pid) | del(.read_boottime_ns)
        | if .smaps_rollup_kib then .smaps_rollup_kib |= keys else . end'
}
# differences A B [FILTER]: "tid key a b"
differences() {
    jq -nr --slurpfile a "$1" --slurpfile b "$2" "[\$a, \$b] | transpose[] | (.[0] | ${3-.}) as \$x | (.[1] | ${3-.}) as \$y
        | (\$x + \$y | keys[]) | select(\$x[.] != \$y[.]) | \"\(\$x.tid) \(.) \(\$x[.]) \(\$y[.])\"" | sed -n '1,20p'
}
"$CTPROF" capture -q --smaps all --source procfs -o files.zst || fail "from files: status $?"
"$CTPROF" capture -q --smaps all --source bpf -o bpf.zst || fail "by BPF: status $?"
"$CTPROF" capture -q --smaps all -o auto.zst || fail "by itself: status $?"
"$CTPROF" capture -q --smaps all --source procfs -o again.zst || fail "from files again: status $?"
same "the source" '"procfs" "bpf" "bpf"' "$(for file in files bpf auto; do zstd -dc $file.zst | jq .host.source; done | xargs -d '\n')"
same "rows" $((workers + 1)) "$(of bpf.zst | wc -l)"
for file in files bpf auto again; do of $file.zst >$file; done
cmp -s files again || fail "a stopped process changes: $(differences files again)"
# A record of delays is known by BPF, and concluded from its values from files. BPF alone reads nr_iowait.
delays='del(.nr_iowait) | with_entries(select(.key | test("^(blkio|swapin|freepages|thrashing|compact|wpcopy|irq)_delay_") | not))
    | if .process_totals then .process_totals |= with_entries(select(.key | test("^(swapin|freepages|thrashing|compact|wpcopy|irq)_delay_") | not)) else . end'
for file in bpf auto; do
    same "what differs by BPF" 'nothing' "$(differences files $file "$delays" | grep . || echo nothing)"
done
between "values of a thread" 40 "$(head -n 1 bpf | jq length)" 200
same "a delay that both have, and differs" 0 "$(jq -n --slurpfile a files --slurpfile b bpf '[$a, $b] | transpose
    | map(. as [$x, $y] | $x | keys[] | . as $key | select(test("_delay_")) | select($y | has($key))
        | select($x[$key] != $y[$key])) | length')"
# No file shows what the source task has.
same "rules of sources that differ" '["task"]' "$(jq -nc --slurpfile a <(zstd -dc files.zst) --slurpfile b <(zstd -dc bpf.zst) \
    '[$a[0].sources | keys[] | select($a[0].sources[.].rule != $b[0].sources[.].rule)]')"
# Among them those of the zombies that others have left.
cgroups='[(.cgroup_stats, .cgroup_v1_stats) // {} | keys]'
same "cgroups" "$(zstd -dc files.zst | jq -c "$cgroups")" "$(zstd -dc bpf.zst | jq -c "$cgroups")"
# Processes that BPF does not show are read behind the pass.
zstd -dc bpf.zst | jq -e '([.threads[].read_boottime_ns] | max - min) <= .cost.walk_spread_ns + 1000000' >/dev/null ||
    fail "walk_spread_ns is less than the distance of two rows"
# All of the others at once.
zstd -dc bpf.zst | jq -e '.cost.pass_ns > 0 and .cost.pass_ns <= .cost.walk_spread_ns' >/dev/null || fail "the pass is longer than the walk"
zstd -dc bpf.zst | jq -e '.cost.pass_ns < 1000000000' >/dev/null || fail "the pass took more than a second"
kill -CONT "$pid"

if command -v strace >/dev/null && strace -o trace true 2>/dev/null; then
    # LeakSanitizer traces as well.
    ASAN_OPTIONS=detect_leaks=0 strace -f -o trace -e trace=openat,open "$CTPROF" capture -q -o traced.zst || fail "under strace: status $?"
    # Two threads of each set of cgroups are asked for them; the leader's stat is that of the process.
    # ctprof watches its own threads by whole paths, and reads others below a directory that is open.
    same "files of single threads of the pool" 0 \
        "$(grep -v '"/proc/[0-9]*/task/' trace | grep -c "task/[0-9]*/\(sched\|schedstat\|status\|io\)\"" || true)"
    opened=$(grep -c "\"\($pid\|/proc/$pid\)/task/[0-9]*/" trace || true)
    between "files of threads of the pool" 0 "$opened" 4
    # Each of its calls fails once.
    ASAN_OPTIONS=detect_leaks=0 strace -f -o trace -e trace=bpf "$CTPROF" capture -q -o traced.zst || fail "under strace: status $?"
    calls=$(grep -c 'bpf(' trace)
    between "calls of bpf(2)" 3 "$calls" 1000
    for ((i = 1; i <= calls; i++)); do
        ASAN_OPTIONS=detect_leaks=0 strace -f -o trace -e trace=bpf -e inject=bpf:error=EMFILE:when=$i \
            "$CTPROF" capture -q -o injected.zst || fail "where call $i of bpf(2) fails: status $?"
    done
else
    echo "note: no strace, so opened files were not counted"
fi
finish "$name"

if [ "$("$refuse" bpf 1 true; echo $?)" -eq 77 ]; then
    echo "note: this kernel has no seccomp filters, so BPF was not refused"
else
    for error in 1 13 38 22; do
        "$refuse" bpf "$error" "$CTPROF" capture -q -o refused.zst || fail "without BPF ($error): status $?"
        same "the source without BPF ($error)" '"procfs"' "$(zstd -dc refused.zst | jq .host.source)"
        status=0
        "$refuse" bpf "$error" "$CTPROF" capture -q --source bpf -o never.zst 2>err || status=$?
        same "status of --source bpf without it ($error)" 1 "$status"
        same "lines about it" 1 "$(grep -c '^ctprof: --source bpf: .' err)"
        same "lines in all" 1 "$(wc -l <err)"
        [ ! -e never.zst ] || fail "a capture that failed left a file"
    done
fi
echo "$checks checks"
