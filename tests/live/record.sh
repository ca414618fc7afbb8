#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A recording under churn, with recorders that are killed, against the kernel's own totals: no window overlaps another, the windows of
# one recorder follow one another to the nanosecond, sums over them are those that the single windows have, and a disk that is full
# makes a gap and nothing else.
#
#   record.sh CTPROF
set -eu
[ $# -eq 1 ] || { echo "Usage: record.sh CTPROF" >&2; exit 2; }
export CTPROF=$1 WORKLOAD=
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/lib.sh"
needs zstd jq
scratch=$(mktemp -d)
recorder=
churn=
mounted=
finish() {
    [ -z "$recorder" ] || kill -KILL "$recorder" 2>/dev/null || true
    [ -z "$churn" ] || kill "$churn" 2>/dev/null || true
    [ -z "$mounted" ] || umount "$mounted" || true
    rm -rf "$scratch"
}
trap finish EXIT
dir=$scratch/recording

# Children that live for a moment, and some that live longer than a window.
(while :; do (: ; :) & sleep 0.4 & for _ in 1 2 3 4 5; do /bin/true; done; wait %1 2>/dev/null || true; done) >/dev/null 2>&1 &
churn=$!

# windows: a line for each: begin, end (since boot), user and system ticks, exits, idle first.
windows() {
    for file in "$dir"/*.zst; do
        zstd -dcq "$file" 2>/dev/null || true
    done | jq -c '[.window.begin_boottime_ns, .captured_boottime_ns,
        (.host.user_clock_ticks + .host.system_clock_ticks), .host.forks, .window.threads_lost]'
}

start() {
    "$CTPROF" record --every 200ms "$@" 2>>"$scratch/errors" &
    recorder=$!
}

# until_windows COUNT: waits until the recording has so many.
until_windows() {
    for _ in $(seq 300); do
        [ "$(windows 2>/dev/null | wc -l)" -lt "$1" ] || return 0
        kill -0 "$recorder" 2>/dev/null || fail "the recorder has ended: $(cat "$scratch/errors")"
        sleep 0.1
    done
    echo "skipped: the host was too busy for $1 windows"
    exit 77
}

start "$dir"
until_windows 4
if "$CTPROF" record "$dir" 2>"$scratch/second"; then
    fail "two recorders write to one directory"
fi
grep -q "another recorder writes there" "$scratch/second" || fail "$(cat "$scratch/second")"
"$CTPROF" record --status "$dir" >"$scratch/status" || fail "--status of a recorder that runs"
grep -q "^recorder  process $recorder since 20" "$scratch/status" || fail "--status of a recorder that runs: $(cat "$scratch/status")"
# A pid namespace does not have the recorder's id.
if unshare --pid --fork --mount-proc true 2>/dev/null; then
    unshare --pid --fork --mount-proc "$CTPROF" record --status "$dir" >"$scratch/status" || fail "--status in a pid namespace"
    grep -q "^recorder  a process of another pid namespace since 20" "$scratch/status" || fail "--status in a pid namespace: $(cat "$scratch/status")"
fi
# A lock that was removed keeps others out again from the next window on.
rm "$dir/recorder.lock"
end=$((SECONDS + 60))
until [ -e "$dir/recorder.lock" ]; do
    ((SECONDS < end)) || fail "no new lock is made"
    sleep 0.1
done
if timeout 20 "$CTPROF" record "$dir" 2>"$scratch/second"; then
    fail "two recorders write to one directory, whose lock was removed"
fi
grep -q "another recorder writes there" "$scratch/second" || fail "$(cat "$scratch/second")"
"$CTPROF" record --status "$dir" >"$scratch/status" || fail "--status of a recorder that runs"
grep -q "^recorder  process $recorder since 20" "$scratch/status" || fail "--status of a recorder that runs: $(cat "$scratch/status")"
kill -KILL "$recorder"
wait "$recorder" 2>/dev/null || true
before=$(windows | wc -l)
# A torn tail, as if the power had failed in the write.
file=$(find "$dir" -name '*.zst')
head -c 1000 "$file" >"$scratch/part"
cat "$scratch/part" >>"$file"
"$CTPROF" show "$dir" >"$scratch/torn" || fail "a torn tail makes the recording unreadable"
start "$dir"
until_windows $((before + 4))
kill -HUP "$recorder"
until_windows $((before + 8))
kill -TERM "$recorder"
wait "$recorder" || fail "SIGTERM: status $?"
recorder=
[ "$(find "$dir" -name '*.zst' | wc -l)" -eq 3 ] || fail "$(ls "$dir"): not three files"
zstd -tq "$dir"/*.zst || fail "a torn tail is still there"
[ -z "$(find "$dir" -type f -perm /077)" ] || fail "files are open to others"

windows >"$scratch/windows"
# Two recorders, so one gap; otherwise each window begins where the one before ended.
jq -s -e 'map(select(.[1] <= .[0])) | length == 0' <"$scratch/windows" >/dev/null || fail "a window ends before it begins"
gaps=$(jq -s '[range(1; length) as $i | select(.[$i][0] != .[$i - 1][1])] | length' <"$scratch/windows")
[ "$gaps" -eq 1 ] || fail "$gaps gaps, not 1"
jq -s -e '[range(1; length) as $i | select(.[$i][0] < .[$i - 1][1])] | length == 0' <"$scratch/windows" >/dev/null ||
    fail "windows overlap"

# The sum that ctprof makes has their totals.
"$CTPROF" show "$dir" -m run_time_ns >"$scratch/show"
sum=$(sed -n 's/^window .* in \([0-9]*\) windows, without 1 gap of .*/\1/p' "$scratch/show")
same "windows in the sum" "$(wc -l <"$scratch/windows")" "$sum"
lost=$(jq -s 'map(.[4]) | add' <"$scratch/windows")
checks=$((checks + 1))

"$CTPROF" record --status "$dir" >"$scratch/status" || fail "--status"
grep -q "^recorder  none runs$" "$scratch/status" || fail "--status: $(cat "$scratch/status")"
grep -q "^windows   $sum in 3 files of " "$scratch/status" || fail "--status: $(cat "$scratch/status")"

# One recorder beside /proc/stat: the ticks of its windows are the kernel's own between two readings around it, less those of the
# time at both ends, of which there is no window.
ticks() { awk '$1 == "cpu" { print $2 + $3 + $4 }' /proc/stat; }
rm -r "$dir"
outer=$(ticks)
start "$dir"
until_windows 2
inner=$(ticks)
until_windows 12
inner=$(($(ticks) - inner))
recorded=$recorder
kill -INT "$recorder"
wait "$recorder" || fail "SIGINT: status $?"
recorder=
outer=$(($(ticks) - outer))
have=$(windows | jq -s 'map(.[2]) | add')
if [ "$have" -lt "$inner" ] || [ "$have" -gt "$outer" ]; then
    fail "the windows have $have ticks, and the kernel between $inner and $outer"
fi
checks=$((checks + 1))

# Most windows have only what changed: threads are missing there, and values. A thread that is left out has not run, so the rows that
# are there have all of its run time, and the sum that ctprof makes is that.
frames() { zstd -dcq "$dir"/*.zst; }
changes=$(frames | jq -s 'map(select(.version == 2)) | length')
[ "$changes" -gt 0 ] || fail "no window has changes only"
left_out=$(frames | jq -s 'map(.unchanged.threads // 0) | add')
[ "$left_out" -gt 0 ] || fail "no thread is left out"
rows=$(frames | jq -s --argjson tid "$recorded" '[.[].threads[] | select(.tid == $tid and .tgid == $tid) | .run_time_ns] | add')
sum=$("$CTPROF" show "$dir" -g thread -m run_time_ns --per total --limit 0 --format ndjson |
    jq --arg name "$recorded " 'select(.group | strings | startswith($name)) | .value')
same "run time of the recorder in the sum" "$rows" "$sum"
frames | head -c 100000000 | jq -c 'select(.version == 2)' | sed -n 1p | zstd -q >"$scratch/changes.zst"
if "$CTPROF" show "$scratch/changes.zst" 2>"$scratch/alone"; then
    fail "changes alone are a snapshot"
fi
grep -q "only what changed since the one before" "$scratch/alone" || fail "$(cat "$scratch/alone")"

# Groups by names have the values of a file with a row for each thread, but for the rounding of rates.
"$CTPROF" window -q "$dir" -o "$scratch/all.zst"
for keys in pcomm cgroup,comm user,exe state; do
    for from in "$dir" "$scratch/all.zst"; do
        "$CTPROF" show "$from" -g "$keys" --limit 0 --all-metrics --format ndjson |
            jq -c 'select(.group) | [.group, .metric, .threads, .value]' | sort >"$scratch/groups.${from##*[./]}"
    done
    lines=$(wc -l <"$scratch/groups.zst")
    [ "$lines" -gt 50 ] || fail "$keys: $lines lines"
    paste "$scratch/groups.recording" "$scratch/groups.zst" | jq -s -e 'def near($a; $b): $a == $b or
        (($a | type) == "number" and ($b | type) == "number" and (($a - $b) | fabs) <= 1e-6 * ($b | fabs));
        . as $all | [range(0; length; 2)] | all($all[.][:3] == $all[. + 1][:3] and near($all[.][3]; $all[. + 1][3]))' \
        >/dev/null || fail "$keys: the recording has other groups"
done
checks=$((checks + 1))

# A disk that is full, if a file system can be mounted.
if mkdir "$scratch/small" && mount -t tmpfs -o size=64k none "$scratch/small" 2>/dev/null; then
    mounted=$scratch/small
    dir=$scratch/small/recording
    start "$dir"
    for _ in $(seq 200); do
        ! grep -q "windows are missing from here on" "$scratch/errors" || break
        sleep 0.1
    done
    grep -q "No space left on device: windows are missing" "$scratch/errors" || fail "a full disk is not reported"
    kill -0 "$recorder" || fail "a full disk ends the recorder"
    mount -o remount,size=4m "$scratch/small"
    for _ in $(seq 200); do
        ! grep -q "goes on after a gap of" "$scratch/errors" || break
        sleep 0.1
    done
    grep -q "goes on after a gap of" "$scratch/errors" || fail "the recorder does not go on: $(cat "$scratch/errors")"
    kill -TERM "$recorder"
    wait "$recorder" || fail "after a full disk: status $?"
    recorder=
    "$CTPROF" show "$dir" -m run_time_ns >"$scratch/show" || fail "unreadable after a full disk"
    grep -q "^window .* without [0-9]* gap" "$scratch/show" || fail "the gap is not shown: $(grep ^window "$scratch/show")"
    zstd -tq "$dir"/*.zst || fail "a part of a window is in the file"
    checks=$((checks + 1))
fi
echo "passed: windows have $have ticks (the kernel: $inner to $outer), $lost threads lost, $checks checks"
