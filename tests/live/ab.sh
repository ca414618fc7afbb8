#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ab.sh CTPROF: experiments on this host. The arms set a file that the work reads, and a sysctl; what the work saw is what the arm has
# set, in the order of the schedule, and everything is as before at the end, also behind SIGTERM. Sets vm.stat_interval and sets it
# back.
# shellcheck disable=SC2154,SC2016 # lib.sh counts the checks; the shells of the work expand what is in single quotes.
set -euo pipefail

CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq

scratch=$(mktemp -d)
runner=''
clean_up() {
    if [ -n "$runner" ]; then
        kill "$runner" 2>/dev/null || true
        wait "$runner" 2>/dev/null || true
    fi
    rm -rf "$scratch"
}
trap clean_up EXIT
cd "$scratch"

# check EXPRESSION: as test(1) has it.
check() {
    [ "$@" ] || fail "line ${BASH_LINENO[0]}: $*"
    checks=$((checks + 1))
}
mkdir -m 700 state
export STATE_DIRECTORY=$scratch/state

# outcomes DIR ARM: what the work saw in the units of an arm that count, each once.
outcomes() {
    jq -r --arg arm "$2" '[.units[] | select(.arm == $arm and .state == "done") | .outcomes.outcome] | unique | @csv' \
        "$1/experiment.json"
}

# A directory may have a name that an experiment cannot have.
"$CTPROF" ab --a 'env X=1' --b 'env X=2' --blocks 2 --settle 0 --yes -o '[x]' -- true >report 2>errors || { cat errors; exit 1; }
check "$(jq -r .name '[x]/experiment.json')" = experiment

echo 5 >knob
cat >plan <<PLAN
[experiment]
name = what a file says
workload = while read -r n <$scratch/knob; do echo "ctprof-work \$n"; echo "saw \$n"; sleep .02; done
unit = window 0.3s
settle = 0.1s
blocks = 2
outcome = saw ([0-9]+)
[arm one]
write $scratch/knob = 10
[arm two]
write $scratch/knob = 20
PLAN

# Without a terminal and without --yes nothing is changed.
status=0
"$CTPROF" ab plan -o refused 2>errors </dev/null || status=$?
check "$status" -eq 2
check "$(cat knob)" = 5
check ! -e refused

"$CTPROF" ab plan -o windows --yes >report 2>errors || { cat errors; exit 1; }
check "$(cat knob)" = 5
check "$(jq -r .state windows/experiment.json)" = complete
check "$(jq '[.units[] | select(.state == "done")] | length' windows/experiment.json)" -eq 8
check "$(jq '[.units[] | select(.state == "discarded")] | length' windows/experiment.json)" -eq 4
check "$(outcomes windows one)" = 10
check "$(outcomes windows two)" = 20
# The order is that of the schedule.
check "$(jq -c '[.units[].arm] as $ran | [.schedule[][]] | map(["one", "two"][.]) == $ran' windows/experiment.json)" = true
# A window is as long as it is to be, and the work in it is twice as much in the one arm, at the same speed.
check "$(jq '[.units[].length_ns | select(. < 300000000)] | length' windows/experiment.json)" -eq 0
check "$(jq '[.units[] | select(.state == "done") | .outcomes.work / .outcomes.outcome] | min > 2' windows/experiment.json)" = true
check "$("$CTPROF" show --host windows/unit-0005.zst | grep -c '^ *\(arm\|block\|position\|seed\|session\|experiment\) ')" -eq 6
for file in windows/unit-*.zst; do
    "$CTPROF" show "$file" >/dev/null
done

# A run is as long as its work, whose numbers and status are kept.
"$CTPROF" ab --a 'env N=1' --b 'env N=2' --blocks 2 --settle 0 --seed 3 -o runs --yes --outcome '^n=([0-9])' \
    -- sh -c 'begin=$(date +%s%N); echo "n=$N"; sleep 0.$N; echo "$N $(($(date +%s%N) - begin))" >>slept' >report 2>errors ||
    { cat errors; exit 1; }
