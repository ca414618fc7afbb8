#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# host-tables.sh CTPROF WORKLOAD: the times of CPUs and the counters of memory in a snapshot lie between two readings of
# /proc that are made without ctprof, and a window has the differences of its two ends.
# shellcheck disable=SC2154 # lib.sh counts the checks.
set -euo pipefail

CTPROF=$(realpath "$1")
WORKLOAD=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
export CTPROF WORKLOAD
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# numbers: "name value" of /proc/stat's times that never fall, and of counters in vmstat.
numbers() {
    awk '/^cpu/ { for (i = 2; i <= 4; i++) print $1 "." i, $i }' /proc/stat
    awk '/^(pgfault|pgalloc_normal|pgfree) / { print $1, $2 }' /proc/vmstat
}
numbers >before
"$CTPROF" capture -q -o a.zst || fail "capture"
numbers >after
zstd -dc a.zst | jq -r '(.host.cpus_clock_ticks | to_entries[] | .key as $cpu | .value | split(" ") | to_entries[]
    | select(.key < 3) | "\($cpu).\(.key + 2) \(.value)"),
    (.host.vmstat | to_entries[] | select(.key | test("^(pgfault|pgalloc_normal|pgfree)$")) | "\(.key) \(.value)")' >have
while read -r name value; do
    between "$name" "$(awk -v name="$name" '$1 == name { print $2 }' before)" "$value" \
        "$(awk -v name="$name" '$1 == name { print $2 }' after)"
done <have
same "numbers" "$(wc -l <before)" "$(wc -l <have)"
same "MemTotal" "$(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo)" \
    "$(zstd -dc a.zst | jq -r .host.meminfo.MemTotal)"
same "btime" "$(awk '$1 == "btime" { print $2 }' /proc/stat)" "$(zstd -dc a.zst | jq .host.boot_unix_s)"

"$CTPROF" capture -q -o b.zst || fail "capture"
"$CTPROF" window a.zst b.zst -o w.zst -q 2>/dev/null || "$CTPROF" window a.zst b.zst -o w.zst || fail "window"
ticks() {
    zstd -dc "$1" | jq -r '.host.cpus_clock_ticks.cpu' | cut -d ' ' -f 1
}
same "user time of the window" $(($(ticks b.zst) - $(ticks a.zst))) \
    "$("$CTPROF" show --cpus --format csv w.zst | awk -F, 'NR > 1 && $1 == "cpu" { print $4 }')"
faults() {
    zstd -dc "$1" | jq -r .host.vmstat.pgfault
}
same "faults of the window" $(($(faults b.zst) - $(faults a.zst))) \
    "$("$CTPROF" show --memory --format csv w.zst | awk -F, '$2 == "pgfault" { print $4 }')"
echo "$checks checks"
