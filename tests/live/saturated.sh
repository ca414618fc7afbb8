#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# saturated.sh CTPROF HANGING_MOUNT: on a host whose CPUs have no idle time, threads, cgroups and /proc/stat are three ways to
# count the same CPU time. Over a window of 30 s they agree within 1 % and the part of the window that reading took, in
# amounts and in what show says per second, also where a name service is slow, and while an executable lies on a file system
# that does not answer.
# Makes cgroups and load of its own, and removes them.
# shellcheck disable=SC2154 # lib.sh counts the checks.
set -euo pipefail

CTPROF=$(realpath "$1")
server=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd python3 mkfifo unshare
if [ "$(id -u)" != 0 ]; then
    echo "skipped: threads of all users, and cgroups to be made, are for root"
    exit 77
fi

hierarchy=$(mounted cgroup cpuacct)
[ -n "$hierarchy" ] || hierarchy=$(mounted cgroup2 rw)
parent=ctprof-test-$$
if [ -z "$hierarchy" ] || ! mkdir "$hierarchy/$parent" 2>/dev/null; then
    echo "skipped: no cgroup hierarchy that counts CPU time, and in which this user may make cgroups"
    exit 77
fi

seconds=30
cpus=$(getconf _NPROCESSORS_ONLN)
scratch=$(mktemp -d)
spinners=()
groups=(a b c)
clean_up() {
    for pid in "${spinners[@]}"; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    for group in "${groups[@]}"; do
        for _ in 1 2 3 4 5; do
            rmdir "$hierarchy/$parent/$group" 2>/dev/null && break
            sleep 0.1
        done
    done
    rmdir "$hierarchy/$parent" 2>/dev/null || true
    rm -rf "$scratch"
}
trap clean_up EXIT
cd "$scratch"

# Each of two cgroups has as many threads as there are CPUs; the third one has processes that live for a moment.
for group in a b; do
    mkdir "$hierarchy/$parent/$group"
    for ((i = 0; i < cpus; i++)); do
        # shellcheck disable=SC2016 # The inner shell expands it.
        bash -c 'echo $$ >"$1/cgroup.procs"; while :; do :; done' - "$hierarchy/$parent/$group" &
        spinners+=($!)
    done
done
mkdir "$hierarchy/$parent/c"
# shellcheck disable=SC2016
bash -c 'echo $$ >"$1/cgroup.procs"; while :; do (for ((i = 0; i < 20000; i++)); do :; done); done' - \
    "$hierarchy/$parent/c" &
spinners+=($!)
# Waits until the processes are in their cgroups.
for group in "${groups[@]}"; do
    for ((i = 0; i < 1500; i++)); do
        ! grep -q . "$hierarchy/$parent/$group/cgroup.procs" || break
        sleep 0.02
    done
done

# fact FILE SECTION GROUP METRIC: of a cgroup, or of the host.
fact() {
    "$CTPROF" show --format json --group-by cgroup --no-cg-normalize --sections "$2" "$1" |
        jq -r --arg group "$3" --arg metric "$4" '.rows[] | select(.group == $group and .metric == $metric) | .value'
}

