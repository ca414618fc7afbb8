#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# state.sh CTPROF WORKLOAD: where the time of known work went, in a window and in lives, against readings of schedstat: two
# processes that are always busy on one CPU, one that sleeps, and one that writes and waits for the disk.
# shellcheck disable=SC2154 # lib.sh counts the checks.
set -euo pipefail

if [ ! -r "/proc/$$/schedstat" ]; then
    echo "skipped: this kernel has no schedstat"
    exit 77
fi
CTPROF=$(realpath "$1")
WORKLOAD=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
export CTPROF WORKLOAD
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd python3 taskset
scratch=$(mktemp -d)
writer=
clean_up() {
    stop_all
    [ -z "$writer" ] || kill "$writer" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$scratch"
}
trap clean_up EXIT
cd "$scratch"

seconds=3
p=$(unique_prefix)
first=${p}one second=${p}two asleep=${p}nap writing=${p}disk

# Runs it on no CPU but the last one, and before others there, if that is allowed.
start "$first" spin 1 60000
start "$second" spin 1 60000
start "$asleep" sleep 1 1
last=$(($(getconf _NPROCESSORS_ONLN) - 1))
for name in "$first" "$second"; do
    for task in "/proc/${pid_of[$name]}/task/"*; do
        taskset -pc "$last" "${task##*/}" >/dev/null || fail "taskset ended with status $?"
        renice -n -10 -p "${task##*/}" >/dev/null 2>&1 || true
    done
    proceed "$name"
done
# The first thread does it, for that is the only one of which stat has waits for block I/O.
python3 - "$writing" <<'PYTHON' &
import ctypes, os, sys, time
ctypes.CDLL(None).prctl(15, sys.argv[1].encode(), 0, 0, 0)
fd = os.open("written", os.O_CREAT | os.O_WRONLY, 0o600)
while True:
    os.pwrite(fd, os.urandom(4096), 0)
    os.fsync(fd)
    time.sleep(0.01)
PYTHON
writer=$!

# look: "name tid run wait age blkio" of every thread, in seconds.
look() {
    python3 - "$@" <<'PYTHON'
import os, sys, time
hertz = os.sysconf("SC_CLK_TCK")
for name, pid in (pair.split("=") for pair in sys.argv[1:]):
    for tid in os.listdir(f"/proc/{pid}/task"):
        run, wait, _ = map(int, open(f"/proc/{pid}/task/{tid}/schedstat").read().split())
        stat = open(f"/proc/{pid}/task/{tid}/stat").read().rsplit(")", 1)[1].split()
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - int(stat[19]) / hertz
        print(name, tid, run / 1e9, wait / 1e9, age, int(stat[39]) / hertz)
PYTHON
}
pids=()
for name in "$first" "$second" "$asleep"; do
    pids+=("$name=${pid_of[$name]}")
done
pids+=("$writing=$writer")
capture() {
    look "${pids[@]}" >"before-$1"
    "$CTPROF" capture -q -o "$1.zst" || fail "capture ended with status $?"
    look "${pids[@]}" >"after-$1"
}
# got: percent of the last CPU that both busy ones had between the captures, by the inner readings.
got() {
    awk -v first="$first" -v second="$second" '
        FNR == 1 { file++ }
        $1 == first || $1 == second { run[file] += $3; age[file] += $5; count[file]++ }
        END { length_s = age[2] / count[2] - age[1] / count[1]
            printf "%d\n", 100 * (run[2] - run[1]) / length_s }' after-a before-b
}
# A host that is busy otherwise is waited for, up to three windows; what the shares must be together is known only where
# the two had the CPU for themselves.
sleep 0.3
for attempt in 1 2 3; do
    capture a
    sleep "$seconds"
    capture b
    share=$(got)
    [ "$share" -lt 90 ] || break
    echo "attempt $attempt: the busy ones had $share % of their CPU"
done
"$CTPROF" window a.zst b.zst -o w.zst 2>/dev/null || fail "window ended with status $?"
for file in b w; do
    "$CTPROF" show --format json --group-by pcomm --no-thread-normalize --sections state "$file.zst" >"$file.json"
done

# Every share is between what it can have been at least and at most, by the readings around the captures.
python3 - "$share" "$first" "$second" "$asleep" "$writing" <<'PYTHON' || fail "the shares"
import json, sys

had_percent = int(sys.argv.pop(1))

def read(name):
    threads = [line.split() for line in open(name)]
    return {group: [sum(float(words[i]) for words in threads if words[0] == group) for i in range(2, 6)]
            for group in sys.argv[1:]}

looks = [read(name) for name in ("before-a", "after-a", "before-b", "after-b")]
bad = 0

def check(what, low, value, high):
    global bad
    fits = value is not None and low <= value <= high
    bad += not fits
    print(f"{what}: {value} from {low:.3f} to {high:.3f}" + ("" if fits else "  WRONG"))

def shares_of(file, group):
    rows = json.load(open(file))["rows"]
    return {row["metric"]: row["value"] for row in rows if row["group"] == group and row["metric"] != "lived_ns"}

def adds_up(what, shares):
    check(f"{what}, all shares", 100 - 1e-6, sum(share for share in shares.values() if share is not None), 100 + 1e-6)

for group in sys.argv[1:]:
    # A window's values rose by at least what lies between the inner looks, and at most by what does between the outer.
    low = [third - second for second, third in zip(looks[1][group], looks[2][group])]
    high = [fourth - first for first, fourth in zip(looks[0][group], looks[3][group])]
    for file, least, most in ("w.json", low, high), ("b.json", looks[2][group], looks[3][group]):
        shares = shares_of(file, group)
        what = f"{group} in {file}"
        tick = 0.01 if file == "b.json" else 0  # how exactly a birth is known
        for metric, place in ("state_on_cpu_percent", 0), ("state_cpu_wait_percent", 1), ("state_block_io_percent", 3):
            # A tick of waits for the disk, which stat cuts off; and what ran since its last tick is not counted yet.
            slack = 0.02 if place == 3 else 0.011
            if place == 3 and shares[metric] is None:
                continue
            check(f"{what}, {metric}", 100 * (least[place] - slack) / (most[2] + tick), shares[metric],
                  100 * (most[place] + slack) / (least[2] - tick))
        adds_up(what, shares)

one, two, nap = (shares_of("w.json", group) for group in sys.argv[1:4])
# The first thread of each sleeps, and the other one competes: half of the group's time, give or take what lies between
# the readings of one process on a busy host.
if had_percent >= 90:
    check("on a CPU, both together", 30, one["state_on_cpu_percent"] + two["state_on_cpu_percent"], 55)
    check("waiting for a CPU, both together", 45, one["state_cpu_wait_percent"] + two["state_cpu_wait_percent"], 70)
else:
    print(f"skipped: others were on the CPU of the two, which had {had_percent} % of it, so what their shares are is not known")
check("other sleep of the busy", 45, one["state_other_sleep_percent"], 55)
check("other sleep of the sleeper", 99, nap["state_other_sleep_percent"], 100)
if shares_of("w.json", sys.argv[4])["state_block_io_percent"] is None:
    print("skipped: no delay accounting here, so waits for the disk are not known")
sys.exit(bad > 0)
PYTHON
checks=$((checks + 1))
echo "$checks checks"
