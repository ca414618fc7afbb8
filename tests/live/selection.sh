#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# selection.sh CTPROF WORKLOAD: captures of some processes. They have the threads that /proc and ps list of these processes, and no
# file of another process is opened for a process id; windows have the ends of their threads and no others; show and compare choose
# the same rows from a snapshot of all.
# shellcheck disable=SC2154 # lib.sh counts the checks.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
CTPROF=$(realpath "$1") WORKLOAD=$(realpath "$2")
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd strace ps
scratch=$(mktemp -d)
children=()
trap 'kill -KILL "${children[@]}" 2>/dev/null || true; rm -rf "$scratch"' EXIT
cd "$scratch"

# Some milliseconds of life each, with a name of their own.
cp "$(type -P true)" sel-child
cat >sel-parent <<'S'
#!/bin/bash
while :; do ./sel-child; ./sel-child; sleep 0.05; done
S
chmod +x sel-parent
mkfifo hold
exec 9<>hold
"$WORKLOAD" sel-many duty 3 10 600000 <hold >ready 9<&- &
children+=($!)
many=$!
./sel-parent &
children+=($!)
parent=$!
sleep 600 &
children+=($!)
other=$!
for _ in {1..600}; do
    [ "$(cat "/proc/$parent/comm")" != sel-parent ] || ! grep -q READY ready || break
    sleep 0.05
done
echo >&9

rows() { # FILE FILTER: distinct values of the rows, on one line
    zstd -dcq "$1" | jq -r "[.threads[] | $2] | unique | map(tostring) | join(\" \")"
}
expect() { # WHAT SEEN EXPECTED
    checks=$((checks + 1))
    [ "$2" = "$3" ] || fail "$1: '$2', not '$3'"
}
refused() { # STATUS MESSAGE ARGUMENT...
    local status=$1 message=$2 got=0
    shift 2
    "$CTPROF" "$@" >out 2>err || got=$?
    expect "status of $*" "$got" "$status"
    expect "message of $*" "$(cat err)" "$message"
}

# Process ids.
"$CTPROF" capture -q --pid "$many,$other" -o ids.zst
expect "tgids of --pid" "$(rows ids.zst .tgid)" "$(printf '%s\n' "$many" "$other" | sort -n | xargs)"
expect "tids of --pid" "$(rows ids.zst .tid)" \
    "$(ps -L -o lwp= -p "$many,$other" | sort -n | xargs)"
expect "the selection in the file" "$(zstd -dcq ids.zst | jq -r .host.selection)" \
    "pid $(printf '%s\n' "$many" "$other" | sort -n | paste -sd,)"
"$CTPROF" capture -q --tgid "$other" -o tgid.zst
expect "tgids of --tgid" "$(rows tgid.zst .tgid)" "$other"
strace -f -qq -y -e trace=%file -o calls "$CTPROF" capture -q --pid "$other" -o one.zst
own=$(awk '{ print $1 }' calls | sort -u | paste -sd'|')
# The mounts of process 1 say where the hierarchies are. Not even the owner of another process is asked about.
expect "processes that a file name named" \
    "$(grep -oE '(</proc>, "|"/proc/)[0-9]+' calls | grep -oE '[0-9]+$' | sort -u | grep -vxE "1|$own" | xargs)" "$other"

# Names and cgroups. A child of sel-parent has its name until it executes another program, so sel-parent stands still until all
# its children have ended.
kill -STOP "$parent"
for _ in {1..600}; do
    # Processes that are neither the parent, stopped, nor its zombies.
    [ -n "$(ps -o pid=,stat= -p "$parent" --ppid "$parent" | awk -v p="$parent" '$2 !~ ($1 == p ? "^T" : "^Z")')" ] || break
    sleep 0.05
done
"$CTPROF" capture -q --comm 'sel-[mp]*' -o names.zst
kill -CONT "$parent"
expect "pcomms of --comm" "$(rows names.zst .pcomm)" "sel-many sel-parent"
cgroup=$(zstd -dcq one.zst | jq -r '.threads[0].cgroup')
"$CTPROF" capture -q --comm sleep --cgroup "$cgroup" -o both.zst
expect "cgroups outside of --cgroup" "$(zstd -dcq both.zst | jq -r --arg cgroup "${cgroup%/}" \
    '.threads[].cgroup | select(. != $cgroup and (startswith($cgroup + "/") | not))')" ""
expect "pcomms of --comm and --cgroup" "$(rows both.zst .pcomm)" sleep

# A window has the threads that came and went in it, of selected processes alone.
if [ "$(id -u)" -eq 0 ]; then
    "$CTPROF" capture -q --comm 'sel-*' --window 1s -o ends.zst
    # A child that was about to become sleep had the name of its parent.
    expect "pcomms of a window" "$(rows ends.zst .pcomm | sed "s/ sleep$//")" "sel-child sel-many sel-parent"
    born=$(zstd -dcq ends.zst | jq '[.threads[] | select(.window_part == "passed" and .pcomm == "sel-child")] | length')
    checks=$((checks + 1))
    [ "$born" -ge 5 ] || fail "only $born children in a window of 1 s"
    expect "numbers of the host in such a window" \
        "$(zstd -dcq ends.zst | jq -c '[.window | .threads_missed, .unaccounted_clock_ticks]')" "[null,null]"
    "$CTPROF" capture -q --pid "$parent" --window 500ms -o parent.zst
    expect "tgids of a window of one process" "$(rows parent.zst .tgid)" "$parent"
