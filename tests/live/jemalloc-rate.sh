#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# jemalloc-rate.sh CTPROF PROGRAM: a program that allocates at a known rate has that rate in a window, however long after the other
# values its counters are read. Other processes are slow to be read meanwhile: their memory is large.
set -euo pipefail

if [ ! -x "$2" ]; then
    echo "skipped: no jemalloc to link with"
    exit 77
fi
CTPROF=$(realpath "$1")
program=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd
scratch=$(mktemp -d)
pids=()
end_all() {
    kill -KILL "${pids[@]}" 2>/dev/null || true
}
trap 'end_all; rm -rf "$scratch"' EXIT
cd "$scratch"

# Begun first, so that they come before it in the order of processes.
for n in 1 2 3; do
    python3 -c 'import time
a = bytearray(300 << 20)
a[::4096] = b"x" * len(a[::4096])
print("READY", flush=True)
time.sleep(300)' >"slow-$n" &
    pids+=($!)
    await "slow-$n" READY
done
"$program" >rate.out &
rate=$!
pids+=("$rate")
await rate.out READY

for source in procfs auto; do
    "$CTPROF" capture -q --source "$source" --window 1s -o a.zst
    row=$(zstd -dc a.zst | jq -c --argjson pid "$rate" '.threads[] | select(.tgid == $pid)')
    end=$(jq '.jemalloc_boottime_ns - .read_boottime_ns' <<<"$row")
    between "--source $source: ns from the row's time to jemalloc's" 1 "$end" 60000000000
    per_second=$("$CTPROF" show --format json --per second --group-by thread --metrics allocated_bytes a.zst |
        jq --arg tid "$rate" '[.rows[] | select(.group | test("\\b" + $tid + "\\b"))][0].value | floor')
    # Within 1 %: a step of the program is 0.1 % of a second's work.
    between "--source $source: bytes per second" $((65536 * 990)) "$per_second" $((65536 * 1010))
done
# shellcheck disable=SC2154 # lib.sh has it.
echo "$checks checks"
