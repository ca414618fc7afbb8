#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# waits.sh CTPROF IOWAIT: threads that wait for good in known system calls. The wait channel is that of /proc and of ps, the system call is
# the number that /proc has, by the name that the kernel's header gives it.
# shellcheck disable=SC2154 # lib.sh counts the checks.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
CTPROF=$(realpath "$1") IOWAIT=$(realpath "$2") WORKLOAD=
export CTPROF WORKLOAD
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd ps
scratch=$(mktemp -d)
pids=()
finish() {
    [ ${#pids[@]} -eq 0 ] || kill -KILL "${pids[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$scratch"
}
trap finish EXIT
cd "$scratch"
mkfifo pipe

sleep 1000 &
pids+=($!) sleeper=$!
cat <>pipe >/dev/null &
pids+=($!) reader=$!
"$IOWAIT" 0 >/dev/null &
pids+=($!) pauser=$!
bash -c 'while :; do :; done' &
pids+=($!) runner=$!
# Each has begun to wait: its system call is that of the program that was executed, and stays.
number() { cut -d' ' -f1 "/proc/$1/syscall"; }
for pid in "$sleeper" "$reader" "$pauser"; do
    for _ in $(seq 600); do
        first=$(number "$pid")
        sleep 0.1
        if [ "$(number "$pid")" = "$first" ] && [ "$first" != running ] && [ "$(cat "/proc/$pid/comm")" != bash ]; then break; fi
    done
done

"$CTPROF" capture -q --waits -o a.zst
zstd -dcq a.zst >a.json
of() { jq -r --argjson pid "$1" ".threads[] | select(.tid == \$pid) | .$2 // \"none\"" a.json; }
for pid in "$sleeper" "$reader" "$pauser"; do
    same "wait channel of $pid by /proc" "$(cat "/proc/$pid/wchan")" "$(of "$pid" wchan)"
    # ps leaves out the underscores in front.
    same "wait channel of $pid by ps" "$(ps -o wchan:64= -p "$pid" | sed 's/ *$//')" "$(of "$pid" wchan | sed 's/^_*//')"
done

# The name in the compiler's headers.
header_name() {
    echo '#include <sys/syscall.h>' | "${CC:-cc}" -E -dM - | awk -v number="$1" '$1 == "#define" && $2 ~ /^__NR_/ && $3 == number { print substr($2, 6); exit }'
}
named=$(jq -r '[.threads[].syscall // "" | select(. != "" and (startswith("#") | not))] | length' a.json)
if command -v "${CC:-cc}" >/dev/null && [ "$named" -gt 0 ]; then
    for pid in "$sleeper" "$reader" "$pauser"; do
        same "system call of $pid" "$(header_name "$(number "$pid")")" "$(of "$pid" syscall)"
    done
else
    for pid in "$sleeper" "$reader" "$pauser"; do
        same "system call of $pid" "#$(number "$pid")" "$(of "$pid" syscall)"
    done
fi
same "the one that runs has none" "x" "$(jq -r --argjson pid "$runner" '.threads[] | select(.tid == $pid) | .syscall' a.json)x"

# Groups count each thread once.
threads=$(jq '.threads | length' a.json)
for key in wchan syscall; do
    same "threads by $key" "$threads" "$("$CTPROF" show -g $key -n 0 -f json -m thread_count a.zst | jq '[.rows[].value] | add')"
    "$CTPROF" show -g $key,state -m thread_count a.zst >table
    [ -s table ]
done
same "threads that pause" "$(jq '[.threads[] | select(.syscall == "pause")] | length' a.json)" \
    "$("$CTPROF" show -g syscall -n 0 -f json -m thread_count a.zst | jq '[.rows[] | select(.group == "pause") | .value] | add // 0')"

# Without the option nothing is read, and that is said.
"$CTPROF" capture -q -o b.zst
same "keys without --waits" 0 "$(zstd -dcq b.zst | jq '[.threads[] | select(has("wchan") or has("syscall"))] | length')"
same "rule without --waits" "skipped skipped" "$(zstd -dcq b.zst | jq -r '"\(.sources.wchan.rule) \(.sources.syscall.rule)"')"
same "group without --waits" "(wait channel not read)" "$("$CTPROF" show -g wchan -f json -m thread_count b.zst | jq -r '[.rows[].group] | unique | join(",")')"

# The kernel writes 0 to those who may not know: that is denied, and not "in none".
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 777 .
    setpriv --reuid 65534 --regid 65534 --clear-groups "$CTPROF" capture -q --waits -o c.zst 2>/dev/null
    zstd -dcq c.zst >c.json
    same "system calls of others" denied "$(jq -r --argjson pid "$sleeper" '.threads[] | select(.tid == $pid) | .missing.syscall // "none"' c.json)"
    same "wait channels of others" denied "$(jq -r --argjson pid "$sleeper" '.threads[] | select(.tid == $pid) | .missing.wchan // "none"' c.json)"
    same "no value of others" 0 "$(jq --argjson pid "$sleeper" '[.threads[] | select(.tid == $pid and (has("wchan") or has("syscall")))] | length' c.json)"
fi
echo "$checks checks"
