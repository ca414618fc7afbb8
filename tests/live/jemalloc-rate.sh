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
# window SOURCE: around a program that has just begun. On a busy machine its steps come late, and then what it has
# allocated in a second is as many bytes more or less: up to five windows, until one is exact to half a percent.
window() {
    for ((try = 0; try < 5; try++)); do
        "$program" >rate.out &
        rate=$!
        pids+=("$rate")
        await rate.out READY
        "$CTPROF" capture -q --source "$1" --window 1s -o a.zst
        late_us=$(awk '$1 == "LATE" { us = $2 / 1000 } END { printf "%d\n", us }' rate.out)
        length_us=$(zstd -dc a.zst | jq '.window.length_ns / 1000 | floor')
        kill -KILL "$rate"
        wait "$rate" 2>/dev/null || true
        [ $((late_us * 200)) -gt "$length_us" ] || break
    done
    # In parts of a thousand.
    off=$((10 + late_us * 1000 / length_us))
    echo "--source $1: its steps came up to $late_us us late"
}

for source in procfs auto; do
    window "$source"
    row=$(zstd -dc a.zst | jq -c --argjson pid "$rate" '.threads[] | select(.tgid == $pid)')
    end=$(jq '.jemalloc_boottime_ns - .read_boottime_ns' <<<"$row")
    between "--source $source: ns from the row's time to jemalloc's" 1 "$end" 60000000000
    per_second=$("$CTPROF" show --format json --per second --group-by thread --metrics allocated_bytes a.zst |
        jq --arg tid "$rate" '[.rows[] | select(.group | test("\\b" + $tid + "\\b"))][0].value | floor')
    # Within 1 %, and what came late: a step of the program is 0.1 % of a second's work.
    if [ "$off" -gt 200 ]; then
        echo "skipped: --source $source: its steps came up to $late_us us late, of $length_us us"
        continue
    fi
    between "--source $source: bytes per second" $((65536 * (1000 - off))) "$per_second" $((65536 * (1000 + off)))
done
# shellcheck disable=SC2154 # lib.sh has it.
echo "$checks checks"
