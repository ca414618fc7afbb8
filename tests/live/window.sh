#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# window.sh CTPROF IDS: windows of the running system. Two in a row are one; an id that is used again inside is several
# threads; a pool that shrinks has done what it did; and an interrupt ends a window early.
#
# Single quotes hold programs for jq, and lib.sh sets the variables that are not set here.
# shellcheck disable=SC2016,SC2154
set -euo pipefail

CTPROF=$(realpath "$1")
WORKLOAD=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
export CTPROF WORKLOAD
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd python3
scratch=$(mktemp -d)
trap 'stop_all; rm -rf "$scratch"' EXIT
cd "$scratch"
p=$(unique_prefix)

capture() {
    "$CTPROF" capture -q -o "$1" || fail "capture ended with status $?"
}
window() {
    "$CTPROF" window -q "$1" "$2" -o "$3" || fail "window ended with status $?"
}
# of FILE FILTER: about a window; $tid, $pid and $name are what they are here.
of() {
    zstd -dc "$1" | jq --argjson tid "${tid-0}" --argjson pid "${pid-0}" --arg name "${name-}" "$2"
}
number() {
    of "$1" ".window.$2 // \"unknown\""
}

# Two windows in a row, with work in between.
capture a.zst
for ((i = 0; i < 50; i++)); do /bin/true; done
capture b.zst
for ((i = 0; i < 50; i++)); do /bin/true; done
capture c.zst
window a.zst b.zst ab.zst
window b.zst c.zst bc.zst
window a.zst c.zst ac.zst
"$CTPROF" metric-list --format json | jq '[.metrics[] | select(.rule == "sum" and .type != "level_bytes") | .name]' >counters.json
for w in ab bc ac; do zstd -dc "$w.zst" >"$w.json"; done
sums=$(python3 - <<'EOF'
import json
def rows(name):
    with open(name + ".json") as file:
        found = {(row["tid"], row["start_time_clock_ticks"]): row for row in json.load(file)["threads"]
                 if row["window_part"] == "continued"}
    # One mode of CPU time may have what the other one went back by: their sum adds up.
    for row in found.values():
        if "utime_clock_ticks" in row and "stime_clock_ticks" in row:
            row["cpu_time"] = row.pop("utime_clock_ticks") + row.pop("stime_clock_ticks")
    return found
counters = json.load(open("counters.json"))
ab, bc, ac = rows("ab"), rows("bc"), rows("ac")
checked = 0
for thread in ab.keys() & bc.keys() & ac.keys():
    for name in counters + ["cpu_time", "interval_ns"]:
        if name in ab[thread] and name in bc[thread]:
            # Rounding takes up to a tick from it.
            if abs(ab[thread][name] + bc[thread][name] - ac[thread].get(name, -9)) > (name == "cpu_time"):
                print("thread", thread, name, ab[thread][name], bc[thread][name], ac[thread].get(name))
            checked += 1
print(checked)
EOF
)
between "counters that add up" 200 "$sums" 100000000
same "kind" '"window"' "$(of ab.zst .kind)"

# A pool that shrinks from 64 threads to 2. The two snapshots have its total, and so has the listener.
name=${p}shrink
start "$name" shrink 64 2 40
pid=${pid_of[$name]}
capture a.zst
outer_ms=$(now_ms)
"$CTPROF" capture -q --window 60s -o listened.zst 2>/dev/null &
listener=$!
await_between "$listener"
inner_ms=$(now_ms)
proceed "$name"
await "$name.out" DONE
used_ms=$(($(awk '/DONE/ { print $2 }' "$name.out") / 1000000))
capture b.zst
inner_ms=$(($(now_ms) - inner_ms))
kill -INT "$listener"
wait "$listener" || fail "a window that is interrupted ends with status $?"
outer_ms=$(($(now_ms) - outer_ms))
window a.zst b.zst ab.zst
ms_per_tick=$((1000 / $(getconf CLK_TCK)))
total='[.threads[] | select(.tgid == $pid) | .process_totals // {} | .utime_clock_ticks + .stime_clock_ticks] | add'
between "CPU time of a pool that shrank, in ms" $((used_ms * 98 / 100 - 20)) $(($(of ab.zst "$total") * ms_per_tick)) \
    $((used_ms * 102 / 100 + 60))
