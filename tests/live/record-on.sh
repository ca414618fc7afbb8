#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Triggers of a recording: windows are dense behind a load average and behind the pressure of a cgroup, say which one it was, follow
# one another to the nanosecond, and are as long as before in the end. An error of the kernel's has the remedy with it.
#
#   record-on.sh CTPROF
set -eu
[ $# -eq 1 ] || { echo "Usage: record-on.sh CTPROF" >&2; exit 2; }
export CTPROF=$1 WORKLOAD=
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/lib.sh"
needs zstd jq setpriv
scratch=$(mktemp -d)
recorder=
group=
hogs=()
finish() {
    [ -z "$recorder" ] || kill -KILL "$recorder" 2>/dev/null || true
    [ ${#hogs[@]} -eq 0 ] || kill -KILL "${hogs[@]}" 2>/dev/null || true
    for hog in "${hogs[@]}"; do wait "$hog" 2>/dev/null || true; done
    [ -z "$group" ] || rmdir "$group" 2>/dev/null || true
    rm -rf "$scratch"
}
trap finish EXIT
dir=$scratch/recording

# windows: a line for each: begin, end (since boot), requested length, trigger.
windows() {
    zstd -dcq "$dir"/*.zst 2>/dev/null |
        jq -c '[.window.begin_boottime_ns, .captured_boottime_ns, .window.asked_length_ns, .labels.trigger]' 2>/dev/null || true
}

start() {
    "$CTPROF" record "$@" "$dir" 2>"$scratch/errors" &
    recorder=$!
}

stop() {
    kill -TERM "$recorder"
    wait "$recorder" || fail "SIGTERM: status $?"
    recorder=
    windows >"$scratch/windows"
    gaps=$(jq -s '[range(1; length) as $i | select(.[$i][0] != .[$i - 1][1])] | length' <"$scratch/windows")
    [ "$gaps" -eq 0 ] || fail "$gaps windows do not begin where the one before ended: $(cat "$scratch/windows")"
    "$CTPROF" show "$dir" -m run_time_ns >"$scratch/show"
    same "windows in the sum" "$(wc -l <"$scratch/windows")" \
        "$(sed -n 's/^window .* in \([0-9]*\) windows\{0,1\}[,;].*/\1/p' "$scratch/show")"
}

# until FILTER: waits until jq says true of the windows.
until_windows() {
    for _ in $(seq 600); do
        [ "$(windows | jq -s "$1")" != true ] || return 0
        kill -0 "$recorder" 2>/dev/null || fail "the recorder has ended: $(cat "$scratch/errors")"
        sleep 0.2
    done
    echo "skipped: the host was too busy: $(windows | tail -3)"
    exit 77
}

# A load that is always there, beside one that never is. The first window ends when the trigger is met.
start --every 1h --on 'load > 0' --on 'load > 1000000'
until_windows 'map(select(.[3] == "load > 0")) | length >= 3'
stop
jq -s -e '.[0][3] == null and .[0][2] == 3600000000000' <"$scratch/windows" >/dev/null || fail "the first window: $(head -1 "$scratch/windows")"
jq -s -e '.[1:] | all(.[3] == "load > 0" and .[2] == 1000000000)' <"$scratch/windows" >/dev/null ||
    fail "dense windows: $(cat "$scratch/windows")"
"$CTPROF" list "$dir" >"$scratch/list"
grep -q "^trigger .*: load > 0$" "$scratch/list" || fail "list: $(cat "$scratch/list")"
checks=$((checks + 3))
rm -r "$dir"

# Triggers that the kernel refuses.
if setpriv --bounding-set=-sys_resource --inh-caps=-sys_resource "$CTPROF" record --on 'psi io some 100ms/1s' "$dir" 2>"$scratch/errors"; then
    fail "a trigger without CAP_SYS_RESOURCE"
fi
if [ -e /proc/pressure/io ]; then
    grep -q "CAP_SYS_RESOURCE" "$scratch/errors" || fail "$(cat "$scratch/errors")"
else
    grep -q "psi=1" "$scratch/errors" || fail "$(cat "$scratch/errors")"
fi
if "$CTPROF" record --on 'psi cgroup:/there-is-none memory some 100ms/2s' "$dir" 2>"$scratch/errors"; then
    fail "a trigger of no cgroup"
fi
grep -q "no such cgroup\|keeps no pressure" "$scratch/errors" || fail "$(cat "$scratch/errors")"
checks=$((checks + 2))

# A trigger without CAP_SYS_RESOURCE, for which some kernels wake the recorder twice at the begin, whatever the pressure is.
full_usec() { sed -n 's/^full .*total=//p' /proc/pressure/io; }
if [ -e /proc/pressure/io ]; then
    before=$(full_usec)
    setpriv --bounding-set=-sys_resource --inh-caps=-sys_resource \
        "$CTPROF" record --every 1s --on 'psi io full 1900ms/2s' "$dir" 2>"$scratch/errors" &
    recorder=$!
    sleep 1
    if kill -0 "$recorder" 2>/dev/null; then
        until_windows 'length >= 8'
        stop
        if [ $(($(full_usec) - before)) -lt 1900000 ]; then
            jq -s -e 'all(.[3] == null)' <"$scratch/windows" >/dev/null || fail "a pressure that was not met: $(cat "$scratch/windows")"
            checks=$((checks + 1))
        fi
    fi
    recorder=
    rm -rf "$dir"
fi

# The pressure of a cgroup, in which four threads share one CPU.
mount=$(awk '$0 ~ / - cgroup2 / { print $5; exit }' /proc/self/mountinfo)
if [ -z "$mount" ] || ! mkdir "$mount/ctprof-on-$$" 2>/dev/null; then
    echo "passed: $checks checks; no cgroup can be made here"
    exit 0
fi
group=$mount/ctprof-on-$$
if [ ! -e "$group/cpu.pressure" ]; then
    echo "passed: $checks checks; cgroups have no pressure here"
    exit 0
fi
rm -rf "$dir"
trigger="psi cgroup:/ctprof-on-$$ cpu some 200ms/2s"
start --every 2s --on "$trigger"
until_windows 'length >= 2'
for _ in 1 2 3 4; do
    # shellcheck disable=SC2016 # The inner shell expands them.
    taskset -c 0 bash -c 'echo $$ >"$1/cgroup.procs" && while :; do :; done' hog "$group" &
    hogs+=($!)
done
until_windows "map(select(.[3] == \"$trigger\")) | length >= 2"
kill -KILL "${hogs[@]}"
for hog in "${hogs[@]}"; do wait "$hog" 2>/dev/null || true; done
hogs=()
# Thirty seconds later, and not before.
until_windows "(map(.[3] == \"$trigger\") | index(true)) as \$first | .[\$first:] | map(.[3] == null) | any"
for _ in $(seq 50); do
    rmdir "$group" 2>/dev/null && break
    sleep 0.1
done
[ ! -e "$group" ] || fail "the cgroup cannot be removed"
group=
before=$(windows | wc -l)
until_windows "length >= $((before + 2))"
grep -q "ends, since its cgroup is gone; the recording goes on" "$scratch/errors" || fail "a removed cgroup is not reported: $(cat "$scratch/errors")"
stop
dense=$(jq -s 'map(select(.[3] != null)) | length' <"$scratch/windows")
jq -s -e 'all(if .[3] == null then .[2] == 2000000000 else .[2] == 1000000000 end)' <"$scratch/windows" >/dev/null ||
    fail "lengths: $(cat "$scratch/windows")"
# From the first to the last dense window it is 30 seconds at least.
jq -s -e 'map(select(.[3] != null)) | (.[-1][1] - .[0][0]) >= 30000000000' <"$scratch/windows" >/dev/null ||
    fail "dense windows end too early: $(cat "$scratch/windows")"
echo "passed: $dense dense windows behind the pressure of a cgroup, $((checks + 3)) checks"
