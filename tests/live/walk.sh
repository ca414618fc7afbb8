#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# walk.sh CTPROF WORKLOAD: a capture holds every thread of the system once, each whole, also while threads come and
# go by the thousand.
set -euo pipefail

CTPROF=$(realpath "$1")
WORKLOAD=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
export CTPROF WORKLOAD
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd
scratch=$(mktemp -d)
trap 'stop_all; rm -rf "$scratch"' EXIT
cd "$scratch"

# A process whose threads wait for a CPU for a second with a lock held stalls the readers of its files. The values that are
# missing then are the machine's fault: stalls_in FILE counts such a capture, which is made again, and the test is skipped on a
# machine that has no others.
stalled=0
stalls_in() {
    zstd -dc "$1" | jq -e '.parse_summary.processes_stalled // 0 > 0' >/dev/null || return 1
    stalled=$((stalled + 1))
    [ "$stalled" -lt 40 ] || { echo "skipped: processes stalled in $stalled captures"; exit 77; }
}

echo "# the threads of the walk"
# Other processes may start and end threads meanwhile. A thread that exits while it is read is left out. Those that were there
# before and after, and did not exit in between, must be in the capture. When nothing else changed, they and the capture
# itself are all that is in it.
quiet=0
for ((attempt = 0; attempt < 40 && quiet == 0; attempt++)); do
    threads >before
    "$CTPROF" capture -q -o walk.zst &
    child=$!
    wait "$child" || fail "the capture ended with status $?"
    threads >after
    zstd -tq walk.zst || fail "the snapshot is damaged"
    ! stalls_in walk.zst || continue
    zstd -dc walk.zst >walk.json
    jq -r '.threads[] | "\(.tgid)/\(.tid)"' walk.json | sort >in
    [ -z "$(uniq -d in)" ] || fail "threads are in it twice: $(uniq -d in | head -n 3)"
    missed=$(comm -12 before after | sed 's/ ended$//' | sort | comm -23 - in)
    [ -z "$missed" ] || fail "these were there all the time and are missing: $missed"
    [ -z "$(jq -r '[.threads[].tgid] | . as $t | [range(1; length) | select($t[.] != $t[. - 1]) | $t[.]]
        | group_by(.)[] | select(length > 1) | .[0]' walk.json)" ] || fail "threads of one process are apart"
    if cmp -s before after; then
        echo "$child/$child" | cat - before | sed 's/ ended$//' | sort | diff - in || continue
        quiet=1
    fi
    checks=$((checks + 1))
done
if [ "$quiet" -eq 0 ]; then
    echo "note: the system was never quiet, so exact numbers of threads were not compared"
else
    echo "$(wc -l <in) threads, attempt $attempt"
fi
same "rows" "$(jq '.parse_summary | .threads_walked - .threads_gone' walk.json)" "$(jq '.threads | length' walk.json)"
same "processes" "$(jq '.parse_summary | .processes_walked - .processes_gone' walk.json)" \
    "$(jq '[.threads[].tgid] | unique | length' walk.json)"
# Each source's readings add up to the rows.
jq -e '(.threads | length) as $rows | [.sources[] | del(.rule) | add // 0 | . == 0 or . <= $rows] | all' walk.json >/dev/null ||
    fail "a source has more readings than there are rows"
same "readings of stat" "$(jq '.threads | length' walk.json)" "$(jq .sources.stat.read walk.json)"

echo "# the keys of the rows"
{
    "$CTPROF" metric-list --format json | jq -r '.metrics[].name'
    sed -n 's/^IDENTITY(\([a-z0-9_]*\),.*/\1/p' "$here/../../registry/identity.def"
} | sort >registry
jq -r '[.threads[] | keys[]] | unique[]' walk.json | sort >keys
unknown=$(comm -23 keys registry)
[ -z "$unknown" ] || fail "keys that are not in the registry: $unknown"
for key in tid tgid pcomm comm start_time_clock_ticks read_boottime_ns policy nice priority processor state \
    utime_clock_ticks minflt; do
    same "rows with $key" "$(jq '.threads | length' walk.json)" "$(jq --arg key "$key" '[.threads[] | select(has($key))] | length' walk.json)"
done
same "rows with nr_threads are the leaders" "$(jq '[.threads[] | select(.tid == .tgid)] | length' walk.json)" \
    "$(jq '[.threads[] | select(has("nr_threads"))] | length' walk.json)"
# Missing values have reasons; without a reason, nothing is missing.
jq -e '[.threads[] | select(.missing.io) | has("rchar")] | any | not' walk.json >/dev/null || fail "io is missing and there"

echo "# threads that come and go"
p=$(unique_prefix)
start "${p}churn" churn 4
proceed "${p}churn"
# shellcheck disable=SC2154 # lib.sh has it.
pid=${pid_of[${p}churn]}
gone=0 captures=0 seen=0
# Keys that every thread of the process has. Delay accounting that was not on at boot fills the records of threads that were born
# under it: whether a thread without any delay has been is not known by /proc.
# shellcheck disable=SC2016 # jq has these.
keys_of='def keys_of: del(.nr_threads, .rss_bytes, .vsize_bytes, .ppid, .pgrp, .session, .smaps_rollup_kib, .process_totals,
        .process_start_time_clock_ticks, .missing, .impossible, .impossible_totals, .hiwater_rss_bytes, .hiwater_vm_bytes,
        .cgroup, .cgroups_v1) + (.impossible // {})
    | [keys[] | select(test("_delay_(count|total_ns|max_ns|min_ns)$") and (startswith("cpu_") | not) | not)];'
# Ten, and more where chance let none of the brief ones be met, alive or gone. Every second one is by /proc: between a look at a
# directory and the thread's files there is more time to be gone than in a pass by BPF.
while [ "$captures" -lt 10 ] || [ $((gone * seen)) -eq 0 ]; do
    [ "$captures" -lt 500 ] || fail "in $captures captures $seen brief threads were met, and $gone were gone"
    source=auto
    [ $((captures % 2)) -eq 0 ] || source=procfs
    "$CTPROF" capture --source "$source" -o churn.zst 2>err || fail "capture $captures ended with status $?: $(cat err)"
    zstd -tq churn.zst || fail "capture $captures is damaged"
    ! stalls_in churn.zst || continue
    [ "$(grep -cv '^ctprof: wrote ' err)" -le 1 ] || fail "capture $captures said more than a line: $(cat err)"
    captures=$((captures + 1))
    read -r lost brief sets churning reasons walked rows half < <(zstd -dc churn.zst |
        jq -r --argjson pid "$pid" --arg brief "${p}churn-brief" --arg churn "${p}churn-churn" "$keys_of"'
        [.threads[] | select(.tgid == $pid)] as $mine
        | [.parse_summary.threads_gone + ([$mine[] | select(.missing.cgroup == "gone")] | length), ([$mine[] | select(.comm == $brief)] | length),
            ([$mine[] | keys_of | tojson] | unique | length), ([$mine[] | select(.comm == $churn)] | length),
            ([$mine[] | .missing // {} | del(.process_taskstats) | if .cgroup == "gone" then del(.cgroup) else . end | to_entries[] | "\(.key):\(.value)"] | unique | join(",") | if . == "" then "none" else . end), (.parse_summary | .threads_walked - .threads_gone),
            (.threads | length), ((.host.source == "bpf") as $bpf | [.threads[].missing // {}
                | del(.process_taskstats) | if $bpf then del(.cgroup, .exe, .cwd, .title, .smaps_rollup, .jemalloc) else . end | select(any(. == "gone"))] | length)] | @tsv')
    gone=$((gone + lost)) seen=$((seen + brief))
    # No half thread: those of one process have the same keys, but for those of the leader, memory and cgroups that one on its
    # way out has given up, and values of the kernel's that are impossible.
    [ "$sets" = 1 ] || fail "sets of keys in capture $captures: '$sets', not '1'; these rows have not all: $(zstd -dc churn.zst |
        jq -c --argjson pid "$pid" "$keys_of"'[.threads[] | select(.tgid == $pid)] as $mine | ([$mine[] | keys_of[]] | unique) as $all
            | $mine[] | {tid, comm, without: ($all - keys_of), missing, impossible}
            | select(.without | length > 0)')"
    same "rows of capture $captures" "$walked" "$rows"
    # Four that last, and brief ones that have just begun, which still have the name of the one that made them.
    [ "$churning" -ge 4 ] || fail "$churning churning threads in capture $captures"
    # But for the total of a process that a thread was leaving: nobody can tell whether it is in there. BPF keeps such a thread, whose
    # cgroup no file shows any more.
    same "what is missing of threads of our own in capture $captures, and why" none "$reasons"
    # Gone is a reason for a whole thread, never for a source of one that is there, but for what BPF does not read.
    same "threads of capture $captures that are half gone" 0 "$half"
done
echo "$captures captures, $stalled more with stalled processes, $seen brief threads in them, $gone gone while they were read"
"$CTPROF" compare -l --group-by comm walk.zst churn.zst >out
"$CTPROF" show --group-by comm --metrics thread_count --format csv churn.zst >out
finish "${p}churn"
echo "$checks checks"
