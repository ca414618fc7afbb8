#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# states.sh CTPROF IOWAIT HANGING_MOUNT: threads of known states in a cgroup of version 1: those that run, sleep, are stopped, wait for a
# file system that does not answer, and are blocked on I/O while a signal would wake them. The kernel's counts of the cgroup are those of
# another program that asks by netlink, and of the rows; the threads that are blocked on I/O are procs_blocked of /proc/stat.
# shellcheck disable=SC2154 # lib.sh counts the checks.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
CTPROF=$(realpath "$1") IOWAIT=$(realpath "$2") HANGING=$(realpath "$3") WORKLOAD=
export CTPROF WORKLOAD
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd python3
mount=$(mounted cgroup cpuacct)
[ -n "$mount" ] || { echo "skipped: no hierarchy of version 1 with cpuacct"; exit 77; }
group=ctprof-states-$$
mkdir "$mount/$group" 2>/dev/null || { echo "skipped: this user may make no cgroups in '$mount'"; exit 77; }
scratch=$(mktemp -d)
pids=() server=
finish() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    [ ${#pids[@]} -eq 0 ] || kill -KILL "${pids[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
    umount "$scratch/point" 2>/dev/null || true
    for _ in $(seq 50); do rmdir "$mount/$group" 2>/dev/null && break; sleep 0.1; done
    rm -rf "$scratch"
}
trap finish EXIT
cd "$scratch"

# within COMMAND...: starts it in the cgroup, with its process id in $!.
within() {
    # shellcheck disable=SC2016 # The inner shell expands it.
    bash -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$mount/$group" "$@" &
    pids+=($!)
}
# until_ COMMAND...: waits until it succeeds, for a minute at most.
until_() {
    for _ in $(seq 600); do
        ! "$@" || return 0
        sleep 0.1
    done
    return 1
}
is_named() { [ "$(cat "/proc/$1/comm")" = "$2" ]; }
is_in() { grep -q "^State:.$2" "/proc/$1/status"; }

# Two pause, and one sleeps by a timer, which newer kernels do not count as sleeping: such a wait can be frozen.
within "$IOWAIT" 0 >/dev/null
within "$IOWAIT" 0 >/dev/null
within sleep 1000
within sleep 1000
stopped=$!
until_ is_named "$stopped" sleep
kill -STOP "$stopped"
within bash -c 'while :; do :; done'
threads=3 blocked=0
within "$IOWAIT" $threads >begun
until_ [ -s begun ]
if grep -q '^begun$' begun; then blocked=$threads; fi

# A file system that ends to answer: the first reader waits for its answer, and the second one for the page of the first, which is I/O.
waits=0 asks=0
mkdir point
head -c 4194304 /dev/urandom >bytes
if [ "$(id -u)" = 0 ] && [ -e /dev/fuse ]; then
    "$HANGING" point bytes >ready 2>/dev/null &
    server=$!
    for _ in $(seq 100); do [ ! -s ready ] || break; kill -0 "$server" 2>/dev/null || break; sleep 0.1; done
fi
if grep -q READY ready 2>/dev/null; then
    for reader in first second; do
        # shellcheck disable=SC2016 # The inner shell expands it.
        within bash -c 'exec 3<point/program; : >"opened-$0"; until [ -e "go-$0" ]; do sleep 0.1; done; exec dd bs=4096 count=1 of=/dev/null <&3 2>/dev/null' $reader
        until_ [ -e opened-$reader ]
    done
    kill -USR1 "$server"
    sleep 0.3
    for reader in first second; do : >go-$reader; done
    a_reader_waits() { is_in "${pids[-1]}" D || is_in "${pids[-2]}" D; }
    until_ a_reader_waits
    waits=1 asks=1
fi
sleeping=$((2 + (blocked > 0 ? 1 + blocked : 0) + asks))

# asked DIRECTORY: what the kernel answers for it, by another program: running sleeping stopped uninterruptible io_wait, or an error.
asked() {
    python3 "$here/cgroupstats.py" "$1"
}
# The sleep may be among the sleeping.
settled=
is_settled() {
    settled=$(asked "$mount/$group")
    case $settled in "1 $sleeping 1 0 $waits" | "1 $((sleeping + 1)) 1 0 $waits") ;; *) return 1 ;; esac
}
until_ is_settled || true
same "states by netlink: running" 1 "${settled%% *}"
same "states by netlink: stopped, uninterruptible, waiting for I/O" "1 0 $waits" "$(echo "$settled" | cut -d' ' -f3-)"
between "states by netlink: sleeping" $sleeping "$(echo "$settled" | cut -d' ' -f2)" $((sleeping + 1))