between "threads lost without a listener" 62 "$(number ab.zst threads_lost)" 100000
same "negative values" 0 "$(of ab.zst '[.threads[] | .. | numbers | select(. < -100)] | length')"
between "length of the interrupted window in ms" "$inner_ms" $(($(number listened.zst length_ns) / 1000000)) "$outer_ms"
# The kernel's record alone has no CPU time that is exact enough for short lives.
if [ "$(number listened.zst exits)" = '"completed"' ]; then
    between "the same by the rows of the listener's window" $((used_ms * 98 / 100 - 20)) \
        $(($(of listened.zst '[.threads[] | select(.tgid == $pid) | .run_time_ns // 0] | add') / 1000000)) \
        $((used_ms * 102 / 100 + 60))
    # The kernel has one counter of them, under both names. Its records come before the last waits.
    same "ended threads whose delays for a CPU are not their waits for it" '[]' "$(of listened.zst '[.threads[] |
        select(.window_part == "exited" or .window_part == "passed") | select(.wait_time_ns and .cpu_delay_total_ns) |
        select([.wait_time_ns, .timeslices] != [.cpu_delay_total_ns, .cpu_delay_count]) | .tid]')"
fi
if [[ $(number listened.zst exits) =~ recorded|completed ]]; then
    same "threads of it that exited" 62 \
        "$(of listened.zst '[.threads[] | select(.tgid == $pid and .window_part == "exited")] | length')"
    if [ "$(number listened.zst exit_overruns)" = 0 ]; then
        same "threads lost with a listener" 0 "$(number listened.zst threads_lost)"
    fi
else
    echo "not checked: exit records are $(number listened.zst exits)"
fi
finish "$name"

# One id, three processes.
name=${p}reuse
start "$name" reuse
capture a.zst
"$CTPROF" capture -q --window 60s -o listened.zst 2>/dev/null &
listener=$!
await_between "$listener"
proceed "$name"
await "$name.out" DONE
capture b.zst
kill -INT "$listener"
wait "$listener" || fail "a window that is interrupted ends with status $?"
read -r _ tid first passed last < <(grep DONE "$name.out")
if [ "$tid" = UNABLE ]; then
    echo "not checked: ids cannot be chosen here"
else
    window a.zst b.zst ab.zst
    run='[.threads[] | select(.tid == $tid and .window_part == "PART") | .run_time_ns / 1000000 | floor] | @csv'
    between "born with an id that was used, in ms" $((last / 1000000)) "$(of ab.zst "${run/PART/born}" | tr -d '"')" \
        $((last / 1000000 + 6))
    same "its predecessor" '""' "$(of ab.zst "${run/PART/continued}")"
    if [ "$(number listened.zst exits)" = '"completed"' ]; then
        between "the last one, in ms" $((last / 1000000)) \
            "$(of listened.zst "${run/PART/born}" | tr -d '"')" $((last / 1000000 + 6))
        between "the one that was born and ended inside, in ms" $((passed / 1000000)) \
            "$(of listened.zst "${run/PART/passed}" | tr -d '"')" $((passed / 1000000 + 6))
        between "the first one, in ms" $((first / 1000000)) \
            "$(of listened.zst "${run/PART/exited}" | tr -d '"')" $((first / 1000000 + 6))
    fi
fi
finish "$name"

# Lengths in every unit; they are measured.
for time in 300ms 0.3 0.3s 0.005m 0.00008334h; do
    outer_ms=$(now_ms)
    "$CTPROF" capture -q --window "$time" -o short.zst 2>/dev/null || fail "capture ended with status $?"
    between "length of $time in ms" 300 $(($(number short.zst length_ns) / 1000000)) $(($(now_ms) - outer_ms))
done

# Threads that exit right before the end are in the window, by the kernel's records alone as well.
for ((round = 0; round < 3; round++)); do
    "$CTPROF" capture -q --window 60s --exits records -o records.zst &
    listener=$!
    await_between "$listener"
    for ((i = 0; i < 10; i++)); do (echo -n "${p}late" >"/proc/$BASHPID/comm"); done
    kill -INT "$listener"
    wait "$listener" || fail "a window that is interrupted ends with status $?"
    if [ "$(number records.zst exits)" = '"recorded"' ]; then
        same "processes right before the end" 10 \
            "$(name=${p}late of records.zst '[.threads[] | select(.comm == $name and .window_part == "passed")] | length')"
    fi
done

# Without a listener the shortfall is told: on standard error and in the file.
"$CTPROF" capture -q --window 1s --exits off -o quiet.zst 2>quiet.err || fail "capture ended with status $?"
[ ! -s quiet.err ] || fail "-q says: $(cat quiet.err)"
"$CTPROF" capture --window 20s --exits off -o off.zst 2>off.err &
listener=$!
await_between "$listener"
for ((i = 0; i < 300; i++)); do /bin/true; done
kill -INT "$listener"
wait "$listener" || fail "capture ended with status $?"
same "exits" '"skipped"' "$(number off.zst exits)"
if [ "$(number off.zst threads_missed)" != '"unknown"' ]; then
    between "threads never seen" 290 "$(number off.zst threads_missed)" 100000
    grep -q 'exit records not listened to: .*never seen' off.err || fail "no word about what is missing: $(cat off.err)"
fi
echo "$checks checks"
