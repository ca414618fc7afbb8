#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cgroup-limits.sh CTPROF: limits that are set on a cgroup in which there is no thread, against the files of that cgroup as
# the test reads them. Works on a version 1 hierarchy for cpu, memory or pids, and on version 2 with these controllers. Makes
# cgroups and removes them.
# shellcheck disable=SC2154 # lib.sh counts the checks.
set -euo pipefail

CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd

parent=ctprof-test-$$
scratch=$(mktemp -d)
pids=()
made=()
clean_up() {
    for pid in "${pids[@]}"; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    for ((i = ${#made[@]} - 1; i >= 0; i--)); do
        for _ in 1 2 3 4 5; do
            rmdir "${made[i]}" 2>/dev/null && break
            sleep 0.1
        done
    done
    rm -rf "$scratch"
}
trap clean_up EXIT
cd "$scratch"

# The places of the controllers: each has its own in version 1.
version=1
cpu=$(mounted cgroup cpu) memory=$(mounted cgroup memory) tasks=$(mounted cgroup pids)
if [ -z "$cpu$memory$tasks" ]; then
    unified=$(mounted cgroup2 rw)
    version=2 cpu=$unified memory=$unified tasks=$unified
    echo '+cpu +memory +pids' >"$unified/cgroup.subtree_control" 2>/dev/null || true
fi
mkdir_once() {
    [ -d "$1" ] || { mkdir "$1" 2>/dev/null && made+=("$1"); }
}
for mount in $cpu $memory $tasks; do
    if ! mkdir_once "$mount/$parent"; then
        echo "skipped: this user may make no cgroups in '$mount'"
        exit 77
    fi
    [ $version = 1 ] || echo '+cpu +memory +pids' >"$mount/$parent/cgroup.subtree_control"
    mkdir_once "$mount/$parent/mid"
    mkdir_once "$mount/$parent/mid/leaf"
done
if [ $version = 2 ] && [ ! -e "$cpu/$parent/cpu.max" ]; then
    echo "skipped: no cgroup hierarchy with the controller cpu"
    exit 77
fi
limit() {
    [ -z "$1" ] || echo "$3" >"$1/$parent/$2"
}
if [ $version = 1 ]; then
    prefix=v1: stats=cgroup_v1_stats throttled=throttled_ns
    limit "$cpu" cpu.cfs_period_us 50000
    limit "$cpu" cpu.cfs_quota_us 2000
    limit "$memory" memory.limit_in_bytes 67108864
    limit "$memory" mid/memory.limit_in_bytes 134217728
else
    prefix='' stats=cgroup_stats throttled=throttled_usec
    limit "$cpu" cpu.max '2000 50000'
    limit "$memory" memory.max 67108864
    limit "$memory" mid/memory.max 134217728
    limit "$memory" memory.high 33554432
fi
limit "$tasks" mid/pids.max 40
limit "$tasks" pids.max 50

# shellcheck disable=SC2016 # The inner shell expands it.
bash -c 'for dir in "$@"; do echo $$ >"$dir/cgroup.procs"; done; while :; do :; done' - \
    ${cpu:+"$cpu/$parent/mid/leaf"} ${memory:+"$memory/$parent/mid/leaf"} ${tasks:+"$tasks/$parent/mid/leaf"} &
pids+=($!)

# nr_throttled of the parent, by its own file.
parent_throttled() {
    awk '$1 == "nr_throttled" { print $2 }' "$cpu/$parent/cpu.stat"
}
# fact FILE SECTION METRIC: of the leaf, which the snapshot names so.
leaf=/$parent/mid/leaf
fact() {
    "$CTPROF" show --format json --group-by cgroup --no-cg-normalize --per total --sections "$2" "$1" |
        jq -r --arg group "$prefix$leaf" --arg metric "$3" '
            [.rows[] | select(.group == $group and .metric == $metric) | .value] | if . == [] then "-" else .[0] end'
}

sleep 1
if [ -n "$cpu" ]; then
    before=$(parent_throttled)
    "$CTPROF" capture -q --window 2s -o w.zst
    after=$(parent_throttled)
    if [ "$after" = "$before" ]; then
        echo "skipped: the kernel did not throttle a busy thread with a quota of 4 %"
        exit 77
    fi
    same "who throttles the leaf" "$prefix/$parent" "$(fact w.zst cgroup-stats throttled_by)"
    between "periods in which it was throttled" 1 "$(fact w.zst cgroup-stats throttled_by_periods)" "$((after - before))"
    between "time for which it was throttled" 1 "$(fact w.zst cgroup-stats throttled_by_usec)" \
        "$((3000000 * $(getconf _NPROCESSORS_ONLN)))"
    zstd -qdc w.zst >w.json
    same "periods of the leaf itself" 0 \
        "$(jq --arg path "/$parent/mid/leaf" --arg stats $stats '.[$stats][$path].cpu.nr_throttled' w.json)"
    same "periods of the parent and those of the leaf's row" "$(fact w.zst cgroup-stats throttled_by_periods)" \
        "$(jq --arg path "/$parent" --arg stats $stats '.[$stats][$path].cpu.nr_throttled' w.json)"
    same "the parent has the time" number \
        "$(jq -r --arg path "/$parent" --arg stats $stats --arg key $throttled '.[$stats][$path].cpu[$key] | type' w.json)"
fi
"$CTPROF" capture -q -o a.zst
zstd -qdc a.zst >a.json
between "cgroups above" 2 "$(jq .parse_summary.cgroup_ancestors a.json)" 1000000
if [ -n "$cpu" ]; then
    same "limit of the CPU" 4 "$(fact a.zst cgroup-limits cpu_limit_percent)"
    same "whose it is" "$prefix/$parent" "$(fact a.zst cgroup-limits cpu_limit_by)"
fi
if [ -n "$memory" ]; then
    same "limit of memory" 67108864 "$(fact a.zst cgroup-limits memory_limit)"
    same "whose limit of memory" "$prefix/$parent" "$(fact a.zst cgroup-limits memory_limit_by)"
    [ $version = 1 ] || same "memory.high" 33554432 "$(fact a.zst cgroup-limits memory_high_limit)"
    if [ $version = 1 ]; then
        same "a limit that is none" true "$(jq --arg path "/$parent/mid/leaf" \
            '.cgroup_v1_stats[$path].memory | has("limit_bytes") and .limit_bytes == null' a.json)"
        same "the limit of mid" "$(cat "$memory/$parent/mid/memory.limit_in_bytes")" \
            "$(jq --arg path "/$parent/mid" '.cgroup_v1_stats[$path].memory.limit_bytes' a.json)"
    fi
fi
if [ -n "$tasks" ]; then
    same "limit of threads" 40 "$(fact a.zst cgroup-limits pids_limit)"
    same "whose limit of threads" "$prefix/$parent/mid" "$(fact a.zst cgroup-limits pids_limit_by)"
fi

# From a cgroup namespace that begins with mid, by the mounts of the one around it: the names are other ones.
# shellcheck disable=SC2016 # The inner shell expands it.
if unshare --cgroup true 2>/dev/null; then
    bash -c 'ctprof=$1; shift; for dir in "$@"; do echo $$ >"$dir/cgroup.procs"; done
        exec unshare --cgroup "$ctprof" capture -q -o inside.zst' - "$CTPROF" \
        ${cpu:+"$cpu/$parent/mid"} ${memory:+"$memory/$parent/mid"} ${tasks:+"$tasks/$parent/mid"}
    leaf=/leaf
    if [ -n "$cpu" ]; then
        same "limit of the CPU from a namespace" 4 "$(fact inside.zst cgroup-limits cpu_limit_percent)"
        same "whose it is from there" "$prefix/.." "$(fact inside.zst cgroup-limits cpu_limit_by)"
        same "who throttles the leaf from there" "$prefix/.." "$(fact inside.zst cgroup-stats throttled_by)"
    fi
    if [ -n "$memory" ]; then
        same "limit of memory from there" 67108864 "$(fact inside.zst cgroup-limits memory_limit)"
        same "whose limit of memory from there" "$prefix/.." "$(fact inside.zst cgroup-limits memory_limit_by)"
    fi
    [ -z "$tasks" ] || same "whose limit of threads from there" "$prefix/" "$(fact inside.zst cgroup-limits pids_limit_by)"
fi
echo "$checks checks passed"
