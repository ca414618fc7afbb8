#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# jemalloc.sh CTPROF DIRECTORY: jemalloc's counters are what jemalloc itself says inside the threads, to the byte, however
# a program came by its jemalloc and however it is read; whoever has none has no value; and nobody is left stopped.
# DIRECTORY has jemalloc-load without jemalloc (plain), linked with libjemalloc.so.2 (linked), and with libjemalloc.a as a PIE
# (static), at a fixed address (fixed) and without any shared object (alone).
set -euo pipefail

if [ ! -x "$2/jemalloc-load-linked" ]; then
    echo "skipped: no jemalloc to link with"
    exit 77
fi
CTPROF=$(realpath "$1")
programs=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
WORKLOAD=$programs/jemalloc-load-plain
export CTPROF WORKLOAD
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd strip setpriv python3
needs_jemalloc
scratch=$(mktemp -d)
trap 'stop_all; rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
cd "$scratch"
library=$(ldd "$programs/jemalloc-load-linked" | awk '/libjemalloc/ { print $3 }')

capture() {
    "$CTPROF" capture -q "${@:2}" -o "$1" || fail "capture $* ended with status $?"
}
# round NAME: one more, to its end.
round() {
    local before

    before=$(grep -c DONE "$1.out") || true
    proceed "$1"
    until [ "$(grep -c DONE "$1.out")" -gt "$before" ]; do
        kill -0 "$(pid "$1")" || fail "$1 has ended"
        sleep 0.01
    done
    # The last to wake up has said so before it sleeps again.
    sleep 0.1
}
# said NAME: what the threads say of themselves after the last round, "tid allocated deallocated".
said() {
    awk '/DONE/ { last = now; now = ""; next } NF == 3 { now = now $0 "\n" } END { printf "%s", last }' "$1.out" | sort
}
# seen FILE PID: the same out of a snapshot.
seen() {
    zstd -dc "$1" | jq -r --argjson pid "$2" '.threads[] | select(.tgid == $pid)
        | "\(.tid) \(.allocated_bytes) \(.deallocated_bytes)"' | sort
}
pid() {
    # shellcheck disable=SC2154 # lib.sh has it.
    echo "${pid_of[$1]}"
}
of_process() {
    zstd -dc "$1" | jq -c --argjson pid "$2" "[.threads[] | select(.tgid == \$pid) | $3] | unique"
}

p=$(unique_prefix)
threads=7
declare -A kinds=([plain]=plain [preload]=plain [linked]=linked [static]=static [fixed]=fixed [alone]=alone
    [renamed]=plain [decoy]=plain)
# Names say nothing: this one is a jemalloc, that one is none.
cp "$library" ./libordinary.so
mkdir decoy
cp "$(ldd "$(command -v jq)" | awk '/libm\.so/ { print $3 }')" decoy/libjemalloc.so.2
chmod 755 libordinary.so decoy/libjemalloc.so.2
# A leader that has exited hides neither its other threads nor, for it comes first, the library from anybody else.
LD_PRELOAD=$library start "${p}left" "$threads" 1000 leave
round "${p}left"
with_jemalloc=()
for kind in "${!kinds[@]}"; do
    name=$p$kind
    WORKLOAD=$programs/jemalloc-load-${kinds[$kind]}
    case $kind in
    preload) LD_PRELOAD=$library start "$name" "$threads" 1000 ;;
    renamed) LD_PRELOAD=$scratch/libordinary.so start "$name" "$threads" 1000 ;;
    decoy) LD_PRELOAD=$scratch/decoy/libjemalloc.so.2 start "$name" "$threads" 1000 ;;
    *) start "$name" "$threads" 1000 ;;
    esac
    case $kind in plain | decoy) ;; *) with_jemalloc+=("$kind") ;; esac
    round "$name"
done
rm libordinary.so

