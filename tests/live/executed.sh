#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# executed.sh CTPROF IDS: a process executes a program between two readings, without exit records. If its leader does it,
# the window has the leader's work. If another thread does it, that thread has the leader's ids, and the window has no value.
# With records of ends, a thread that is born inside, executes a program and ends there is counted by its own clock.
#
# Single quotes hold programs for jq, and lib.sh sets the variables that are not set here.
# shellcheck disable=SC2016,SC2154
set -euo pipefail

CTPROF=$(realpath "$1")
WORKLOAD=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
export CTPROF WORKLOAD
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd
scratch=$(mktemp -d)
trap 'stop_all; rm -rf "$scratch"' EXIT
cd "$scratch"

# row WHO MS: what the window has of the leader.
row() {
    local name
    name=$(unique_prefix)
    start "$name" execute "$1" "$2"
    "$CTPROF" capture -q --source procfs -o a.zst
    proceed "$name"
    await "$name.out" DONE
    "$CTPROF" capture -q --source procfs -o b.zst
    "$CTPROF" window a.zst b.zst -o w.zst
    zstd -dc w.zst | jq -c --argjson pid "${pid_of[$name]}" '.threads[] | select(.tid == $pid)' >row
    finish "$name"
}

for metric in run_time_ns minflt; do
    row leader 0
    between "$metric of a leader that executed a program" 1 "$(jq ".$metric" row)" 15000000
    # More than the leader had used, less than that, and nothing at all.
    for work in 'thread 100' 'thread 5' 'late 0'; do
        # shellcheck disable=SC2086 # two words
        row $work
        same "name of the leader after $work" sh "$(jq -r .comm row)"
        same "$metric of a thread that took over ($work)" null "$(jq ".$metric" row)"
    done
done

cat >born.py <<'END'
import os
import sys
import threading
import time


def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def execute():
    burn(0.4)
    os.execv(sys.executable, [sys.executable, sys.argv[0], "executed"])


if len(sys.argv) > 1:
    burn(0.1)
    with open("born.ns", "w", encoding="ascii") as file:
        file.write(str(time.clock_gettime_ns(time.CLOCK_THREAD_CPUTIME_ID)))
    # Not the work of the interpreter at its end.
    os.kill(os.getpid(), 9)
burn(0.2)
with open("born.ready", "w", encoding="ascii"):
    pass
while not os.path.exists("born.go"):
    time.sleep(0.01)
threading.Thread(target=execute).start()
time.sleep(60)
END

# born SOURCE: the window's run time of a thread that was born in it, beside that of its own clock.
born() {
    local pid capture
    rm -f born.ready born.go born.ns
    python3 born.py &
    pid=$!
    until [ -e born.ready ]; do sleep 0.01; done
    # SIGINT, which a script ignores in the background, ends the window.
    env --default-signal=INT "$CTPROF" capture -q -w 120s --exits auto --source "$1" -o w.zst &
    capture=$!
    await_between "$capture"
    touch born.go
    wait "$pid" 2>/dev/null || true
    kill -INT "$capture"
    wait "$capture" || fail "the capture by $1 ended with status $?"
    zstd -dc w.zst | jq -c --argjson pid "$pid" '[.threads[] | select(.tgid == $pid)]' >rows
    [ "$(zstd -dc w.zst | jq -r .window.exits)" = completed ] || return 0
    between "run time of a thread that executed a program and ended, by $1" "$(cat born.ns)" \
        "$(jq 'map(select(.window_part == "passed") | .run_time_ns) | add' rows)" $(($(cat born.ns) + 20000000))
    between "its life" 400000000 "$(jq 'map(select(.window_part == "passed") | .life_ns) | add' rows)" 120000000000
    same "rows of the process, by $1" 2 "$(jq length rows)"
}
if [ "$(id -u)" -eq 0 ]; then
    born auto
    born procfs
fi
[ "$checks" -gt 0 ] || fail "nothing was checked"
echo "$checks checks"
