#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# live.sh CTPROF WORKLOAD: captures of the running kernel around work of known size. The result of compare
# is checked against the work itself, and against readings of /proc made by shell and ps around the captures.
set -euo pipefail

CTPROF=$(realpath "$1")
WORKLOAD=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
export CTPROF WORKLOAD
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd taskset chrt renice
scratch=$(mktemp -d)
trap 'stop_all; rm -rf "$scratch"' EXIT
cd "$scratch"

p=$(unique_prefix)
spin=${p}spin sleep=${p}sleep write=${p}write pool=${p}pool
spinners=2 spin_ms=800 sleeps=300 writes=500 write_bytes=1000 workers=12
start "$spin" spin "$spinners" "$spin_ms"
start "$sleep" sleep "$sleeps" 1000
start "$write" write "$writes" "$write_bytes" "$scratch/data"
start "$pool" pool "$workers"
all=("${pid_of[$spin]}" "${pid_of[$sleep]}" "${pid_of[$write]}" "${pid_of[$pool]}")

# thread NAME: the id of a thread of the pool.
thread() {
    grep -lx "$1" "/proc/${pid_of[$pool]}/task"/*/comm | cut -d/ -f5
}
last_cpu=$(taskset -cp $$ | sed 's/.*[^0-9]//')
taskset -cp "$last_cpu" "$(thread "${p}poolpool-3")" >/dev/null
renice -n 7 -p "$(thread "${p}poolpool-4")" >/dev/null
chrt -b -p 0 "$(thread "${p}poolpool-5")"

capture() {
    "$CTPROF" capture -o "$1" 2>err || fail "capture ended with status $?: $(cat err)"
    [ "$(grep -cv '^ctprof: wrote ' err)" -le 1 ] || fail "capture said more than a line: $(cat err)"
    zstd -tq "$1" || fail "$1 is damaged"
}

echo "# around the work"
readings "${all[@]}" >r1
capture a.zst
readings "${all[@]}" >r2
captured a.zst "${all[@]}" >a
bracketed "before the work" r1 a r2

for name in "$sleep" "$write" "$pool"; do
    proceed "$name"
done
for name in "$sleep" "$write" "$pool"; do
    await "$name.out" DONE
done
# A capture in the middle of the spinning, while counters move.
proceed "$spin"
sleep 0.1
readings "${all[@]}" >m1
capture m.zst
readings "${all[@]}" >m2
captured m.zst "${all[@]}" >m
# A capture may take longer than the spinning where much else is going on.
still_spinning=1
! grep -q DONE "$spin.out" || still_spinning=0
bracketed "during the work" m1 m m2
await "$spin.out" DONE
sleep 0.05

readings "${all[@]}" >r3
capture b.zst
readings "${all[@]}" >r4
captured b.zst "${all[@]}" >b
bracketed "after the work" r3 b r4

# sum READINGS METRIC NAME: over the threads of a workload, by the readings of the shell.
sum() {
    awk -v metric="$2" -v tids="$(cd "/proc/${pid_of[$3]}/task" && echo *)" '
        BEGIN { n = split(tids, list, " "); for (i = 1; i <= n; i++) mine[list[i]] = 1 }
        $1 in mine && $2 == metric { total += $3; seen = 1 }
        END { if (seen) printf "%.0f\n", total }' "$1"
}

for key in pcomm comm comm-exact; do
    "$CTPROF" compare --format json --unchanged --group-by "$key" a.zst b.zst |
        jq -r --arg p "$p" '.rows[] | select(.group | startswith($p))
            | [.group, .metric, .baseline, .candidate, .delta, .threads_candidate] | map(tostring) | join("\t")' >"compare-$key"
done
# value KEY GROUP METRIC baseline|candidate|delta|threads: one cell of the comparison.
value() {
    awk -F '\t' -v group="$2" -v metric="$3" -v column="$4" '
        BEGIN { split("group metric baseline candidate delta threads", names, " ")
            for (i in names) number[names[i]] = i }
        $1 == group && $2 == metric { print $number[column] }' "compare-$1"
}
delta() {
    value "$1" "$2" "$3" delta
}

echo "# the work itself: prompts are DONE and a newline out, go and a newline in"
bytes=0 calls=0
for ((i = 1; i <= workers; i++)); do
    calls=$((calls + 10 * i))
    bytes=$((bytes + 10 * i * i))
done
if [ -r "/proc/$$/io" ]; then
    same "writes of the pool" "$((calls + 1))" "$(delta pcomm "$pool" syscw)"
    same "bytes written by the pool" "$((bytes + 5))" "$(delta pcomm "$pool" wchar)"
    same "reads of the pool" 1 "$(delta pcomm "$pool" syscr)"
    same "bytes read by the pool" 3 "$(delta pcomm "$pool" rchar)"
    same "writes of the pool's workers" "$calls" "$(delta comm "${p}poolpool-{N}" syscw)"
    same "bytes written by the pool's workers" "$bytes" "$(delta comm "${p}poolpool-{N}" wchar)"
    for worker in 0 7 11; do
        same "writes of worker $worker" $((10 * (worker + 1))) "$(delta comm-exact "${p}poolpool-$worker" syscw)"
        same "bytes written by worker $worker" $((10 * (worker + 1) * (worker + 1))) \
            "$(delta comm-exact "${p}poolpool-$worker" wchar)"
    done
    same "writes of the writer" $((writes + 1)) "$(delta pcomm "$write" syscw)"
    same "bytes written by the writer" $((writes * write_bytes + 5)) "$(delta pcomm "$write" wchar)"
    same "reads of the reader" $((writes + 1)) "$(delta pcomm "$write" syscr)"
    same "bytes read by the reader" $((writes * write_bytes + 3)) "$(delta pcomm "$write" rchar)"
    same "reads of the writing thread" 0 "$(delta comm-exact "$write-write" syscr)"
    same "writes of the reading thread" 0 "$(delta comm-exact "$write-read" syscw)"
    same "writes of the spinner" 1 "$(delta pcomm "$spin" syscw)"
else
    echo "skipped: this kernel has no io accounting"
fi
same "threads of the pool before" $((workers + 1)) "$(value pcomm "$pool" thread_count baseline)"
same "threads of the pool after" $((workers + 1)) "$(value pcomm "$pool" thread_count candidate)"
same "threads of the pool's process" $((workers + 1)) "$(value pcomm "$pool" nr_threads candidate)"
same "workers of the pool" "$workers" "$(value comm "${p}poolpool-{N}" thread_count threads)"
same "threads with a worker's name" 1 "$(value comm-exact "${p}poolpool-7" thread_count threads)"
same "spinners" "$spinners" "$(value comm-exact "$spin-spin" thread_count threads)"

between "switches of the sleeper" "$((sleeps - 6))" "$(delta comm-exact "$sleep-sleep" voluntary_csw)" $((sleeps + 12))
ms_per_tick=$((1000 / $(getconf CLK_TCK)))
between "user time of the spinners in ms" $((spinners * spin_ms * 85 / 100)) \
    "$(($(delta comm-exact "$spin-spin" utime_clock_ticks) * ms_per_tick))" $((spinners * spin_ms * 115 / 100 + 20))
if grep -qv '^0 ' "/proc/${pid_of[$spin]}/schedstat"; then
    between "run time of the spinners" $((spinners * spin_ms * 1000000)) "$(delta comm-exact "$spin-spin" run_time_ns)" \
        $((spinners * spin_ms * 1050000 + 5000000))
    between "run time of the sleeper" 1 "$(delta pcomm "$sleep" run_time_ns)" $((spin_ms * 1000000))
else
    echo "skipped: this kernel keeps no run time"
fi

echo "# the readings of the shell"
compared=0
for name in "$spin" "$sleep" "$write" "$pool"; do
    for metric in run_time_ns wait_time_ns timeslices voluntary_csw nonvoluntary_csw minflt majflt utime_clock_ticks \
        stime_clock_ticks rchar wchar syscr syscw read_bytes write_bytes nr_migrations wait_count wait_sum nr_wakeups; do
        low=$(sum r2 "$metric" "$name") high=$(sum r4 "$metric" "$name")
        if [ -z "$low" ] || [ -z "$high" ]; then
            continue
        fi
        # A process's own clock ticks are rounded off once, those of its threads one by one.
        slack=0
        if [[ $metric == *_ticks ]]; then
            slack=$(find "/proc/${pid_of[$name]}/task" -mindepth 1 -maxdepth 1 | wc -l)
        fi
        # From the last reading before to the first one after, and from the first one before to the last one after.
        between "$metric of $name" $(($(sum r3 "$metric" "$name") - low - slack)) "$(delta pcomm "$name" "$metric")" \
            $((high - $(sum r1 "$metric" "$name") + slack))
        compared=$((compared + 1))
    done
done
[ "$compared" -ge 40 ] || fail "only $compared sums could be compared"
echo "$compared sums of a process are as the shell reads them"

# cell FILE TID KEY: of a thread in a snapshot.
cell() {
    zstd -dc "$1" | jq -c --argjson tid "$2" --arg key "$3" '.threads[] | select(.tid == $tid) | .[$key]'
}
same "affinity of the pinned worker" "[$last_cpu]" "$(cell b.zst "$(thread "${p}poolpool-3")" cpu_affinity)"
same "affinity of another worker" \
    "$(taskset -cp "$(thread "${p}poolpool-2")" | sed 's/.*: //' | jq -Rc 'split(",") | map(split("-") | map(tonumber) | [range(.[0]; .[-1] + 1)]) | add')" \
    "$(cell b.zst "$(thread "${p}poolpool-2")" cpu_affinity)"
same "nice value" 7 "$(cell b.zst "$(thread "${p}poolpool-4")" nice)"
same "priority" 27 "$(cell b.zst "$(thread "${p}poolpool-4")" priority)"
same "nice value of another" 0 "$(cell b.zst "$(thread "${p}poolpool-5")" nice)"
same "policy" '"SCHED_BATCH"' "$(cell b.zst "$(thread "${p}poolpool-5")" policy)"
same "policy of another" '"SCHED_OTHER"' "$(cell b.zst "$(thread "${p}poolpool-4")" policy)"
same "state of the sleeper" S "$(value comm-exact "$sleep-sleep" state candidate)"
if [ "$still_spinning" -eq 1 ]; then
    same "state of the spinners in the middle" '"R","R"' "$(zstd -dc m.zst |
        jq -r --arg comm "$spin-spin" '[.threads[] | select(.comm == $comm) | .state | tojson] | join(",")')"
else
    echo "not checked: the spinners were done before the capture in the middle of their work was"
fi
same "range of nice values" 0..7 "$(value pcomm "$pool" nice candidate)"
same "policies of the pool" SCHED_OTHER "$(value pcomm "$pool" policy candidate)"
same "cgroup" "$(sed -n 's/^0:://p' "/proc/${pid_of[$pool]}/cgroup" | jq -R .)" "$(cell b.zst "${pid_of[$pool]}" cgroup)"

if command -v ps >/dev/null; then
    for pid in "${all[@]}"; do
        ps -L -o tid=,s=,ni=,cls=,nlwp=,comm= -p "$pid" | awk '{ $1 = $1; print }' | sort
    done >ps.want
    for pid in "${all[@]}"; do
        zstd -dc b.zst | jq -r --argjson pid "$pid" '[.threads[] | select(.tgid == $pid)] as $all | $all[]
            | [.tid, .state, .nice, {"SCHED_OTHER": "TS", "SCHED_BATCH": "B"}[.policy], $all[0].nr_threads, .comm]
            | map(tostring) | join(" ")' | sort
    done >ps.have
    diff ps.want ps.have || fail "ps sees other threads"
    checks=$((checks + 1))
else
    echo "skipped: no ps"
fi

# Stopped threads, and threads of a process that has others.
kill -STOP "${pid_of[$pool]}"
capture s.zst
kill -CONT "${pid_of[$pool]}"
same "states of a stopped process" T "$(zstd -dc s.zst |
    jq -r --argjson pid "${pid_of[$pool]}" '[.threads[] | select(.tgid == $pid) | .state] | unique | join(",")')"

for name in "$spin" "$sleep" "$write" "$pool"; do
    finish "$name"
done
echo "$checks checks"
