#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# known-effects.sh CTPROF SERVICE [BLOCKS [CASE...]]: experiments on this host whose effects are known. Two services compete for CPU 0;
# the arms differ in the nice value of one, its CPUs, the shares or the quota of its cgroup, or in a sysctl. Each service measures its own CPU
# time, and known-effect.py holds what the report says against that. A third service on the last CPU must not move: it is a control.
# The cases are nice, affinity, shares, quota and sysctl; each takes a minute with 10 blocks. Everything is as before at the end.
set -euo pipefail

CTPROF=$(realpath "$1")
service=$(realpath "$2")
blocks=${3:-10}
shift $(($# < 3 ? $# : 3))
cases=("$@")
[ $# -gt 0 ] || cases=(nice affinity shares quota sysctl)
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
source "$here/lib.sh"
needs python3 taskset renice chrt

[ "$(id -u)" -eq 0 ] || { echo "skipped: renice and cgroups are for root"; exit 77; }
last=$(($(getconf _NPROCESSORS_ONLN) - 1))
if [ "$last" -lt 1 ] || [ "$(cat /sys/devices/system/cpu/online)" != "0-$last" ]; then
    echo "skipped: it takes two CPUs"
    exit 77
fi
# Ctprof, its commands and this script run on the control's CPU, for a service with a real-time policy has the other one to itself;
# and before a service that the affinity brings there, so that a window is as long as it is to be.
if [ -z "${KNOWN_EFFECTS_PLACED-}" ]; then
    KNOWN_EFFECTS_PLACED=1 exec taskset -c "$last" chrt --rr 2 "$0" "$CTPROF" "$service" "$blocks" "${cases[@]}"
fi
# The CPU of the other arm's affinity. On two CPUs it is the control's, which another service keeps awake in both
# arms: real-time threads are not held up by it, but by a CPU that sleeps.
free=1

scratch=$(mktemp -d)
mkdir -m 700 "$scratch/state"
export STATE_DIRECTORY=$scratch/state
runner=''
declare -A services=()
groups=()
# The services end by themselves if this script is killed; the guardian of ctprof restores what the arms have set.
clean_up() {
    if [ -n "$runner" ]; then
        kill "$runner" 2>/dev/null || true
        wait "$runner" 2>/dev/null || true
    fi
    [ ${#services[@]} -eq 0 ] || kill -9 "${services[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
    remove_groups
    rm -rf "$scratch"
}
remove_groups() {
    local i

    for ((i = ${#groups[@]} - 1; i >= 0; i--)); do rmdir "${groups[i]}" 2>/dev/null || true; done
    groups=()
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'echo "ended by a signal"; exit 143' TERM HUP
cd "$scratch"

# The cgroups of the services: of whichever version has the controller, and heavier than whatever else works on the CPU.
if root=$(mounted cgroup2 rw) && [ -n "$root" ] && grep -qw cpu "$root/cgroup.subtree_control" 2>/dev/null; then
    weight=cpu.weight heaviest=200 even=100 fourfold=400
    quota=cpu.max wide='8000 100000' narrow='4000 100000'
elif root=$(mounted cgroup cpu) && [ -n "$root" ]; then
    weight=cpu.shares heaviest=2048 even=1024 fourfold=4096
    quota=cpu.cfs_quota_us wide=8000 narrow=4000
else
    echo "skipped: no cgroup with the cpu controller"
    exit 77
fi
parent=$root/ctprof-known-$$

# make_group PATH
make_group() {
    mkdir "$1"
    groups+=("$1")
}

# start_service NAME CPU POLICY [CGROUP]
start_service() {
    "$service" "$1" "$2" "$3" "$1.log" &
    services[$1]=$!
    until [ "$(cat "/proc/$!/comm")" = "$1" ]; do sleep 0.02; done
    [ $# -lt 4 ] || echo "${services[$1]}" >"$4/cgroup.procs"
}

# They write their logs.
stop_services() {
    local name

    kill "${services[@]}"
    for name in "${!services[@]}"; do
        wait "${services[$name]}" || fail "$name has failed"
    done
    services=()
}

experiment() {
    "$CTPROF" ab --blocks "$blocks" --unit 1s --settle 300ms --control run_time_ns@pcomm:svc-control --name "$name" --yes \
        --format json -o ab "$@" >report.json 2>errors </dev/null &
    runner=$!
    wait "$runner" || { cat errors; fail "$name: ctprof ab"; }
    runner=''
}

# The names of what must have moved, with the signs, are in rows.
run_case() {
    local name=$1 level=$parent begin=$SECONDS one two rows setting

    rm -rf ab
    make_group "$parent"
    echo $heaviest >"$parent/$weight"
    start_service svc-control "$last" steady
    rows=(run_time_ns:svc-one:+ wait_time_ns:svc-one:- run_time_ns:svc-control:0)
    case $name in
    nice | affinity)
        # In one session and one cgroup: elsewhere autogroups and cgroups make nice ineffective.
        start_service svc-one 0 fair "$level"
        start_service svc-two 0 fair "$level"
        one=${services[svc-one]} two=${services[svc-two]}
        if [ "$name" = affinity ]; then
            # Others that use the two CPUs decide what the service gains by the other one.
            rows=(run_time_ns:svc-{one,two}:'~' wait_time_ns:svc-{one,two}:'~' run_time_ns:svc-control:0)
            start_service svc-filler "$free" idle
        fi
        ;;
    shares | quota)
        [ $weight != cpu.weight ] || echo +cpu >"$parent/cgroup.subtree_control"
        make_group "$parent/one"
        make_group "$parent/two"
        start_service svc-one 0 fair "$parent/one"
        start_service svc-two 0 fair "$parent/two"
        rows+=(run_time_ns:svc-two:- wait_time_ns:svc-two:+)
        if [ "$name" = quota ] && [ ! -w "$parent/one/$quota" ]; then
            echo "quota: this kernel has none"
            stop_services
            remove_groups
            return
        fi
        ;;
    sysctl)
        start_service svc-one 0 rr
        start_service svc-two 0 rr
        ;;
    *) fail "no case is called $name" ;;
    esac
    sleep 0.5
    case $name in
    nice)
        rows=(run_time_ns:svc-one:- wait_time_ns:svc-one:+ run_time_ns:svc-two:+ wait_time_ns:svc-two:- run_time_ns:svc-control:0)
        experiment --b "exec renice -n 5 -p $one undo renice -n 0 -p $one"
        ;;
    affinity)
        experiment --b "exec taskset -p -c $free $one undo taskset -p -c 0 $one"
        ;;
    shares)
        setting=$parent/one/$weight
        experiment --a "write $setting = $even" --b "write $setting = $fourfold"
        ;;
    quota)
        # Less than it would have beside whatever else works on the CPU. The other one's gain is too small to be seen there.
        rows=(run_time_ns:svc-one:- run_time_ns:svc-control:0)
        echo $fourfold >"$parent/one/$weight"
        setting=$parent/one/$quota
        experiment --a "write $setting = $wide" --b "write $setting = $narrow"
        ;;
    sysctl)
        # Whole ticks for every kernel.
        rows=(nonvoluntary_csw:svc-one:- nonvoluntary_csw:svc-two:- run_time_ns:svc-control:0)
        experiment --a 'sysctl kernel.sched_rr_timeslice_ms = 20' --b 'sysctl kernel.sched_rr_timeslice_ms = 80'
        ;;
    esac
    stop_services
    remove_groups
    python3 -B "$here/known-effect.py" "$name" ab/experiment.json report.json . "${rows[@]}" || failed+=("$name")
    checks=$((checks + ${#rows[@]}))
    echo "$name took $((SECONDS - begin)) s"
}

failed=()
printf '%-12s %-18s %-8s %9s  %21s  %9s %8s  %s\n' case service metric report 'its 99 % interval' truth error answer
for name in "${cases[@]}"; do
    run_case "$name"
done
[ ${#failed[@]} -eq 0 ] || fail "${failed[*]}"
[ -z "$(find state -name changes)" ] || fail "a journal is left"
echo "$checks rows are as they must be"
