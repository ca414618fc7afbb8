#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# thread-life.sh CTPROF: cpu_lifetime_percent of single threads against ps -L. The process is several seconds older than its
# second thread. Both threads have done their work and sleep, so that only their ages grow: how busy the machine is does not
# matter.
# shellcheck disable=SC2154 # lib.sh counts the checks.
set -euo pipefail

CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
export CTPROF
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd python3 ps
scratch=$(mktemp -d)
process=
clean_up() {
    [ -z "$process" ] || kill "$process" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$scratch"
}
trap clean_up EXIT
cd "$scratch"

p=$(unique_prefix)
leader=${p}-leader late=${p}-late
# It is there before the process opens it.
: >said
python3 - "$leader" "$late" >said <<'PYTHON' &
import sys, threading, time

def use(name, seconds):
    with open(f"/proc/self/task/{threading.get_native_id()}/comm", "w") as comm:
        comm.write(name)
    while time.thread_time() < seconds:
        pass

def work():
    use(sys.argv[2], 1)
    print(f"late={threading.get_native_id()}", flush=True)
    time.sleep(600)

use(sys.argv[1], 0.3)
time.sleep(6)
threading.Thread(target=work, daemon=True).start()
time.sleep(600)
PYTHON
process=$!
for ((i = 0; i < 1200 && $(wc -l <said) == 0; i++)); do
    kill -0 "$process" 2>/dev/null || fail "the process has ended"
    sleep 0.1
done
late_tid=$(sed -n 's/^late=//p' said)
[ -n "$late_tid" ] || fail "the second thread has not done its work within two minutes"
# A percentage by ps is one of whole seconds; the age makes that a tenth at most.
sleep 10

# life_of TID: its age in seconds, and its CPU time.
life_of() {
    python3 - "$process" "$1" <<'PYTHON'
import os, sys, time
fields = open(f"/proc/{sys.argv[1]}/task/{sys.argv[2]}/stat").read().rsplit(")", 1)[1].split()
hertz = os.sysconf("SC_CLK_TCK")
print(time.clock_gettime(time.CLOCK_BOOTTIME) - int(fields[19]) / hertz, (int(fields[11]) + int(fields[12])) / hertz)
PYTHON
}
# percent_by_ps TID
percent_by_ps() {
    LC_ALL=C ps -L -o tid=,pcpu= -p "$process" | awk -v tid="$1" '$1 == tid { print $2 }'
}
# life_in FILE NAME
life_in() {
    "$CTPROF" show --format json --group-by comm-exact --metrics cpu_lifetime_percent "$1" |
        jq -r --arg name "$2" '.rows[] | select(.group == $name) | .value'
}
# holds WHAT EXPRESSION NAME=NUMBER...
holds() {
    python3 - "$@" <<'PYTHON' || fail "$1: not $2, with ${*:3}"
import sys
sys.exit(not eval(sys.argv[2], {name: float(number) for name, number in (pair.split("=") for pair in sys.argv[3:])}))
PYTHON
    checks=$((checks + 1))
}

for thread in "$leader $process" "$late $late_tid"; do
    read -r name tid <<<"$thread"
    read -r low cpu < <(life_of "$tid")
    first=$(percent_by_ps "$tid")
    "$CTPROF" capture -q -o life.zst || fail "capture ended with status $?"
    last=$(percent_by_ps "$tid")
    read -r high cpu_after < <(life_of "$tid")
    same "CPU time of $name, which sleeps" "$cpu" "$cpu_after"
    percent=$(life_in life.zst "$name")
    if [ -z "$percent" ] || [ "$percent" = null ]; then
        fail "$name has no cpu_lifetime_percent"
    fi
    # A birth is known to a tick. ps cuts ages to seconds, and percentages to tenths.
    holds "$name by its own age" "100 * cpu / (high + 0.02) <= percent <= 100 * cpu / (low - 0.02)" \
        "percent=$percent" "cpu=$cpu" "low=$low" "high=$high"
    echo "$name: $percent %, ps -L $first % and $last %"
    # ps -L has the CPU time of all threads in the leader's line.
    [ "$tid" != "$process" ] || continue
    holds "$name by ps -L before" "first * (low - 1.02) / (high + 0.02) - 0.1 <= percent <= (first + 0.1) * (high + 1.02) / (low - 1.02)" \
        "percent=$percent" "first=$first" "low=$low" "high=$high"
    holds "$name by ps -L behind" "last * (low - 1.02) / (high + 0.02) - 0.1 <= percent <= (last + 0.1) * (high + 1.02) / (low - 1.02)" \
        "percent=$percent" "last=$last" "low=$low" "high=$high"
done
# The second thread would have less by the age of the process than by its own age.
read -r process_age _ < <(life_of "$process")
holds "$late by the age of its process" "100 * cpu / (process_age - 5.9) < percent" "percent=$percent" "cpu=$cpu" \
    "process_age=$process_age"
echo "$checks checks"