# agree WHAT FILE: the window in the file.
agree() {
    local v1='' root
    zstd -qdc "$2" >w.json
    case $(jq -r '.cgroup_v1_stats["/"].cpuacct // "none"' w.json) in
    none) root=/ ;;
    *) root=v1:/ v1=1 ;;
    esac
    jq -c --arg v1 "$v1" --argjson cpus "$cpus" '
        .host as $host | .window.length_ns as $length | .host.clock_ticks_per_second as $hz
        | (if $v1 == "1" then .cgroup_v1_stats["/"].cpuacct.usage_ns
           else .cgroup_stats["/"].cpu.usage_usec * 1000 end) as $cgroups
        | (($host.user_clock_ticks + $host.system_clock_ticks + $host.irq_clock_ticks + $host.softirq_clock_ticks)
            / $hz * 1e9) as $ticks
        | { threads: ([.threads[].run_time_ns // 0] | add), $cgroups, $ticks,
            length: $length, cpus: $cpus,
            spread: .cost.walk_spread_ns,
            exits: .window.exits,
            steal: ($host.steal_clock_ticks / $hz * 1e9), idle: (($host.idle_clock_ticks + $host.iowait_clock_ticks) / $hz * 1e9) }
        ' w.json >sums.json
    python3 - "$1" sums.json "$(fact "$2" cgroup-stats $root cpu_percent_cadvisor)" \
        "$(fact "$2" cgroup-stats $root cpu_percent_docker)" "$(fact "$2" host-cpu host busy_percent)" <<'PYTHON'
import json, sys
what, sums = sys.argv[1], json.load(open(sys.argv[2]))
cadvisor, docker, busy = (float(text) for text in sys.argv[3:])
length, cpus = sums["length"], sums["cpus"]
all_time = length * cpus
steal, idle = 100 * sums["steal"] / all_time, 100 * sums["idle"] / all_time
print(f"{what}: {length / 1e9:.2f} s, read in {sums['spread'] / 1e9:.3f} s, steal {steal:.2f} %, idle {idle:.2f} %, "
      f"exits {sums['exits']}; CPUs by threads {sums['threads'] / length:.4f}, cgroups {sums['cgroups'] / length:.4f}, "
      f"ticks {sums['ticks'] / length:.4f}; cAdvisor {cadvisor:.2f} %, docker {docker:.2f} %, busy {busy:.2f} %")
if steal > 1:
    print(f"skipped: {steal:.2f} % of the time is stolen")
    sys.exit(77)
if idle > 1:
    print(f"skipped: {idle:.2f} % of the time is idle, although there is work")
    sys.exit(77)
allowed = 0.01 + sums["spread"] / length
bad = []
kinds = ["cgroups", "ticks"] + (["threads"] if sums["exits"] == "completed" else [])
for a in kinds:
    for b in kinds:
        if a < b and abs(sums[a] - sums[b]) > allowed * max(sums[a], sums[b]):
            bad.append(f"{a} {sums[a] / 1e9:.3f} s and {b} {sums[b] / 1e9:.3f} s")
# Values that are divided by their own interval do not depend on the time that reading took.
for name, value, per_cpu in (("cAdvisor", cadvisor, cpus), ("docker", docker, cpus), ("busy", busy, 1)):
    if abs(value / per_cpu - 100) > 1 + steal + idle:
        bad.append(f"{name} {value:.2f} % of {per_cpu} CPUs")
if bad:
    print("FAILED:", what, "; ".join(bad), f"(allowed: {100 * allowed:.2f} %)")
    sys.exit(1)
PYTHON
}
# check STATUS WHAT FILE: of a capture that ended with the status and wrote the window.
check() {
    local status=0

    if [ "$1" = 77 ]; then
        echo "not tested: $2"
        return
    fi
    [ "$1" = 0 ] || fail "$2: capture ended with status $1"
    agree "$2" "$3" || status=$?
    [ "$status" = 0 ] || exit "$status"
    checks=$((checks + 1))
}

# beside_hanging_program SERVER COMMAND...: runs the command, with mounts of its own, while there is a process whose
# executable lies on a file system that has stopped answering. It is an overlay upon that one, if that can
# be. Ends with 77 where there can be no such process.
beside_hanging_program() {
    local program=lower/program status=77 started=()

    [ -c /dev/fuse ] && mkdir mounts && mount -t tmpfs -o mode=755 none mounts || return 77
    mkdir mounts/lower mounts/empty mounts/merged
    "$1" mounts/lower "$(command -v sleep)" >out &
    started=($!)
    shift
    until grep -q READY out 2>/dev/null || ! kill -0 "${started[0]}" 2>/dev/null; do
        sleep 0.01
    done
    if mount -t overlay -o lowerdir=mounts/empty:mounts/lower none mounts/merged 2>/dev/null; then
        program=merged/program
    fi
    "mounts/$program" 300 &
    started+=($!)
    # Its first pages have been read when it is what it is to be.
    for ((i = 0; i < 600; i++)); do
        [ "$(cat "/proc/${started[1]}/comm" 2>/dev/null)" != program ] || ! grep -q nanosleep "/proc/${started[1]}/wchan" || break
        sleep 0.1
    done
    kill -USR1 "${started[0]}"
    stat "mounts/$program" >/dev/null 2>&1 &
    started+=($!)
    sleep 1
    # Readers of the file wait until the server ends.
    if [ "$(cat "/proc/${started[1]}/comm")" = program ] && kill -0 "${started[2]}" 2>/dev/null; then
        echo "an executable hangs: $program"
        status=0
        "$@" || status=$?
        kill -0 "${started[2]}" 2>/dev/null || status=1
    fi
    kill -KILL "${started[@]}" 2>/dev/null || true
    return $status
}
export -f beside_hanging_program

# Four windows at the same time. Each begins when the one before is between its readings, so that they do not read at the
# same time. The executable hangs from the first reading of the fourth window on.
"$CTPROF" capture -q --window "${seconds}s" -o default.zst &
default=$!
spinners+=("$default")
await_between $default
"$CTPROF" capture -q --source procfs --window "${seconds}s" -o procfs.zst &
procfs=$!
spinners+=("$procfs")
await_between $procfs
# A name service that takes 2 s to answer, at the first of the two readings only.
mkfifo passwd
(
    sleep 2
    while :; do echo 'root:x:0:0::/:/bin/sh' >passwd; done
) &
spinners+=($!)
# shellcheck disable=SC2016
with_own_mounts bash -c 'mount --bind passwd /etc/passwd && exec "$@"' - \
    "$CTPROF" capture -q --window "${seconds}s" -o slow.zst &
slow=$!
spinners+=("$slow")
sleep 4
status=0
# shellcheck disable=SC2016
with_own_mounts bash -c 'beside_hanging_program "$@"' - "$server" \
    "$CTPROF" capture -q --window "${seconds}s" -o hanging.zst || status=$?
check $status "an executable that hangs" hanging.zst
for name in slow default procfs; do
    status=0
    wait "${!name}" || status=$?
    check $status "$name" $name.zst
done
echo "$checks checks passed"