procs_blocked() { awk '$1 == "procs_blocked" { print $2 }' /proc/stat; }
before=$(procs_blocked)
"$CTPROF" capture -q -o a.zst
after=$(procs_blocked)
zstd -dcq a.zst >a.json
same "states by ctprof" "$settled" "$(jq -r --arg path "/$group" \
    '.cgroup_v1_stats[$path].threads | "\(.running) \(.sleeping) \(.stopped) \(.uninterruptible) \(.io_wait)"' a.json)"
rows() { # rows FILTER: the number of threads in the cgroup that it lets through
    jq --arg line "cpuacct:/$group" "[.threads[] | select(.cgroups_v1 // \"\" | split(\"\\n\") | index(\$line)) | select($1)] | length" a.json
}
same "rows that run" 1 "$(rows '.state == "R"')"
same "rows that sleep" $((sleeping + 1)) "$(rows '.state == "S"')"
same "rows that are stopped" 1 "$(rows '.state == "T"')"
same "rows that wait" "$waits" "$(rows '.state == "D"')"
same "process $stopped" T "$(jq -r ".threads[] | select(.tid == $stopped) | .state" a.json)"

# The table, with all columns of the states.
"$CTPROF" show -g cgroup --sections cgroup-stats a.zst >table
same "columns" 5 "$(grep -o 'v1_\(running\|sleeping\|stopped\|uninterruptible\|io_wait\)' table | wc -l)"
"$CTPROF" show -g cgroup --no-cg-normalize -f csv --sections cgroup-stats a.zst >table.csv
same "value for machines" 1 "$(grep -c "v1:/$group.*threads_v1_stopped" table.csv)"

# Cgroups of version 2 have no such answer.
unified=$(awk '{ for (i = 6; $i != "-"; i++); } $(i + 1) == "cgroup2" && $4 == "/" { print $5; exit }' /proc/self/mountinfo)
if [ -n "$unified" ]; then
    same "version 2" EINVAL "$(asked "$unified")"
    same "version 2 by ctprof" 0 "$(jq '[.cgroup_stats // {} | .[] | select(has("threads"))] | length' a.json)"
fi

if jq -e 'any(.threads[]; has("nr_iowait"))' a.json >/dev/null; then
    same "rows blocked on I/O in the cgroup" $((blocked + waits)) "$(rows '.nr_iowait == 1')"
    low=$((before < after ? before : after)) high=$((before > after ? before : after))
    all=$(jq '[.threads[].nr_iowait // 0] | add' a.json)
    # Somebody else's moment of waiting may lie between the two readings.
    between "rows blocked on I/O, beside procs_blocked" $((blocked + waits)) "$all" $((high + 8))
    between "procs_blocked" $((blocked + waits)) "$low" $((all + 8))
    same "nr_iowait of a group" "$blocked" "$("$CTPROF" show -g comm-exact -m nr_iowait -f json a.zst |
        jq '[.rows[] | select(.group == "blocked-on-io") | .value] | add // 0')"
    "$CTPROF" show -g state -m thread_count,nr_iowait a.zst >by-state
    same "the table by state" 1 "$(grep -c '^S sleeping .*nr_iowait' by-state)"
else
    echo "no pass by BPF: nr_iowait is not known"
    same "the reason" skipped "$(jq -r '.sources.task // .rules.task // "none"' a.json)"
fi
# It is missing by /proc, with its reason, and never zero.
"$CTPROF" capture -q --source procfs -o p.zst
same "nr_iowait by /proc" 0 "$(zstd -dcq p.zst | jq '[.threads[] | select(has("nr_iowait"))] | length')"
"$CTPROF" show -g all -m nr_iowait p.zst >none 2>&1 || true
same "zeros by /proc" 0 "$(grep -c 'nr_iowait  *0' none || true)"
echo "$checks checks"
