#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tree.sh CTPROF: processes below their parents, as ps has them: a family of known shape whose names are hostile, its own and total
# values beside the rows of each process, a parent that is not captured, and the depth and the threshold.
# shellcheck disable=SC2154 # lib.sh counts the checks.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
CTPROF=$(realpath "$1") WORKLOAD=
export CTPROF WORKLOAD
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq ps python3
scratch=$(mktemp -d)
children=()
trap 'kill -KILL "${children[@]}" 2>/dev/null || true; rm -rf "$scratch"' EXIT
cd "$scratch"

# A chain of four, each with a name that is no name of a path, and each with work of its own.
cat >family.py <<'P'
import os, signal, time
names = [b"tree/a", b"t\x1b[31mr\n", b"../..", b"\xff\xfe(x) R 1"]
read, write = os.pipe()
pids = []
for depth, name in enumerate(names):
    with open("/proc/self/comm", "wb") as file:
        file.write(name)
    end = time.process_time() + 0.2
    while time.process_time() < end:
        pass
    os.write(write, b"%d\n" % os.getpid())
    if depth + 1 < len(names) and os.fork() > 0:
        break
if os.getpid() != os.getsid(0) and depth + 1 == len(names):
    with open("pids.new", "wb") as file:
        file.write(os.read(read, 1000))
    os.rename("pids.new", "pids")
signal.pause()
P
python3 family.py &
children+=($!)
for _ in {1..1200}; do
    [ ! -s pids ] || break
    sleep 0.05
done
[ -s pids ] || fail "the family is not there"
mapfile -t family <pids
children+=("${family[@]}")
same "processes of the family" 4 "${#family[@]}"
# Parents end, and others get their children.
parents() {
    ps -eo pid=,ppid= | sed 's/^ *//; s/  */ /' | sort
}
parents >before
"$CTPROF" capture -q -o all.zst
parents >after
comm -12 before after >known
"$CTPROF" show --tree --rollup parent,share=0 -m run_time_ns -f json all.zst >tree.json
"$CTPROF" show -g pid -m run_time_ns -n 0 -f json all.zst >rows.json

# Each process is once in it, with its own value, and its total is the sum of its own and of the totals below it.
jq -e --slurpfile rows rows.json '
    ([.rows[].path] | length) == ([.rows[].path] | unique | length) and
    ([.rows[] | {(.path): .own}] | add) == ([$rows[0].rows[] | select(.metric == "run_time_ns") | {(.group): .value}] | add)' tree.json >/dev/null ||
    fail "the rows of the tree are not those of the processes"
jq -e '(.rows | group_by(.parent) | map({(.[0].parent): (map(.total) | add)}) | add) as $below |
    [.rows[] | .total == .own + ($below[.path] // 0)] | all' tree.json >/dev/null || fail "totals are not those of own and below"
checks=$((checks + 2))
# The parents are those of ps, for all that have one before and behind the capture.
jq -r '.rows[] | select(.parent != "") | "\(.path | split(" ")[0]) \(.parent | split(" ")[0])"' tree.json | sort >tree
awk 'NR == FNR { parent[$1] = $2; next } $1 in parent && parent[$1] != $2 { print; bad = 1 } $1 in parent { n++ } END { exit bad || n < 5 }' known tree ||
    fail "the parents are not those of ps"
for ((i = 1; i < 4; i++)); do
    same "the parent of ${family[i]}" "${family[i - 1]}" "$(awk -v pid="${family[i]}" '$1 == pid { print $2 }' tree)"
done

# No control character of a name is printed, and each process has one line.
"$CTPROF" show --tree --pid "${family[0]},${family[1]},${family[2]},${family[3]}" --rollup parent,share=0 -m run_time_ns all.zst >out
same "lines with control characters" 0 "$(grep -cP '[\x00-\x08\x0b-\x1f\x7f]' out || true)"
same "lines of the family" 4 "$(grep -cE "^ *(${family[0]}|${family[1]}|${family[2]}|${family[3]}) " out)"
for ((i = 0; i < 4; i++)); do
    grep -qE "^ {$((2 * i))}${family[i]} " out || fail "${family[i]} is not indented by $((2 * i)): $(cat out)"
done
# Without the second one the third is a root.
"$CTPROF" show --pid "${family[0]},${family[2]},${family[3]}" --rollup parent,share=0 -m run_time_ns -f csv all.zst >out
same "depths without a parent" "0 0 1" "$(python3 -c 'import csv, sys
rows = {r["path"].split()[0]: r["depth"] for r in csv.DictReader(open("out", newline="", errors="surrogateescape"))}
print(*[rows[p] for p in sys.argv[1:]])' "${family[0]}" "${family[2]}" "${family[3]}")"
"$CTPROF" show --pid "${family[0]},${family[1]},${family[2]},${family[3]}" --rollup parent,share=0,depth=2 -m run_time_ns all.zst >out
grep -q '^2 processes deeper than 2$' out || fail "the depth is not kept: $(cat out)"
"$CTPROF" show --rollup parent,share=100 -m run_time_ns all.zst >out
grep -q 'processes below 100 % of the host (share=0 shows all)$' out || fail "the threshold is not kept: $(cat out)"
same "--tree" "$("$CTPROF" show --rollup parent all.zst | md5sum)" "$("$CTPROF" show --tree all.zst | md5sum)"
echo "$checks checks"
