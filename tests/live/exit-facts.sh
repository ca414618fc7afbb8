#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# exit-facts.sh CTPROF WORKLOAD: the facts of the kernel's records of exits agree with what the shell has of its own
# children: exit status, signal, parent, real ids, forks without a program; and those of a process with its threads'.
# shellcheck disable=SC2154 # lib.sh counts the checks.
set -euo pipefail

CTPROF=$(realpath "$1")
WORKLOAD=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
export CTPROF WORKLOAD
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd setpriv
scratch=$(mktemp -d)
trap 'stop_all; rm -rf "$scratch"' EXIT
cd "$scratch"

p=$(unique_prefix)
finish_capture() {
    kill -INT "$capture_pid"
    wait "$capture_pid" || fail "capture ended with status $?"
}

start "${p}two" retire 3 1 10
"$CTPROF" capture -q --window 10m -o w.zst --exits records --exit-buffer 1M &
capture_pid=$!
await_between "$capture_pid"
sh -c 'exit 3' &
of_three=$!
wait "$of_three" || true
sleep 1000 &
of_killed=$!
kill -KILL "$of_killed"
wait "$of_killed" || true
(exit 0) &
of_fork=$!
wait "$of_fork"
of_group=
if [ "$(id -u)" = 0 ]; then
    setpriv --regid 4242 --clear-groups sh -c 'exit 5' &
    of_group=$!
    wait "$of_group" || true
fi
proceed "${p}two"
await "${p}two.out" DONE
# shellcheck disable=SC2154 # lib.sh has it.
pid=${pid_of[${p}two]}
finish "${p}two"
finish_capture
if [ "$(zstd -dc w.zst | jq -r .window.exits)" != recorded ]; then
    echo "skipped: no records of exits here"
    exit 77
fi
"$CTPROF" show --exits --format csv --limit 0 w.zst >all.csv
"$CTPROF" show --exits --format ndjson --limit 0 w.zst >all.ndjson
same "rows of both formats" "$(($(wc -l <all.csv) - 1))" "$(wc -l <all.ndjson)"

# fact PID NAME
fact() {
    jq -r --argjson pid "$1" --arg name "$2" 'select(.tid == $pid) | .[$name]' all.ndjson
}
same "status of exit 3" $((3 << 8)) "$(fact "$of_three" exit_code)"
same "status of SIGKILL" 9 "$(fact "$of_killed" exit_code)"
same "AXSIG of SIGKILL" 16 $(($(fact "$of_killed" flags) & 16))
same "AXSIG of exit 3" 0 $(($(fact "$of_three" flags) & 16))
same "AFORK of a subshell" 1 $(($(fact "$of_fork" flags) & 1))
same "AFORK of a program" 0 $(($(fact "$of_three" flags) & 1))
for child in "$of_three" "$of_killed" "$of_fork"; do
    same "parent of $child" $$ "$(fact "$child" ppid)"
    same "user of $child" "$(id -ru)" "$(fact "$child" uid)"
    same "group of $child" "$(id -rg)" "$(fact "$child" gid)"
    between "birth of $child" "$(stat -c %Y "$scratch" | awk '{ print $1 - 60 }')" "$(fact "$child" begin_unix_s)" "$(date +%s)"
done
if [ -n "$of_group" ]; then
    same "group of setpriv" 4242 "$(fact "$of_group" gid)"
    same "status of exit 5" $((5 << 8)) "$(fact "$of_group" exit_code)"
fi

# The structure of the process comes with its last thread, and is the sum over its threads.
same "records with a process" 1 \
    "$(jq -s --argjson pid "$pid" '[.[] | select(.tgid == $pid and .process_cpu_count != null)] | length' all.ndjson)"
threads=$(jq -s --argjson pid "$pid" '[.[] | select(.tgid == $pid)] | length' all.ndjson)
sum=$(zstd -dc w.zst | jq --argjson pid "$pid" '[.threads[] | select(.tgid == $pid) | .exit.cpu_run_virtual_total_ns] | add')
whole=$(jq --argjson pid "$pid" 'select(.tgid == $pid) | .process_cpu_run_virtual_total_ns // empty' all.ndjson)
# The sum is made a moment before each record; a thread runs for no more than a tick in between without an update.
between "run time of the process" $((sum - threads * 10000000)) "$whole" $((sum + threads * 10000000))
"$CTPROF" show --exits --limit 0 w.zst >table
grep -q SIGKILL table || fail "no SIGKILL in the table"

# Ends beyond the memory for them count as lost or never seen.
"$CTPROF" capture --window 10m -o full.zst --exits records --exit-memory 1M 2>full.err &
capture_pid=$!
await_between "$capture_pid"
for ((i = 0; i < 6000; i++)); do
    (:)
done
finish_capture
ends=$(zstd -dc full.zst | jq '.window.exit_records')
between "records" 6000 "$ends" 1000000
between "overruns" 1 "$(zstd -dc full.zst | jq '.window.exit_overruns')" "$ends"
grep -q 'exit records are not complete (.* never seen' full.err || fail "no line about ends beyond the memory: $(cat full.err)"
echo "$checks checks"