for mode in auto ptrace; do
    capture "$mode.zst" --jemalloc "$mode"
    for kind in "${with_jemalloc[@]}"; do
        same "$kind, --jemalloc $mode" "$(said "$p$kind")" "$(seen "$mode.zst" "$(pid "$p$kind")")"
        same "threads of $kind" $((threads + 1)) "$(said "$p$kind" | wc -l)"
    done
    same "threads without their leader, --jemalloc $mode" "$(said "${p}left" | grep -v "^$(pid "${p}left") ")" \
        "$(seen "$mode.zst" "$(pid "${p}left")" | grep -v null)"
    for kind in plain decoy; do
        same "$kind has no such counters, --jemalloc $mode" '[false]' \
            "$(of_process "$mode.zst" "$(pid "$p$kind")" 'has("allocated_bytes") or has("deallocated_bytes")')"
    done
done
stops=$(zstd -dc ptrace.zst | jq .cost.thread_stops)
between "stops" $((${#with_jemalloc[@]} * (threads + 1) + threads)) "$stops" 100000
between "longest stop in ns" 1000 "$(zstd -dc ptrace.zst | jq .cost.longest_stop_ns)" 250000000
between "processes with jemalloc" ${#with_jemalloc[@]} "$(zstd -dc auto.zst | jq .probe_summary.probed_ok)" 100000
capture off.zst --jemalloc off
same "--jemalloc off" '[false]' "$(of_process off.zst "$(pid "${p}static")" 'has("allocated_bytes")')"
same "rule of --jemalloc off" skipped "$(zstd -dc off.zst | jq -r .sources.jemalloc.rule)"
same "probe_summary of --jemalloc off" null "$(zstd -dc off.zst | jq -c .probe_summary)"

# A burst: what the threads say of it is what compare says, and what lives grows by the difference.
delta() {
    "$CTPROF" compare --format json --unchanged --group-by pcomm --metrics "$2" auto.zst burst.zst |
        jq -r --arg group "$1" '.rows[] | select(.group == $group) | .delta'
}
for kind in preload static; do
    name=$p$kind
    before=$(said "$name" | awk '{ a += $2; d += $3 } END { print a, d }')
    round "$name"
    after=$(said "$name" | awk '{ a += $2; d += $3 } END { print a, d }')
    capture burst.zst
    read -r a0 d0 a1 d1 <<<"$before $after"
    same "$kind: bytes allocated in the burst" $((a1 - a0)) "$(delta "$name" allocated_bytes)"
    same "$kind: bytes freed in the burst" $((d1 - d0)) "$(delta "$name" deallocated_bytes)"
    same "$kind: growth of the heap" $((a1 - a0 - d1 + d0)) "$(delta "$name" live_heap_estimate)"
    between "$kind: that is known work" $((threads * 300 * 1000)) $((a1 - a0)) $((threads * 300 * 1300))
done
# A window has the same, as one number.
name=${p}linked
before=$(said "$name" | awk '{ a += $2 } END { print a }')
"$CTPROF" capture -q --window 60s -o window.zst &
window=$!
await_between "$window"
round "$name"
kill -INT "$window"
wait "$window" || fail "a window that is interrupted ended with status $?"
same "bytes allocated in a window" $(($(said "$name" | awk '{ a += $2 } END { print a }') - before)) \
    "$(zstd -dc window.zst | jq --argjson pid "$(pid "$name")" '[.threads[] | select(.tgid == $pid) | .allocated_bytes] | add')"

# Processes that must be left alone are: stopped, traced, of another user.
left_alone() {
    same "$1 gives no value" '[false]' "$(of_process "$2" "$(pid "$3")" 'has("allocated_bytes")')"
    same "$1 has its reason" "[\"$4\"]" "$(of_process "$2" "$(pid "$3")" .missing.jemalloc)"
}
states() {
    awk '/^State:/ { print $2 }' "/proc/$1/task/"*/status | sort -u | tr -d '\n'
}
for mode in auto ptrace; do
    kill -STOP "$(pid "${p}static")"
    until [ "$(states "$(pid "${p}static")")" = T ]; do
        sleep 0.01
    done
    capture stopped.zst --jemalloc "$mode"
    left_alone "a stopped process, $mode" stopped.zst "${p}static" skipped
    same "state of a stopped process" T "$(states "$(pid "${p}static")")"
    kill -CONT "$(pid "${p}static")"
done
# traced: by a tracer that holds all its threads, without stopping any.
python3 - "$(pid "${p}static")" <<'PYTHON' >tracer.out &
import ctypes, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)
PTRACE_SEIZE = 0x4206
for tid in os.listdir(f"/proc/{sys.argv[1]}/task"):
    if libc.ptrace(PTRACE_SEIZE, int(tid), None, None) != 0:
        sys.exit("cannot trace")
print("READY", flush=True)
time.sleep(60)
PYTHON
tracer=$!
await tracer.out READY
for mode in auto ptrace; do
    capture traced.zst --jemalloc "$mode"
    left_alone "a traced process, $mode" traced.zst "${p}static" skipped
done
kill "$tracer"
wait "$tracer" 2>/dev/null || true
if [ "$(id -u)" = 0 ]; then
    setpriv --reuid 65534 --regid 65534 --clear-groups "$CTPROF" capture -q -o - >user.zst
    left_alone "a process of another user" user.zst "${p}static" denied
    between "processes of others" 1 "$(zstd -dc user.zst | jq '.probe_summary.processes."not-permitted"')" 1000000
fi
capture again.zst
same "afterwards it is read again" "$(said "${p}static")" "$(seen again.zst "$(pid "${p}static")")"

# A child in its parent's memory, with its thread-local storage, has no counters of its own.
WORKLOAD=$programs/jemalloc-load-linked
start "${p}share" "$threads" 1000 share
round "${p}share"
for mode in auto ptrace; do
    capture share.zst --jemalloc "$mode"
    same "the parent of a child in its memory, $mode" "$(said "${p}share")" "$(seen share.zst "$(pid "${p}share")")"
    same "the child, $mode" '[null,"skipped"]' "$(zstd -dc share.zst | jq -c --arg name "${p}share" \
        --argjson pid "$(pid "${p}share")" '.threads[] | select(.pcomm == $name and .tgid != $pid)
            | [.allocated_bytes, .missing.jemalloc]')"
    between "processes with the memory of their parent" 1 \
        "$(zstd -dc share.zst | jq '.probe_summary.processes."shared-memory"')" 1000
done

# A child that was forked goes on from its parent's counters. They are no work of its own, and their difference is.
start "${p}fork" "$threads" 100000 fork
# The leader allocates nothing in its rounds.
round "${p}fork"
forked() {
    zstd -dc "$1" | jq -c --argjson pid "$child" '.threads[] | select(.tid == $pid) | '"$2"
}
# child_said: "allocated deallocated" at last.
child_said() {
    awk '/^CHILD/ { last = $3 " " $4 } END { print last }' "${p}fork.out"
}
"$CTPROF" capture -q --window 60s -o born.zst &
window=$!
await_between "$window"
round "${p}fork"
await "${p}fork.out" CHILD
child=$(awk '/^CHILD/ { print $2; exit }' "${p}fork.out")
kill -INT "$window"
wait "$window" || fail "a window with a fork ended with status $?"
read -r a0 d0 < <(child_said)
between "bytes that the child has from its parent" 1000 "$a0" 1000000000
same "a child born in a window" "[null,null,$a0,$d0]" \
    "$(forked born.zst '[.allocated_bytes, .deallocated_bytes, .impossible.allocated_bytes, .impossible.deallocated_bytes]')"
for mode in auto ptrace; do
    capture forked.zst --jemalloc "$mode"
    read -r a0 d0 < <(child_said)
    same "a child, $mode" "[null,$a0,$d0]" "$(forked forked.zst '[.allocated_bytes, .impossible.allocated_bytes, .impossible.deallocated_bytes]')"
    same "other threads of its parent, $mode" "$(said "${p}fork")" "$(seen forked.zst "$(pid "${p}fork")")"
    lines=$(grep -c CHILD "${p}fork.out")
    kill -USR1 "$child"
    until [ "$(grep -c CHILD "${p}fork.out")" -gt "$lines" ]; do sleep 0.01; done
    capture after.zst --jemalloc "$mode"
    "$CTPROF" window forked.zst after.zst -o between.zst
    read -r a1 d1 < <(child_said)
    between "bytes that the child allocates itself" 300000 $((a1 - a0)) 500000
    same "its own work in a window, $mode" "[$((a1 - a0)),$((d1 - d0)),null]" "$(forked between.zst '[.allocated_bytes, .deallocated_bytes, .impossible]')"
done

# A program that is executed again, by the same process, begins anew: that its counters are higher than before is no work.
cat >again.py <<'PYTHON'
import os, sys
times = int(sys.argv[1])
for _ in range(1000 * times):
    bytes(100000)
print("READY", times, flush=True)
if sys.stdin.readline():
    os.execv(sys.executable, [sys.executable, sys.argv[0], str(times + 1)])
PYTHON
mkfifo again.in
exec 8<>again.in
LD_PRELOAD=$library python3 again.py 1 <again.in >again.out 8<&- &
again=$!
await again.out "READY 1"
allocated() { # FILE: of the leader
    zstd -dc "$1" | jq -c --argjson pid "$again" '.threads[] | select(.tid == $pid) | .allocated_bytes'
}
for mode in auto ptrace; do
    n=$(grep -c READY again.out)
    capture first.zst --jemalloc "$mode"
    capture same.zst
    "$CTPROF" window first.zst same.zst -o no-exec.zst
    same "a program that goes on, $mode" 0 "$(allocated no-exec.zst)"
    "$CTPROF" capture -q --jemalloc "$mode" --window 60s -o exec.zst &
    window=$!
    await_between "$window"
    echo >&8
    await again.out "READY $((n + 1))"
    kill -INT "$window"
    wait "$window" || fail "a window with an exec ended with status $?"
    capture second.zst --jemalloc "$mode"
    "$CTPROF" window first.zst second.zst -o execs.zst
    between "bytes before, $mode" $((n * 100000000)) "$(allocated first.zst)" $((n * 100000000 + 90000000))
    between "bytes afterwards, $mode" $(((n + 1) * 100000000)) "$(allocated second.zst)" 10000000000
    same "a window with an exec, $mode" null "$(allocated exec.zst)"
    same "a window of two snapshots with an exec, $mode" null "$(allocated execs.zst)"
    same "their comparison, $mode" null "$("$CTPROF" compare first.zst second.zst --pid "$again" -m allocated_bytes -f json | jq '.rows[0].delta')"
done
kill "$again"
wait "$again" 2>/dev/null || true

# BPF reads the counters of threads that exit before their own reading, with all else.
if [ "$(zstd -dc again.zst | jq -r .host.source)" = bpf ]; then
    LD_PRELOAD=$library python3 -c 'import threading, time
while True:
    threads = [threading.Thread(target=time.sleep, args=(i / 10000,)) for i in range(20)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()' &
    brief=$!
    exited=0
    for ((n = 0; n < 100 && exited == 0; n++)); do
        capture brief.zst
        exited=$(zstd -dc brief.zst | jq --argjson pid "$brief" '[.threads[]
            | select(.tgid == $pid and .missing.jemalloc == "gone" and has("run_time_ns") and .state != "Z" and .state != "X")] | length')
    done
    kill "$brief"
    wait "$brief" 2>/dev/null || true
    between "threads that had exited when their counters were to be read" 1 "$exited" 1000
fi

# Killed in the middle, at any moment, ctprof leaves nobody stopped.
for ((n = 0; n < 60; n++)); do
    "$CTPROF" capture -q --jemalloc ptrace -o killed.zst &
    victim=$!
    sleep "0.0$((RANDOM % 60 + 10))"
    kill -KILL "$victim" 2>/dev/null || true
    wait "$victim" 2>/dev/null || true
done
sleep 0.3
for kind in "${with_jemalloc[@]}"; do
    [[ $(states "$(pid "$p$kind")") =~ ^[RS]+$ ]] || fail "a thread of $kind is left stopped"
    checks=$((checks + 1))
    round "$p$kind"
done
capture last.zst --jemalloc ptrace
for kind in "${with_jemalloc[@]}"; do
    same "$kind goes on" "$(said "$p$kind")" "$(seen last.zst "$(pid "$p$kind")")"
done
# shellcheck disable=SC2154
echo "$checks checks"
