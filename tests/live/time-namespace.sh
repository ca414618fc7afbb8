#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# time-namespace.sh CTPROF WORKLOAD: a time namespace shifts CLOCK_BOOTTIME and the start times of /proc. Captures within and without have
# the kernel's times: the same threads, and the true time in between.
set -euo pipefail

CTPROF=$(realpath "$1")
WORKLOAD=$(realpath "$2")
export WORKLOAD
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd unshare
if ! unshare -T --boottime 100000 true 2>/dev/null; then
    echo "skipped: no time namespace can be made"
    exit 77
fi
scratch=$(mktemp -d)
trap 'stop_all; rm -rf "$scratch"' EXIT
cd "$scratch"

# Threads as "tid start", and the time since boot, of a file.
list() {
    zstd -dcq "$1" | jq -r '.threads[] | "\(.tid) \(.start_time_clock_ticks)"' | sort
}
boottime() {
    zstd -dcq "$1" | jq .captured_boottime_ns
}

# The clock of a namespace begins no earlier than the kernel's.
up=$(cut -d. -f1 /proc/uptime)
for offset in 100000 "-$((up / 2))"; do
    "$CTPROF" capture -q --no-settings -o without.zst
    unshare -T --boottime "$offset" "$CTPROF" capture -q --no-settings -o within.zst
    "$CTPROF" capture -q --no-settings -o after.zst
    [ "$(boottime without.zst)" -lt "$(boottime within.zst)" ] || fail "$offset: before the capture in front of it"
    [ "$(boottime within.zst)" -lt "$(boottime after.zst)" ] || fail "$offset: behind the capture after it"
    # Those that are in all three, and started when there was no namespace or its clock could show it.
    comm -12 <(list without.zst) <(list after.zst) >stayed
    comm -12 stayed <(list within.zst) >same
    [ "$(wc -l <stayed)" -gt 20 ] || fail "only $(wc -l <stayed) threads stayed"
    # A start before the clock of the namespace may be wrong by a tick: of the threads of the boot one in twenty is.
    missed=$(($(wc -l <stayed) - $(wc -l <same)))
    [ $((missed * (offset < 0 ? 5 : 1000))) -le "$(wc -l <stayed)" ] || fail "$offset: $missed threads of $(wc -l <stayed) are others"
    "$CTPROF" window -q -o window.zst without.zst within.zst
    length=$(zstd -dcq window.zst | jq .window.length_ns)
    between "ns between the captures, offset $offset" 1 "$length" $(($(boottime after.zst) - $(boottime without.zst)))
    same "offset $offset: boot time" null "$(zstd -dcq within.zst | jq .host.boot_unix_s)"
done
"$CTPROF" capture -q --no-settings -w 1s -o first.zst
unshare -T --boottime 100000 "$CTPROF" capture -q --no-settings -w 1s -o last.zst
"$CTPROF" compare first.zst last.zst | head -n 1 >line
grep -qE ', [0-9.]+s later, ' line || fail "two windows: $(<line)"

# The records of a chosen process have the kernel's times, /proc has those of the namespace.
name=$(unique_prefix)
start "$name" retire 20 1 1
# shellcheck disable=SC2154 # lib.sh has it.
unshare -T --boottime 100000 "$CTPROF" capture -q --pid "${pid_of[$name]}" -w 60s -o chosen.zst &
listener=$!
await_between "$listener"
kill -0 "$listener" || fail "the window of a process ended early"
proceed "$name"
await "$name.out" DONE
kill -INT "$listener"
wait "$listener" || fail "a window that is interrupted ends with status $?"
finish "$name"
same "threads of a chosen process that were born and ended" 20 \
    "$(zstd -dcq chosen.zst | jq '[.threads[] | select(.window_part == "passed")] | length')"
# shellcheck disable=SC2154 # lib.sh has it.
echo "$checks checks"
