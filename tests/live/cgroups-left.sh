#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cgroups-left.sh CTPROF: what a window has of cgroups whose threads end in it. A cgroup that is removed right after its process, as
# that of a container, still names the process's work. One that stays has its counters, as its own files have them.
# shellcheck disable=SC2016,SC2154 # lib.sh counts the checks.
set -euo pipefail

CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
export CTPROF
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd
p=$(unique_prefix)
hierarchy=$(mounted cgroup2 rw)
if [ -z "$hierarchy" ] || ! mkdir "$hierarchy/$p" 2>/dev/null; then
    echo "skipped: no cgroup of version 2 can be made"
    exit 77
fi
scratch=$(mktemp -d)
clean_up() {
    kill "${worker:-}" "${capture:-}" 2>/dev/null || true
    wait
    find "$hierarchy/$p" -depth -type d -exec rmdir {} + || true
    rm -rf "$scratch"
}
trap clean_up EXIT
cd "$scratch"

# bash -c "$in_cgroup" - PATH COMMAND...: becomes the command there.
in_cgroup='echo $$ >"$1/cgroup.procs"; shift; exec "$@"'
loop='while :; do :; done'
# usage PATH: of its cpu.stat, in microseconds.
usage() {
    local key value

    while read -r key value; do
        [ "$key" != usage_usec ] || echo "$value"
    done <"$1/cpu.stat"
}

mkdir "$hierarchy/$p/stays"
before=$(usage "$hierarchy/$p/stays")
bash -c "$in_cgroup" - "$hierarchy/$p/stays" bash -c "$loop" &
worker=$!
for ((i = 0; i < 100 && $(usage "$hierarchy/$p/stays") == before; i++)); do sleep 0.1; done
"$CTPROF" capture --window 12s -q -o window.zst &
capture=$!
await_between "$capture"
begin=$(usage "$hierarchy/$p/stays")
removed=(one two/levels three/more/levels)
declare -A used
for path in "${removed[@]}"; do
    mkdir -p "$hierarchy/$p/$path"
    bash -c "$in_cgroup" - "$hierarchy/$p/$path" timeout 0.3 bash -c "$loop" || true
    used[$path]=$(usage "$hierarchy/$p/$path")
    rmdir "$hierarchy/$p/$path"
done
kill "$worker"
wait "$worker" 2>/dev/null || true
worker=
after=$(usage "$hierarchy/$p/stays")
wait "$capture" || fail "capture ended with status $?"
capture=
zstd -dc window.zst >window.json

# The pass is over some time before the reading of cpu.stat, and the reading of the begin is behind the window's begin.
path="/$p/stays"
between "CPU time of the cgroup that stays, in microseconds" $((after - begin)) \
    "$(jq --arg path "$path" '.cgroup_stats[$path].cpu.usage_usec' window.json)" $((after - before))
same "cgroups that are gone, of those that stay" false "$(jq --arg path "$path" '.cgroup_stats[$path] | has("gone")' window.json)"
if [ "$(jq -r .window.exits window.json)" != completed ]; then
    echo "note: the kernel does not report the ends of threads by BPF"
else
    for path in "${removed[@]}"; do
        ran=$(jq --arg path "/$p/$path" '[.threads[] | select(.cgroup == $path) | .run_time_ns // 0] | add // 0' window.json)
        # The first steps of the process, before it is in the cgroup, are not in cpu.stat.
        between "microseconds that threads of $path ran" $((used[$path] - 1000)) $((ran / 1000)) $((used[$path] + 20000))
    done
fi

echo "$checks checks, all as they should be"