check "$(outcomes runs A)" = 1
# It ends with what ab-report prints.
"$CTPROF" ab-report runs >again
cmp report again
check "$(grep -c '^B against A' report)" -eq 1
check "$(outcomes runs B)" = 2
check "$(jq '[.units[] | select(.arm == "B") | .outcomes.wall_time_ns] | min >= 200000000' runs/experiment.json)" = true
# The shortest one of the first arm is less than that, unless this machine was slower even to sleep.
slept_ns=$(awk '$1 == 1 && (!least || $2 < least) { least = $2 } END { printf "%.0f\n", least }' slept)
check "$slept_ns" -ge 100000000
check "$(jq --argjson slept "$slept_ns" '[.units[] | select(.arm == "A") | .outcomes.wall_time_ns] | min
    | . >= $slept and . < ([2 * $slept, 200000000] | max)' runs/experiment.json)" = true
check "$(jq '[.units[].exit_status] | unique == [0]' runs/experiment.json)" = true

# Work that fails in one arm only: no block is whole, and after three the experiment ends.
status=0
"$CTPROF" ab --b 'env N=2' --blocks 4 --settle 0 -o fails --yes -- sh -c 'echo "no $N"; [ -z "$N" ]' 2>errors || status=$?
check "$status" -eq 1
grep -q 'the command of 3 blocks in a row failed, the last time: the workload has failed with status 1: no 2$' errors ||
    { cat errors; exit 1; }
check "$(jq '[.units[] | select(.state == "done")] | length' fails/experiment.json)" -eq 0

# SIGTERM: everything is as before, the process ends by the signal, and the rest can be done later.
"$CTPROF" ab plan -o ended --yes 2>errors &
runner=$!
for _ in $(seq 200); do
    [ "$(jq -r '[.units[]?] | length' ended/experiment.json 2>/dev/null || echo 0)" -lt 6 ] || break
    sleep 0.1
done
check "$(cat knob)" != 5
kill -TERM "$runner"
status=0
wait "$runner" || status=$?
runner=''
check "$status" -eq 143
check "$(cat knob)" = 5
check "$(jq -r .state ended/experiment.json)" = interrupted
seed=$(jq .seed ended/experiment.json)
"$CTPROF" ab --resume ended --yes >report 2>errors || { cat errors; exit 1; }
check "$(cat knob)" = 5
check "$(jq -r .state ended/experiment.json)" = complete
check "$(jq .seed ended/experiment.json)" -eq "$seed"
check "$(jq '[.units[] | select(.state == "done") | .block] | group_by(.) | map(length) == [4, 4]' ended/experiment.json)" = true
check "$(jq '.sessions | length' ended/experiment.json)" -eq 1
status=0
"$CTPROF" ab --resume ended --yes 2>errors || status=$?
check "$status" -eq 1

# Work that is printed while the file of a window is written does not count, however long that takes.
if command -v strace >/dev/null && strace -qq -e trace=none true 2>/dev/null; then
    strace -D -f --seccomp-bpf -qq -o /dev/null -e trace=fsync -e inject=fsync:delay_enter=1500000 \
        "$CTPROF" ab plan -o slow --yes 2>errors &
    runner=$!
    for _ in $(seq 400); do
        [ "$(jq -r '[.units[]?] | length' slow/experiment.json 2>/dev/null || echo 0)" -eq 0 ] || break
        sleep 0.1
    done
    kill -TERM "$runner"
    wait "$runner" || true
    runner=''
    check "$(jq '.units[0].outcomes.work / .units[0].outcomes.outcome | . > 2 and . <= 17' slow/experiment.json)" = true
    check "$(cat knob)" = 5
fi

# Nothing is changed if restoring could not open its files.
status=0
(ulimit -n 24; exec "$CTPROF" ab plan -o limited --yes 2>errors) || status=$?
check "$status" -eq 1
grep -q '^ctprof: 48 more files must be open at a time, and only [0-9]* can be: Too many open files$' errors || { cat errors; exit 1; }
check "$(cat knob)" = 5
check ! -e limited

