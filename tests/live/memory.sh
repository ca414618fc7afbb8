#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# memory.sh CTPROF WORKLOAD: the sizes of processes beside ps and /proc, by files and by the pass: of a process of several threads,
# which has them once, of one that holds as much memory as it was asked to, of a thread of the kernel, and of a process whose leader
# has exited.
# shellcheck disable=SC2154 # lib.sh counts the checks.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
CTPROF=$(realpath "$1") WORKLOAD=$(realpath "$2")
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd ps python3
scratch=$(mktemp -d)
children=()
trap 'kill -KILL "${children[@]}" 2>/dev/null || true; rm -rf "$scratch"' EXIT
cd "$scratch"

mkfifo hold
exec 9<>hold
"$WORKLOAD" mem-many duty 3 10 600000 <hold >many-ready 9<&- &
many=$!
children+=("$many")
python3 -c 'import mmap, signal
size = 100 << 20
held = mmap.mmap(-1, size)
for at in range(0, size, 4096):
    held[at] = 1
print("READY", flush=True)
signal.pause()' >holder-ready 9<&- &
holder=$!
children+=("$holder")
# The leader ends, and its process goes on.
python3 -c 'import ctypes, threading, time
threading.Thread(target=lambda: time.sleep(600)).start()
print("READY", flush=True)
ctypes.CDLL(None).syscall(60 if __import__("platform").machine() == "x86_64" else 93, 0)' >orphan-ready 9<&- &
orphan=$!
children+=("$orphan")
for file in many-ready holder-ready orphan-ready; do
    for _ in {1..600}; do
        ! grep -q READY "$file" || break
        sleep 0.05
    done
    grep -q READY "$file" || fail "$file: nothing is ready"
done
for _ in {1..600}; do
    ! grep -q '^State:.*Z' "/proc/$orphan/status" || break
    sleep 0.05
done
kill -STOP "$many" "$holder"

cpus=$(getconf _NPROCESSORS_CONF)
page=$(getconf PAGESIZE)
# Each of the three counters of pages lacks less than a lot of each CPU: 32 pages, or 2 for each CPU.
lot=$((2 * cpus > 32 ? 2 * cpus : 32))
slack=$((3 * lot * cpus * page))
value() { # FILE PID KEY
    zstd -dcq "$1" | jq -r --argjson pid "$2" --arg key "$3" '.threads[] | select(.tgid == $pid and .tid == $pid) | .[$key] // "none"'
}
check() { # FILE HOW
    local pid rss vsz total

    for pid in "$many" "$holder"; do
        read -r rss vsz < <(ps -o rss=,vsz= -p "$pid")
        same "vsize_bytes of $pid by $2" $((vsz * 1024)) "$(value "$1" "$pid" vsize_bytes)"
        between "rss_bytes of $pid by $2" $((rss * 1024 - slack)) "$(value "$1" "$pid" rss_bytes)" $((rss * 1024 + slack))
        same "rows of $pid with a size by $2" 1 "$(zstd -dcq "$1" | jq --argjson pid "$pid" '[.threads[] | select(.tgid == $pid and has("rss_bytes"))] | length')"
        same "rss_bytes of $pid by $2 beside stat" $(($(awk '{ print $24 }' "/proc/$pid/stat") * page)) "$(value "$1" "$pid" rss_bytes)"
    done
    between "what the holder holds by $2" $(((100 << 20) - slack)) "$(value "$1" "$holder" rss_bytes)" $(((200 << 20) + slack))
    same "the size of a process without its leader by $2" "none none" "$(value "$1" "$orphan" rss_bytes) $(value "$1" "$orphan" vsize_bytes)"
    # A thread of the kernel has none.
    [ ! -e /proc/2/status ] || grep -q '^VmRSS' /proc/2/status || same "the size of kthreadd by $2" 0 "$(value "$1" 2 vsize_bytes)"
    total=$(awk '/^MemTotal:/ { print $2 * 1024 }' /proc/meminfo)
    "$CTPROF" show -g pid --tgid "$holder" -m rss_bytes,mem_percent -f json "$1" >shown.json
    jq -e --argjson total "$total" '[.rows[] | {(.metric): .value}] | add
        | (.mem_percent - 100 * .rss_bytes / $total | fabs) < 0.000001' shown.json >/dev/null ||
        fail "mem_percent by $2 is not the part of MemTotal: $(cat shown.json)"
}
"$CTPROF" capture -q --source procfs -o files.zst
check files.zst files
if "$CTPROF" capture -q --source bpf -o bpf.zst 2>/dev/null; then
    check bpf.zst BPF
else
    echo "note: no capture by BPF here"
fi
"$CTPROF" capture -q --window 300ms -o window.zst
check window.zst "a window"
echo "$checks checks"
