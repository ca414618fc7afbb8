#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# window-end.sh CTPROF: processes that end while a capture by BPF still reads files. A snapshot has them as they were
# during the pass over all threads, and a window counts nothing that was done after the pass of its last reading.
#
# Single quotes hold programs for jq, and lib.sh sets the variables that are not set here.
# shellcheck disable=SC2016,SC2154
set -euo pipefail

CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
export CTPROF
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd
scratch=$(mktemp -d)
keeper=
end_keeper() {
    [ -z "$keeper" ] || kill "$keeper" 2>/dev/null || true
    wait
    rm -rf "$scratch"
}
trap end_keeper EXIT
cd "$scratch"
"$CTPROF" capture -q --source bpf -o all.zst 2>err || { echo "skipped: $(head -c 200 err)"; exit 77; }

# Some die at every moment.
name=$(unique_prefix)end
cp "$(command -v sleep)" "$name"
while :; do
    "./$name" 0.2 &
    sleep 0.005
done 2>/dev/null &
keeper=$!

# of FILE FILTER: $name is that of the processes.
of() {
    zstd -dc "$1" | jq --arg name "$name" "$2"
}
# The time of a row that ended is that of its end. Threads in the last reading have the time of the pass.
for ((try = 0; try < 3; try++)); do
    "$CTPROF" capture -q --source bpf --window 0.3s -o w.zst 2>/dev/null || fail "window ended with status $?"
    exits=$(of w.zst .window.exits)
    [ "$exits" = '"completed"' ] || { echo "skipped: the ends of threads are $exits"; exit 77; }
    between "rows of processes that ended" 1 "$(of w.zst '[.threads[] | select(.comm == $name and .window_part == "passed")] | length')" \
        1000000
    same "rows of threads that ended after the pass" '[]' "$(of w.zst '
        ([.threads[] | select(.window_part == "continued" or .window_part == "born") | .read_boottime_ns] | max) as $pass |
        (.cost.walk_spread_ns + 1000000) as $slack |
        [.threads[] | select((.window_part == "passed" or .window_part == "exited") and .read_boottime_ns > $pass + $slack) |
         {comm, window_part, late_ns: (.read_boottime_ns - $pass)}]')"
done

# A process that is gone has the reason, and the values of the pass.
gone='[.threads[] | select(.comm == $name and (.missing.exe? == "gone"))]'
seen=0
for ((try = 0; try < 40 && seen < 3; try++)); do
    "$CTPROF" capture -q --source bpf -o all.zst || fail "capture ended with status $?"
    same "rows without a run time" 0 "$(of all.zst "$gone"' | map(select(.run_time_ns == null or .missing.cgroup? == "read")) | length')"
    count=$(of all.zst "$gone | length")
    seen=$((seen + count))
done
if [ "$seen" -eq 0 ]; then
    echo "skipped: of the processes that ended none did so while files were read, in $try captures"
    exit 77
fi
same "processes born after the pass" 0 "$(of all.zst '.captured_boottime_ns as $begin | .host.clock_ticks_per_second as $hz |
    (.cost.walk_spread_ns + 100000000) as $pass |
    [.threads[] | select(.start_time_clock_ticks / $hz * 1000000000 > $begin + $pass)] | length')"

# shellcheck disable=SC2154
echo "$checks checks; $seen rows of processes that had ended"
