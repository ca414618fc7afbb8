#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# top --batch: cycles follow one another to the nanosecond, each table is there, the CPU time of a process in all cycles is no more
# than what the kernel says of it (/proc/PID/stat) around them, that of a whole life is what its parent waited for, and signals and
# closed pipes end it.
#
#   top.sh CTPROF
# shellcheck disable=SC2154 # lib.sh counts the checks.
set -euo pipefail
CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/lib.sh"
needs jq
scratch=$(mktemp -d)
burner=
finish() {
    [ -z "$burner" ] || kill -KILL "$burner" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$scratch"
}
trap finish EXIT
cd "$scratch"

cp "$(command -v bash)" topburner
./topburner -c 'while :; do :; done' &
burner=$!
ticks() { awk '{ print $14 + $15 }' "/proc/$burner/stat"; }
hz=$(getconf CLK_TCK)

before=$(ticks)
"$CTPROF" top --batch --every 400ms --count 3 --format json --metrics run_time_ns >sums
after=$(ticks)
same "cycles" 3 "$(jq -s length sums)"
same "cycles that begin where the one before ended" 2 "$(jq -s '[range(1; length) as $i |
    select(.[$i].snapshot.window.begin_boottime_ns == .[$i - 1].snapshot.captured_boottime_ns)] | length' sums)"
# Rates times lengths; a tick is lost at each end.
milliseconds=$(jq -s '[.[] | .snapshot.window.length_ns as $length | .rows[] |
    select(.group == "topburner") | .value * $length / 1e15] | add // 0 | round' sums)
between "CPU time of the burner, in ms" 1 "$milliseconds" $(((after - before + 2) * 1000 / hz))

# A process that begins and ends within the cycles has used in them what the kernel says to its parent. A rate is by the time between
# the two readings of the process, which is not quite the length of the window: a tenth covers that on a busy host, and a cycle that
# is lost or counted twice is more.
env --default-signal "$CTPROF" top --batch --every 1s --format json --group-by pid --metrics run_time_ns >cycles &
top=$!
cycles() { jq -s length cycles 2>/dev/null || echo 0; }
wait_for_cycles() {
    until [ "$(cycles)" -ge "$1" ]; do
        kill -0 "$top" || fail "top has ended"
        sleep 0.05
    done
}
wait_for_cycles 1
read -r pid used < <(python3 -c '
import os, sys
pid = os.spawnv(os.P_NOWAIT, sys.argv[1], [sys.argv[1], "-c", "i=0; while ((i++ < 1500000)); do :; done"])
usage = os.wait4(pid, 0)[2]
print(pid, round((usage.ru_utime + usage.ru_stime) * 1e6))' ./topburner)
wait_for_cycles $(($(cycles) + 2))
kill -INT "$top"
wait "$top"
microseconds=$(jq -s --arg group "$pid topburner" '[.[] | .snapshot.window.length_ns as $length | .rows[] |
    select(.group == $group) | .value * $length / 1e12] | add // 0 | round' cycles)
between "CPU time of a whole life, in us" $((used - used / 10)) "$microseconds" $((used + used / 10))

"$CTPROF" top --batch --every 200ms --count 2 --group-by pcomm --limit 0 >table
same "tables" 2 "$(grep -c '^this host: window of ' table)"
same "empty lines between them" 1 "$(grep -c '^$' table)"
same "lines of the burner" 2 "$(grep -c '^topburner ' table)"
"$CTPROF" top --batch --every 200ms --count 2 --format csv >rows
same "headings" 2 "$(grep -c '^group,' rows)"
"$CTPROF" top --batch --every 200ms --count 1 --rollup exe >tree
same "trees" 1 "$(grep -c '^cpu_percent, host ' tree)"
"$CTPROF" top --batch --every 200ms --count 2 --rollup exe --format csv >tree
same "headings of trees" 2 "$(grep -c '^path,depth,' tree)"
"$CTPROF" top --batch --every 200ms --count 2 --rollup exe --format json >tree
same "objects of trees" 2 "$(jq -s length tree)"

# A cycle that is printed is read at once, and the signal ends it long before the next one.
for signal in INT TERM HUP; do
    mkfifo pipe
    env --default-signal "$CTPROF" top --batch --every 1s >pipe &
    top=$!
    exec 3<pipe
    read -r line <&3
    kill -"$signal" "$top"
    status=0
    wait "$top" || status=$?
    exec 3<&-
    rm pipe
    same "the first line" "this host: window of" "${line:0:20}"
    same "status after SIG$signal" 0 "$status"
done
status=0
{ "$CTPROF" top --batch --every 100ms || echo "$?" >status; } | head -n 1 >/dev/null
same "status without a reader" $((128 + 13)) "$(cat status)"
status=0
"$CTPROF" top --batch --every 100ms >/dev/full 2>errors || status=$?
same "status of a full disk" 1 "$status"
same "message" "ctprof: standard output: No space left on device" "$(cat errors)"
for wrong in --every=99ms --every=2h --every=x --count=0 --count=x --format=ndjson operand; do
    status=0
    "$CTPROF" top --batch "$wrong" >/dev/null 2>&1 || status=$?
    same "status of $wrong" 2 "$status"
done
status=0
"$CTPROF" top >out 2>errors </dev/null || status=$?
same "status without --batch" 1 "$status"
same "its output" 0 "$(wc -c <out)"
same "lines that name --batch" 1 "$(grep -c -e --batch errors)"
echo "$checks checks passed"
