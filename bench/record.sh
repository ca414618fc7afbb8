#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures recorders side by side on hosts of 100, 500 and 2,000 threads, one at a time: CPU time and bytes of a sample, at one sample a
# second, by the recorder's own CPU time in /proc and the size of its files:
#
#   bench/record.sh BUILD_DIR [THREADS...]
#
# SECONDS_EACH (20) in the environment is how long each records. The threads sleep, but for every tenth (BUSY).
# shellcheck disable=SC2154 # lib.sh sets what is not set here.
set -eu

[ $# -ge 1 ] || { echo "Usage: bench/record.sh BUILD_DIR [THREADS...]" >&2; exit 2; }
seconds=${SECONDS_EACH:-20}
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
bench_begin "$1"
shift
[ $# -gt 0 ] || set -- 100 500 2000
ticks_per_second=$(getconf CLK_TCK)

# cpu_ticks PID: of the process with its ended threads and children.
cpu_ticks() {
    sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 + $14 + $15 }'
}

# recorder LABEL PATH COMMAND...: what it uses from its second sample on. PATH is its file or directory.
recorder() {
    label=$1
    path=$2
    shift 2
    "$@" >"$tmp/out" 2>&1 &
    recorder=$!
    sleep 2
    if ! before=$(cpu_ticks "$recorder" 2>/dev/null); then
        printf '%-28s does not run: %s\n' "$label" "$(head -n 1 "$tmp/out")"
        return
    fi
    bytes=$(du -sb "$path" | cut -f 1)
    sleep "$seconds"
    ticks=$(($(cpu_ticks "$recorder") - before))
    bytes=$(($(du -sb "$path" | cut -f 1) - bytes))
    kill -TERM "$recorder"
    wait "$recorder" 2>/dev/null || true
    awk -v label="$label" -v ticks="$ticks" -v hz="$ticks_per_second" -v n="$seconds" -v bytes="$bytes" \
        'BEGIN { printf "%-28s %8.1f ms %10.0f bytes a sample\n", label, ticks * 1000 / hz / n, bytes / n }'
    rm -rf "$path"
}

sadc=
for place in /usr/lib/sysstat/sadc /usr/lib64/sa/sadc; do
    [ ! -x "$place" ] || sadc=$place
done
[ -n "$sadc" ] || echo "sadc: skipped, it is not installed"
command -v atop >/dev/null || echo "atop: skipped, it is not installed"
for count in "$@"; do
    have=$(sed 's/.*\///; s/ .*//' /proc/loadavg)
    [ "$count" -gt "$have" ] && start_threads $(((count - have) / 4 + 1)) 4 "${BUSY:-10}" || helper=
    heading "$(sed 's/^[^/]*\///; s/ .*//' /proc/loadavg) threads, a sample a second"
    recorder "ctprof record" "$tmp/recording" "$ctprof" record --every 1s "$tmp/recording"
    recorder "ctprof record, procfs" "$tmp/recording" "$ctprof" record --every 1s --source procfs "$tmp/recording"
    ! command -v atop >/dev/null || recorder "atop -w" "$tmp/atop.raw" atop -w "$tmp/atop.raw" 1
    [ -z "$sadc" ] || recorder "sadc (no processes)" "$tmp/sa.data" "$sadc" -S ALL 1 "$tmp/sa.data"
    [ -z "$helper" ] || stop_threads
done
