#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures recorders side by side on hosts of 100, 500, 2,000 and 20,000 threads, one at a time: CPU time and bytes of a sample, at one
# sample a second and one in ten seconds, by the CPU clock of the recorder's processes and the size of its files:
#
#   bench/record.sh BUILD_DIR [THREADS...]
#
# SAMPLES (20) in the environment is how many samples of a second are measured, and SAMPLES_OF_TEN (6) of ten. The threads sleep,
# but for every hundredth (BUSY). BELOW names the program below, if it is not in PATH.
# shellcheck disable=SC2154 # lib.sh sets what is not set here.
set -eu

[ $# -ge 1 ] || { echo "Usage: bench/record.sh BUILD_DIR [THREADS...]" >&2; exit 2; }
# shellcheck source=/dev/null
. "$(dirname "$0")/lib.sh"
bench_begin "$1"
shift
[ $# -gt 0 ] || set -- 100 500 2000 20000
ticks_per_second=$(getconf CLK_TCK)

# cpu_ns PID: of a process with its children; those that have ended count in clock ticks.
cpu_ns() {
    ended=$(sed 's/.*) //' "/proc/$1/stat" | awk '{ print $14 + $15 }')
    # shellcheck disable=SC2046 # A process may have several children, or none.
    running=$("$build/bench/cpu-time" "$1" $(pgrep -P "$1")) || return 1
    echo $((running + ended * (1000000000 / ticks_per_second)))
}

# recorder LABEL PATH COMMAND...: what it uses for $samples samples from its second one on. PATH is its file or directory.
recorder() {
    label=$1
    path=$2
    shift 2
    "$@" >"$tmp/out" 2>&1 &
    recorder=$!
    sleep $((every + 1))
    if ! before=$(cpu_ns "$recorder" 2>/dev/null); then
        printf '%-28s does not run: %s\n' "$label" "$(head -n 1 "$tmp/out")"
        return
    fi
    bytes=$(du -sb "$path" | cut -f 1)
    sleep $((every * samples))
    used=$(($(cpu_ns "$recorder") - before))
    bytes=$(($(du -sb "$path" | cut -f 1) - bytes))
    kill -TERM "$recorder"
    wait "$recorder" 2>/dev/null || true
    awk -v label="$label" -v used="$used" -v n="$samples" -v bytes="$bytes" -v every="$every" \
        'BEGIN { printf "%-28s %8.2f ms %10.0f bytes a sample, %.3f %% of a CPU\n", label, used / 1e6 / n, bytes / n,
            used / 1e7 / n / every }'
    rm -rf "$path"
}

# recorders EVERY SAMPLES
recorders() {
    every=$1 samples=$2
    heading "$(sed 's/^[^/]*\///; s/ .*//' /proc/loadavg) threads, a sample in $every s"
    recorder "ctprof record" "$tmp/recording" "$ctprof" record --every "${every}s" "$tmp/recording"
    recorder "ctprof record, procfs" "$tmp/recording" "$ctprof" record --every "${every}s" --source procfs "$tmp/recording"
    ! command -v atop >/dev/null || recorder "atop -w" "$tmp/atop.raw" atop -w "$tmp/atop.raw" "$every"
    ! command -v pidstat >/dev/null || recorder "pidstat -t -u -r -d -w" "$tmp/out" pidstat -t -u -r -d -w "$every"
    mkdir -p "$tmp/below"
    [ -z "$below" ] || recorder "below (processes)" "$tmp/below" "$below" --config "$tmp/below.conf" record -i "$every" \
        --compress --dict-compress-chunk-size 16
    [ -z "$sadc" ] || recorder "sadc (no processes)" "$tmp/sa.data" "$sadc" -S ALL "$every" "$tmp/sa.data"
}

sadc=
for place in /usr/lib/sysstat/sadc /usr/lib64/sa/sadc; do
    [ ! -x "$place" ] || sadc=$place
done
[ -n "$sadc" ] || echo "sadc: skipped, it is not installed"
below=${BELOW:-$(command -v below || true)}
[ -n "$below" ] || echo "below: skipped, it is not installed"
cat >"$tmp/below.conf" <<EOF
log_dir = "$tmp/below"
store_dir = "$tmp/below/store"
cgroup_root = "$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)"
EOF
command -v atop >/dev/null || echo "atop: skipped, it is not installed"
for count in "$@"; do
    have=$(sed 's/.*\///; s/ .*//' /proc/loadavg)
    [ "$count" -gt "$have" ] && start_threads $(((count - have) / 4 + 1)) 4 "${BUSY:-100}" || helper=
    recorders 1 "${SAMPLES:-20}"
    recorders 10 "${SAMPLES_OF_TEN:-6}"
    [ -z "$helper" ] || stop_threads
done
