#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# time-namespace.sh CTPROF: a time namespace shifts CLOCK_BOOTTIME and the start times of /proc. Captures within and without have
# the kernel's times: the same threads, and the true time in between.
set -euo pipefail

CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd unshare
if ! unshare -T --boottime 100000 true 2>/dev/null; then
    echo "skipped: no time namespace can be made"
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
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
# shellcheck disable=SC2154 # lib.sh has it.
echo "$checks checks"