fi

# The same rows from a snapshot of all.
"$CTPROF" capture -q -o all.zst
"$CTPROF" show all.zst --pid "$many" -g thread -f csv --all-metrics >chosen.csv 2>/dev/null
checks=$((checks + 1))
grep -q sel-many chosen.csv || fail "show --pid has no row of the process"
expect "groups of show --comm" \
    "$("$CTPROF" show all.zst --comm 'sel-*' -f json | jq -r '[.rows[] | select(.metric == "run_time_ns") | .group] | unique | join(" ")')" \
    "$("$CTPROF" show all.zst -f json | jq -r '[.rows[] | select(.metric == "run_time_ns") | .group | select(startswith("sel-"))] | unique | join(" ")')"
sleep 0.3
"$CTPROF" capture -q -o later.zst
"$CTPROF" compare all.zst later.zst --pid "$many" -f json >of-one.json
"$CTPROF" compare all.zst later.zst -f json >of-all.json
expect "rows of compare --pid" \
    "$(jq -c '[.rows[] | select(.metric == "run_time_ns") | [.group, .delta]]' of-one.json)" \
    "$(jq -c '[.rows[] | select(.metric == "run_time_ns" and .group == "sel-many") | [.group, .delta]]' of-all.json)"

# A window of chosen processes does not show that others did nothing. One of all does.
"$CTPROF" capture -q --window 200ms -o whole.zst
"$CTPROF" capture -q --pid "$other" --window 200ms -o some.zst
"$CTPROF" capture -q --pid "$parent" --window 200ms -o more.zst
apart() { # BASELINE CANDIDATE: where sel-many is listed, as a row or as a group of one side
    "$CTPROF" compare "$1" "$2" --unchanged --limit 0 -f json | jq -r '[
        ([.only_in_baseline[], .only_in_candidate[]] | map(select(.group == "sel-many")) | "apart \(length)"),
        (.rows | map(select(.group == "sel-many" and .metric == "run_time_ns")) | "rows \(length)"),
        (.rows | map(select(.marks // "" | tostring | test("gone|new"))) | map(.group) | unique | length > 0)] | join(" ")'
}
expect "a group of all and of chosen processes" "$(apart whole.zst some.zst)" "apart 1 rows 0 false"
expect "a group of chosen processes and of all" "$(apart some.zst whole.zst)" "apart 1 rows 0 false"
expect "a group that neither choice has" "$(apart some.zst more.zst)" "apart 0 rows 0 false"
expect "a group of all" "$(apart whole.zst whole.zst)" "apart 0 rows 1 false"

# States, beside those of ps: a sleeping thread, one that is stopped, and a zombie.
: >zombie
python3 -c 'import os, time
zombie = os.fork()
if zombie == 0: os._exit(0)
os.waitid(os.P_PID, zombie, os.WEXITED | os.WNOWAIT)
print(zombie, flush=True)
time.sleep(600)' >zombie &
children+=($!)
zombie=
# python3 may be a script that ends children of its own before it executes Python, so only Python can say which one stays.
for _ in {1..600}; do
    zombie=$(cat zombie)
    [ -z "$zombie" ] || break
    sleep 0.05
done
kill -STOP "$other"
for _ in {1..600}; do
    [ "$(ps -o stat= -p "$other" | cut -c1)" != T ] || break
    sleep 0.05
done
"$CTPROF" capture -q --pid "$other,$zombie,${children[-1]}" -o states.zst
expect "threads by state" \
    "$("$CTPROF" show states.zst -g state -f json | jq -r '[.rows[] | select(.metric == "run_time_ns") | .group[:1]] | sort | join(" ")')" \
    "$(ps -o stat= -p "$other,$zombie,${children[-1]}" | cut -c1 | sort | xargs)"

refused 1 "ctprof: there is no process 2147483647" capture -q --pid "$other,2147483647" -o no.zst
tid=$(find "/proc/$many/task" -mindepth 1 -maxdepth 1 -printf "%f\n" | sort -n | tail -1)
refused 1 "ctprof: $tid is a thread of process $many, and no process" capture -q --pid "$tid" -o no.zst
refused 1 "ctprof: no process fits: comm no-such" capture -q --comm no-such -o no.zst
refused 1 "ctprof: no thread of all.zst fits: pid 2147483647" show all.zst --pid 2147483647
refused 1 "ctprof: one.zst and all.zst have the threads of different processes: they were selected in different ways" \
    window one.zst all.zst -o no.zst
refused 2 "ctprof: capture: --pid: 'x' is no process id (see 'ctprof capture --help')" capture --pid x -o no.zst
checks=$((checks + 1))
[ ! -e no.zst ] || fail "a refused capture left a file"

echo "ok: $checks checks"
