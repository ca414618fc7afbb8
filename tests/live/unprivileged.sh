#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# unprivileged.sh CTPROF: a user without rights gets what is for everybody, and is told in one line what was denied.
set -euo pipefail

if [ "$(id -u)" -eq 0 ] && ! setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all true 2>/dev/null; then
    echo "skipped: root cannot become somebody else here"
    exit 77
fi
here=$(cd "$(dirname "$0")" && pwd)
checks=0
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# A copy where anybody can run it: the build may be in a place that is root's alone.
chmod 755 "$scratch"
cp "$1" "$scratch/ctprof"
chmod 755 "$scratch/ctprof"
mkdir -m 777 "$scratch/place"
cd "$scratch/place"

as_nobody() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all "$@"
    else
        "$@"
    fi
}
if as_nobody cat /proc/1/io >/dev/null 2>&1; then
    echo "skipped: nothing is denied to this user"
    exit 77
fi
if ! as_nobody cat /proc/1/stat >/dev/null 2>&1; then
    echo "skipped: /proc hides other users' processes"
    exit 77
fi

as_nobody "$scratch/ctprof" capture -o a.zst 2>err || fail "status $?: $(cat err)"
cat err
same "lines on stderr" 3 "$(wc -l <err)"
zstd -tq a.zst
zstd -dc a.zst >a.json

# Taskstats were asked for once, and have a line of their own.
same "taskstats" denied "$(jq -r .sources.taskstats.rule a.json)"
same "the line about taskstats" "ctprof: taskstats denied: no delay accounting (root can read it; see 'ctprof doctor')" "$(head -n 1 err)"
same "rows with a value of taskstats" 0 "$(jq '[.threads[] | select(has("cpu_delay_count") or has("hiwater_rss_bytes"))] | length' a.json)"
sed -i 1d err
[[ $(tail -n 1 err) =~ ^ctprof:\ wrote\ [0-9]+\ threads\ .*\;\ taskstats\ [0-9]+\ EPERM$ ]] || fail "what was written: $(tail -n 1 err)"
sed -i '$d' err

# "ctprof: 112 readings denied: io 112 (...)": the same numbers as in the file.
[[ $(cat err) =~ ^ctprof:\ ([0-9]+)\ readings?\ denied:\ ([a-z0-9_,\ ]+)\  ]] || fail "the line says something else"
total=${BASH_REMATCH[1]} list=${BASH_REMATCH[2]}
same "readings denied" "$(jq '[.sources | del(.taskstats, .process_taskstats) | .[].denied // 0] | add' a.json)" "$total"
same "readings that failed" "$(jq .parse_summary.read_failures a.json)" "$total"
same "sources denied" "$(jq -r '[.sources | del(.taskstats, .process_taskstats) | to_entries[] | select(.value.denied) | "\(.key) \(.value.denied)"] | join(", ")' a.json)" "$list"
same "sources that failed" "$(jq -r '[.parse_summary.read_failures_by_file | to_entries[] | "\(.key) \(.value)"] | join(", ")' a.json)" "$list"
same "rows with denied readings" "$total" "$(jq '[.threads[] | .missing // {} | .[] | select(. == "denied")] | length' a.json)"

# Process 1 is root's: everything of it but io.
same "io of process 1" null "$(jq '[.threads[] | select(.tid == 1)][0].rchar' a.json)"
same "the reason" '"denied"' "$(jq '[.threads[] | select(.tid == 1)][0].missing.io' a.json)"
for metric in state utime_clock_ticks minflt nr_threads; do
    jq -e --arg metric "$metric" '[.threads[] | select(.tid == 1)][0] | has($metric)' a.json >/dev/null ||
        fail "process 1 has no $metric"
done
# The capture itself is this user's.
if as_nobody cat /proc/self/io >/dev/null 2>&1; then
    [ "$(jq '[.threads[] | select(.comm == "ctprof" and has("rchar"))] | length' a.json)" -ge 1 ] ||
        fail "the user's own io was not read"
fi

as_nobody "$scratch/ctprof" capture -q -o b.zst 2>err || fail "status $?"
[ ! -s err ] || fail "--quiet is not: $(cat err)"
# A value that was denied is a dash, not a zero, and the capture of a group is marked if it is partial.
as_nobody "$scratch/ctprof" compare --unchanged --format json --group-by comm-exact --metrics rchar a.zst b.zst >c.json
name=$(jq -r '[.threads[] | select(.tid == 1)][0].comm' a.json)
same "bytes read by process 1" null "$(jq --arg name "$name" '[.rows[] | select(.group == $name)][0].baseline' c.json)"
echo "$checks checks"
