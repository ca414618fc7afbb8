#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# executed.sh CTPROF IDS: a process executes a program between two readings, without exit records. If its leader does it,
# the window has the leader's work. If another thread does it, that thread has the leader's ids, and the window has no value.
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
needs jq zstd
scratch=$(mktemp -d)
trap 'stop_all; rm -rf "$scratch"' EXIT
cd "$scratch"

# row WHO MS: what the window has of the leader.
row() {
    local name
    name=$(unique_prefix)
    start "$name" execute "$1" "$2"
    "$CTPROF" capture -q --source procfs -o a.zst
    proceed "$name"
    await "$name.out" DONE
    "$CTPROF" capture -q --source procfs -o b.zst
    "$CTPROF" window a.zst b.zst -o w.zst
    zstd -dc w.zst | jq -c --argjson pid "${pid_of[$name]}" '.threads[] | select(.tid == $pid)' >row
    finish "$name"
}

for metric in run_time_ns minflt; do
    row leader 0
    between "$metric of a leader that executed a program" 1 "$(jq ".$metric" row)" 15000000
    # More than the leader had used, less than that, and nothing at all.
    for work in 'thread 100' 'thread 5' 'late 0'; do
        # shellcheck disable=SC2086 # two words
        row $work
        same "name of the leader after $work" sh "$(jq -r .comm row)"
        same "$metric of a thread that took over ($work)" null "$(jq ".$metric" row)"
    done
done
[ "$checks" -gt 0 ] || fail "nothing was checked"
echo "$checks checks"
