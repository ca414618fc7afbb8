#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# zombie.sh CTPROF: a process of one thread that works and ends between two snapshots, and whose parent does not ask for it. The kernel has
# no totals of it then, and its own values are those of before.
# shellcheck disable=SC2154 # lib.sh counts the checks.
set -euo pipefail

CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
export CTPROF
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd python3
scratch=$(mktemp -d)
parent=
clean_up() {
    [ -z "$parent" ] || kill "$parent" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$scratch"
}
trap clean_up EXIT
cd "$scratch"

# waits_for COMMAND...: waits until it succeeds, for a minute at most.
waits_for() {
    local end=$((SECONDS + 60))

    until "$@" 2>/dev/null; do
        ((SECONDS < end)) || return 1
        sleep 0.02
    done
}

# run_time PID: what it has run, in ns. A zombie may still be on its way out of its CPU.
run_time() {
    cut -d' ' -f1 "/proc/$1/schedstat"
}

# check SOURCE
check() {
    local source=$1 child before after told

    rm -f child go
    mkfifo go
    python3 -c '
import os, time
child = os.fork()
if child == 0:
    open("go").read()
    begin = time.process_time()
    while time.process_time() - begin < 0.8:
        pass
    os._exit(0)
with open("child.new", "w") as file:
    print(child, file=file)
os.rename("child.new", "child")
time.sleep(600)' &
    parent=$!
    waits_for test -e child || fail "no process was forked"
    child=$(cat child)
    waits_for grep -q '^State:.S' "/proc/$child/status" || fail "the process does not wait"
    before=$(run_time "$child")
    "$CTPROF" capture -q --source "$source" -o a.zst
    : >go
    waits_for grep -q '^State:.Z' "/proc/$child/status" || fail "the process does not end"
    after=$(run_time "$child")
    "$CTPROF" capture -q --source "$source" -o b.zst
    told=$("$CTPROF" compare --pid "$child" -g pid -m run_time_ns -f json a.zst b.zst | jq -r '.rows[0].delta')
    [ "$told" != null ] || fail "$source: the work of a zombie is missing"
    python3 -c 'import sys; told, ran = map(float, sys.argv[1:]); sys.exit(abs(told - ran) > 0.02 * ran)' "$told" $((after - before)) ||
        fail "$source: $told ns of a zombie, the kernel has $((after - before))"
    zstd -dc b.zst | jq -e ".threads[] | select(.tid == $child) | (.process_totals.run_time_ns // .run_time_ns) == .run_time_ns" >/dev/null ||
        fail "$source: the totals of a zombie are not its own values: $(zstd -dc b.zst | jq -c '.threads[]')"
    kill "$parent"
    wait "$parent" 2>/dev/null || true
    parent=
    checks=$((checks + 3))
}

check procfs
if "$CTPROF" capture -q --source bpf -o bpf.zst 2>why; then
    check bpf
else
    echo "bpf: skipped ($(cat why))"
fi
echo "$checks checks"