# A line after three blocks says what the experiment will be able to show; --until ends it if that is enough.
"$CTPROF" ab --b 'env N=2' --blocks 20 --until mde=90% --settle 0 -o until --yes -- sleep 0.2 >report 2>errors || { cat errors; exit 1; }
grep -q '^ctprof: after 3 blocks: 20 will show an effect of [0-9.e+]* % in wall_time_ns$' errors || { cat errors; exit 1; }
grep -q '^ctprof: [0-9]* blocks are enough: they show an effect of [0-9.]* %$' errors || { cat errors; exit 1; }
check "$(jq '.plan.blocks >= 6 and .plan.blocks < 20 and .plan.blocks * 4 == ([.units[] | select(.state == "done")] | length)' until/experiment.json)" = true
check "$(jq -r .state until/experiment.json)" = complete
status=0
"$CTPROF" ab --resume until --yes 2>errors || status=$?
check "$status" -eq 1

# The experiment writes and reads in the directory that it began with, even if another one has come to its
# place.
mkdir -p up/dir
"$CTPROF" ab plan -o up/dir --yes >report 2>errors &
runner=$!
for _ in $(seq 200); do
    [ ! -e up/dir/unit-0002.zst ] || break
    sleep 0.1
done
mv up away
mkdir -p up/dir
echo '{}' >up/dir/experiment.json
status=0
wait "$runner" || status=$?
runner=''
[ "$status" -eq 0 ] || { cat errors; exit 1; }
check "$(ls up/dir)" = experiment.json
check "$(cat up/dir/experiment.json)" = '{}'
check "$(jq '[.units[] | select(.state == "done")] | length' away/dir/experiment.json)" -eq 8
check "$(find away/dir -name 'unit-*.zst' | wc -l)" -eq 12
grep -q '^B = two against A = one' report || { cat report; exit 1; }
# So with --resume, whose directory was there before.
jq '.units |= map(select(.block < 2)) | .state = "interrupted"' away/dir/experiment.json >json
mv json away/dir/experiment.json
chmod 600 away/dir/experiment.json
rm -rf up
mv away up
"$CTPROF" ab --resume up/dir --yes >report 2>errors &
runner=$!
for _ in $(seq 200); do
    [ "$(cat knob)" = 5 ] || break
    sleep 0.1
done
mv up away
status=0
wait "$runner" || status=$?
runner=''
[ "$status" -eq 0 ] || { cat errors; exit 1; }
check "$(jq -r .state away/dir/experiment.json)" = complete
check ! -e up

# Commands run in the directory in which the experiment began, whatever has its name by now.
mkdir here
(cd here && exec "$CTPROF" ab --a 'exec [ -e ../moved ] || { mv ../here ../moved; mkdir ../here; }; echo a >>log undo echo u >>log' \
    --b 'exec echo b >>log undo echo u >>log' --blocks 2 --settle 0 -o ../moves --yes -- true) >report 2>errors || { cat errors; exit 1; }
check -z "$(ls here)"
check "$(sort -u moved/log | tr '\n' ' ')" = 'a b u '

# A sysctl, as the work sees it.
if [ "$(id -u)" = 0 ] && [ -w /proc/sys/vm/stat_interval ]; then
    before=$(cat /proc/sys/vm/stat_interval)
    "$CTPROF" ab --a 'sysctl vm.stat_interval = 7' --b 'sysctl vm.stat_interval=9' --blocks 2 --settle 0 -o sysctl --yes \
        --outcome '^[0-9]+$' -- cat /proc/sys/vm/stat_interval >report 2>errors || { cat errors; exit 1; }
    check "$(outcomes sysctl A)" = 7
    check "$(outcomes sysctl B)" = 9
    check "$(cat /proc/sys/vm/stat_interval)" = "$before"
    check "$(jq -r '.before["/proc/sys/vm/stat_interval"]' sysctl/experiment.json)" = "$before"
    # A value that does not take is an error before the first unit.
    status=0
    "$CTPROF" ab --a 'sysctl vm.swappiness = 1000000' --blocks 2 -o never --yes 2>errors || status=$?
    check "$status" -eq 1
    check ! -e never
fi
check -z "$(find state -name changes)"
echo "$checks checks"
