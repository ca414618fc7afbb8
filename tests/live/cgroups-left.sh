#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cgroups-left.sh CTPROF: what a window has of cgroups whose threads end in it. A cgroup that is removed right after its process, as
# that of a container, still names the process's work. One that stays has its counters, as its own files have them.
# shellcheck disable=SC2154 # lib.sh counts the checks.
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

# in_cgroup PATH SECONDS: uses a CPU there.
in_cgroup() {
    bash -c 'echo $$ >"$1/cgroup.procs"; exec timeout "$2" bash -c "while :; do :; done"' - "$1" "$2" || true
}
# usage PATH: of its cpu.stat, in microseconds.
usage() {
    sed -n 's/^usage_usec //p' "$1/cpu.stat"
}

mkdir "$hierarchy/$p/stays"
before=$(usage "$hierarchy/$p/stays")
in_cgroup "$hierarchy/$p/stays" 4 &
worker=$!
for ((i = 0; i < 100 && $(usage "$hierarchy/$p/stays") == before; i++)); do sleep 0.1; done
"$CTPROF" capture --window 12s -q -o window.zst &
capture=$!
for ((i = 0; i < 300; i++)); do
    ! grep -qsx exit-listener "/proc/$capture/task"/*/comm || break
    sleep 0.1
done
sleep 1
begin=$(usage "$hierarchy/$p/stays")
removed=(one two/levels three/more/levels)
for path in "${removed[@]}"; do
    mkdir -p "$hierarchy/$p/$path"
    in_cgroup "$hierarchy/$p/$path" 0.3
    rmdir "$hierarchy/$p/$path"
done
wait "$worker"
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
        between "milliseconds that threads of $path ran" 20 $((ran / 1000000)) 400
    done
fi

echo "$checks checks, all as they should be"
