#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# exited.sh CTPROF WORKLOAD: the work of threads that start and end between two captures is in the numbers of their
# process, though neither snapshot has a row for them; and it stays there when nothing else happens.
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

p=$(unique_prefix)
name=${p}retire threads=200 ms=15 bytes=4321
start "$name" retire "$threads" "$ms" "$bytes"
# shellcheck disable=SC2154 # lib.sh has them.
pid=${pid_of[$name]}

capture() {
    "$CTPROF" capture -q -o "$1" || fail "capture ended with status $?"
}
capture a.zst
proceed "$name"
await "$name.out" DONE
sleep 0.05
capture b.zst
sleep 0.2
capture c.zst

# delta A B KEY GROUP METRIC
delta() {
    "$CTPROF" compare --format json --unchanged --group-by "$3" --metrics "$5" "$1" "$2" |
        jq -r --arg group "$4" '.rows[] | select(.group == $group) | .delta'
}
# live METRIC: what a sum over the living threads has.
live() {
    zstd -dc b.zst | jq --argjson pid "$pid" --arg metric "$1" '[.threads[] | select(.tgid == $pid) | .[$metric]] | add'
}
# of_process FIELD: of the process's own stat, read by awk.
of_process() {
    sed 's/^.*) //' "/proc/$pid/stat" | awk -v field="$1" '{ print $(field - 2) }'
}

work_ms=$((threads * ms))
ms_per_tick=$((1000 / $(getconf CLK_TCK)))
user=$(delta a.zst b.zst pcomm "$name" utime_clock_ticks)
system=$(delta a.zst b.zst pcomm "$name" stime_clock_ticks)
between "CPU time of the process in ms" $((work_ms * 95 / 100)) $(((user + system) * ms_per_tick)) \
    $((work_ms * 105 / 100 + threads * 2))
between "CPU time of its living threads in ms" 0 \
    $((($(live utime_clock_ticks) + $(live stime_clock_ticks)) * ms_per_tick)) $((work_ms / 10))
cpu=$(zstd -dc b.zst | jq --argjson pid "$pid" '.threads[] | select(.tgid == $pid) | .process_totals // empty
    | .utime_clock_ticks + .stime_clock_ticks')
same "CPU time of the process in its own stat" $(($(of_process 14) + $(of_process 15))) "$cpu"

if [ -r "/proc/$$/io" ]; then
    same "bytes written by the process" $((threads * bytes + 5)) "$(delta a.zst b.zst pcomm "$name" wchar)"
    same "writes of the process" $((threads + 1)) "$(delta a.zst b.zst pcomm "$name" syscw)"
    same "bytes written by its living threads" $((6 + 5)) "$(live wchar)"
    same "writes of the exited threads" "$threads" \
        "$("$CTPROF" show --format json --group-by comm-exact --metrics syscw b.zst |
            jq -r --arg group "$name (exited threads)" '.rows[] | select(.group == $group) | .value')"
else
    echo "skipped: this kernel has no io accounting"
fi

if [ "$(zstd -dc b.zst | jq -r .sources.taskstats.rule)" = read ]; then
    between "run time of the process" $((work_ms * 1000000)) "$(delta a.zst b.zst pcomm "$name" run_time_ns)" \
        $((work_ms * 1050000 + threads * 2000000))
else
    echo "skipped: no taskstats here, so the run time of exited threads is not known"
fi

for metric in utime_clock_ticks wchar syscw run_time_ns minflt; do
    here=$(delta b.zst c.zst pcomm "$name" "$metric")
    [ -z "$here" ] || [ "$here" = null ] || same "$metric afterwards" 0 "$here"
done

# A process whose threads all live has no share of exited ones, however busy it is.
busy=${p}busy
start "$busy" spin 3 400
proceed "$busy"
sleep 0.1
capture d.zst
found=$("$CTPROF" show --format json --group-by comm-exact d.zst |
    jq -r --arg group "$busy (exited threads)" '[.rows[] | select(.group == $group and .value != null)] | length')
same "rows of exited threads of a busy process" 0 "$found"
await "$busy.out" DONE
finish "$busy"
finish "$name"
# shellcheck disable=SC2154
echo "$checks checks"
