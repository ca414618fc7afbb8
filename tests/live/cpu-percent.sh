#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cpu-percent.sh CTPROF WORKLOAD: CPU time in percent, against the tools whose numbers these are: ps, top in both of its
# modes, pidstat, and the formulas of gopsutil, docker and cAdvisor computed by Python from what the test reads itself.
# shellcheck disable=SC2154 # lib.sh counts the checks.
set -euo pipefail

CTPROF=$(realpath "$1")
WORKLOAD=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
export CTPROF WORKLOAD
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd python3 ps
scratch=$(mktemp -d)
made=()
clean_up() {
    stop_all
    [ -z "${calculator_PID-}" ] || kill "$calculator_PID" 2>/dev/null || true
    wait 2>/dev/null || true
    for ((i = ${#made[@]} - 1; i >= 0; i--)); do
        rmdir "${made[i]}" 2>/dev/null || true
    done
    rm -rf "$scratch"
}
trap clean_up EXIT
cd "$scratch"

# Values of the window.
seconds=5
cpus=$(getconf _NPROCESSORS_ONLN)
p=$(unique_prefix)

capture() {
    "$CTPROF" capture -q -o "$1" || fail "capture ended with status $?"
}
# value FILE KEY GROUP METRIC: of a group of threads.
value() {
    "$CTPROF" show --format json --group-by "$2" --no-thread-normalize --metrics "$4" "$1" |
        jq -r --arg group "$3" --arg metric "$4" '.rows[] | select(.group == $group and .metric == $metric) | .value'
}
# fact FILE SECTION GROUP METRIC: of a cgroup, or of the host.
fact() {
    "$CTPROF" show --format json --group-by cgroup --no-cg-normalize --sections "$2" "$1" |
        jq -r --arg group "$3" --arg metric "$4" '.rows[] | select(.group == $group and .metric == $metric) | .value'
}
# One Python computes everything, for its start takes longer than a measurement where the CPUs are busy: a line with an
# expression and "name=number" words, separated by tabs, is answered by a line with its value, or with what is wrong.
coproc calculator { python3 -uc '
import sys
for line in sys.stdin:
    expression, *pairs = line.rstrip("\n").split("\t")
    try:
        print(eval(expression, {name: float(number) for name, number in (pair.split("=") for pair in pairs)}))
    except Exception as error:
        print(f"{type(error).__name__}: {error}")'; }
# shellcheck disable=SC2154 # coproc sets both.
exec {to_calculator}>&"${calculator[1]}" {from_calculator}<&"${calculator[0]}"
# compute EXPRESSION NAME=NUMBER...
compute() {
    local IFS=$'\t' answer

    echo "${*//$'\n'/ }" >&"$to_calculator"
    read -r answer <&"$from_calculator"
    echo "$answer"
}
# holds WHAT EXPRESSION NAME=NUMBER...: numbers that are not there hold nothing.
holds() {
    local what=$1 expression=$2

    shift 2
    [ "$(compute "$expression" "$@")" = True ] || fail "$what: not $expression, with $*"
    checks=$((checks + 1))
}

# --- What the test reads itself.
# look NAME=PATH...: the time, the CPU times of the host, and what cgroups and processes have used by these files, as
# "name=number ...".
look() {
    python3 - "$@" <<'PYTHON'
import os, sys, time
print(f"time={time.clock_gettime(time.CLOCK_BOOTTIME)}", end="")
for line in open("/proc/stat"):
    words = line.split()
    if words[0] == "cpu":
        user, nice, system, idle, iowait, irq, softirq, steal = map(int, words[1:9])
        print(f" idle={idle} iowait={iowait} busy={user + nice + system + irq + softirq + steal} steal={steal}", end="")
    if words[0] == "processes":
        print(f" forks={words[1]}", end="")
for name, path in (pair.split("=", 1) for pair in sys.argv[1:]):
    text = open(path).read()
    words = text.split()
    if path.startswith("/proc/"):
        words = text.rsplit(")", 1)[1].split()
        seconds = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    else:
        seconds = int(words[1]) / 1e6 if words[0] == "usage_usec" else int(words[0]) / 1e9
    print(f" {name}={seconds}", end="")
print()
PYTHON
}
# rose NAME [LOOKS]: "low high", by how much it rose at least and at most between the captures.
rose() {
    python3 -c '
import sys
name, looks = sys.argv[1:]
first, second, third, fourth = (dict(pair.split("=") for pair in line.split()) for line in open(looks))
print(float(third[name]) - float(second[name]), float(fourth[name]) - float(first[name]))' "$1" "${2-looks}"
}

# --- Loads: one that is done and waits, so that only its age grows; two threads that are busy for 55 %; one for a
# fifth; one whose threads exit; and one in cgroups of its own. Threads that sleep in between get their CPU time on a busy
# host as well.
idle=${p}idle busy=${p}busy duty=${p}duty brief=${p}gone apart=${p}apart
start "$idle" spin 2 700
proceed "$idle"
await "$idle.out" DONE
start "$busy" duty 2 55 600000
start "$duty" duty 1 20 600000
start "$apart" duty 1 10 600000
start "$brief" retire 100 10 10
busy_pid=${pid_of[$busy]} duty_pid=${pid_of[$duty]} idle_pid=${pid_of[$idle]} apart_pid=${pid_of[$apart]}
own=("used_busy=/proc/$busy_pid/stat" "used_duty=/proc/$duty_pid/stat" "used_brief=/proc/${pid_of[$brief]}/stat")

# In front of whatever else this host does, so that they are steady; not everyone may do that.
for task in "/proc/$busy_pid/task/"* "/proc/$duty_pid/task/"*; do
    renice -n -5 -p "${task##*/}" >/dev/null 2>&1 || true
done

# Cgroups, where this user may make some.
cgroup=/ctprof-percent-$$
usages=()
# join NAME MOUNT FILE
join() {
    if [ -n "$2" ] && mkdir "$2$cgroup" 2>/dev/null; then
        made+=("$2$cgroup")
        if [ -e "$2$cgroup/$3" ] && echo "$apart_pid" 2>/dev/null >"$2$cgroup/cgroup.procs"; then
            usages+=("$1=$2$cgroup/$3")
            return
        fi
    fi
    echo "skipped: no cgroup of $1 can be made here"
}
join version2 "$(mounted cgroup2 rw)" cpu.stat
join version1 "$(mounted cgroup cpuacct)" cpuacct.usage
proceed "$busy"
proceed "$duty"
proceed "$apart"
sleep 0.2

# --- Tools that look twice, and a window around the same time.
mkdir home
solaris=no
if command -v script >/dev/null; then
    # Nothing but top itself writes its configuration.
    (sleep 0.7 && printf I && sleep 0.3 && printf W && sleep 0.3 && printf q) |
        HOME=$PWD/home XDG_CONFIG_HOME='' TERM=xterm timeout 20 script -qec "top -d 1" /dev/null >/dev/null 2>&1 || true
    if grep -qrs 'Mode_irixps=0' home; then
        solaris=yes
    else
        echo "skipped: top could not be told to be in Solaris mode"
    fi
fi
# run_top HOME: the second picture; the first one is of the time since the boot.
run_top() {
    HOME=$1 XDG_CONFIG_HOME='' LC_ALL=C COLUMNS=200 top -b -d "$seconds" -n 2 -p "$busy_pid,$duty_pid,$idle_pid"
}

around_window() {
    rm -f a.zst b.zst w.zst looks
    : >top-irix
    : >top-solaris
    : >pidstat.out
    local tools=()

    run_top /nonexistent >top-irix &
    tools+=($!)
    if [ "$solaris" = yes ]; then
        run_top "$PWD/home" >top-solaris &
        tools+=($!)
    fi
    if command -v pidstat >/dev/null; then
        LC_ALL=C pidstat -p "$busy_pid,$duty_pid,$idle_pid" "$seconds" 1 >pidstat.out &
        tools+=($!)
    fi
    look "${usages[@]}" "${own[@]}" >>looks
    capture a.zst
    look "${usages[@]}" "${own[@]}" >>looks
    [ "$1" != first ] || proceed "$brief"
    sleep "$(python3 -c 'import sys, time
begin = float(open("looks").readline().split()[0].split("=")[1])
print(max(0, begin + float(sys.argv[1]) - time.clock_gettime(time.CLOCK_BOOTTIME)))' "$seconds")"
    look "${usages[@]}" "${own[@]}" >>looks
    capture b.zst
    look "${usages[@]}" "${own[@]}" >>looks
    wait "${tools[@]}"
    "$CTPROF" window a.zst b.zst -o w.zst 2>/dev/null || fail "window ended with status $?"
}

# of_top FILE PID, of_pidstat PID: percent.
of_top() {
    awk -v pid="$2" '$1 == "PID" { for (i = 1; i <= NF; i++) if ($i == "%CPU") field = i; picture++ }
        picture == 2 && $1 == pid { print $field }' "$1"
}
of_pidstat() {
    awk -v pid="$1" '$1 == "Average:" && $3 == "PID" { for (i = 1; i <= NF; i++) if ($i == "%CPU") field = i }
        $1 == "Average:" && $3 == pid { print $field }' pidstat.out
}
# Within 5 %, two ticks, or what the tool rounds off. The tools look some ms earlier or later.
is_near() {
    [ "$(compute "abs(have - want) <= max(0.05 * want, 2 * tick, 0.1)" "have=$1" "want=$2" "tick=$3")" = True ]
}
tick_percent=$(compute "100 / hertz / seconds" "hertz=$(getconf CLK_TCK)" "seconds=$seconds")
# near WHAT HAVE WANT: notes what is off.
near() {
    if [ -z "$2" ] || [ "$2" = null ] || [ -z "$3" ]; then
        fail "$1: '$2' and '$3'"
    fi
    if is_near "$2" "$3" "$tick_percent"; then
        checks=$((checks + 1))
    else
        off+=("$1: $2, and the tool has $3")
    fi
}

# On a host that is busy otherwise, what two look at one after the other may differ.
for attempt in first second third; do
    off=()
    around_window "$attempt"
    for name in "$busy" "$duty" "$idle"; do
        pid=${pid_of[$name]}
        percent=$(value w.zst pcomm "$name" cpu_percent)
        near "$name by top" "$percent" "$(of_top top-irix "$pid")"
        of_host=$(value w.zst pcomm "$name" cpu_percent_host)
        holds "$name of the host" "abs(of_host - percent / cpus) < 1e-9" "of_host=$of_host" "percent=$percent" "cpus=$cpus"
        [ "$solaris" = no ] || near "$name by top in Solaris mode" "$of_host" "$(of_top top-solaris "$pid")"
        [ ! -s pidstat.out ] || near "$name by pidstat" "$percent" "$(of_pidstat "$pid")"
        echo "$name: $percent %, top $(of_top top-irix "$pid"), $of_host % of the host, top $(of_top top-solaris "$pid")," \
            "pidstat $(of_pidstat "$pid")"
    done
    if [ "$attempt" = first ]; then
        cp w.zst first.zst
        cp looks first.looks
    fi
    if [ ${#off[@]} -eq 0 ] || [ "$SECONDS" -ge 60 ]; then break; fi
done
# The lengths of the captures, each with its own readings: the tools may have read that much earlier or later.
slack=$(python3 -c '
times = [float(line.split()[0].split("=")[1]) for line in open("looks")]
print(times[1] - times[0] + times[3] - times[2])')
read -r used_busy _ < <(rose used_busy)
read -r used_duty _ < <(rose used_duty)
if [ ${#off[@]} -gt 0 ]; then
    # Work that has all the CPU time that it wants has as much whenever a tool looks.
    [ "$(compute "slack <= 0.1 * seconds and busy >= 0.95 * 1.1 * seconds and duty >= 0.95 * 0.2 * seconds" \
        "slack=$slack" "seconds=$seconds" "busy=$used_busy" "duty=$used_duty")" = True ] || {
        echo "skipped: this host is too busy for two tools to see the same ($slack s for the captures, in $seconds s" \
            "$used_busy s for two threads of 55 %, $used_duty s for one of 20 %): ${off[*]}"
        off=()
    }
fi
[ ${#off[@]} -eq 0 ] || fail "${off[*]}"
[ -s pidstat.out ] || echo "skipped: no pidstat"
# used NAME FILE GROUP LOOKS: the percentage is what the process has used by its own file, give or take a tick of each mode.
used() {
    local low high time_low time_high

    read -r low high < <(rose "$1" "$4")
    read -r time_low time_high < <(rose time "$4")
    holds "percentage of $1" "100 * (low - ticks) / time_high <= percent <= 100 * (high + ticks) / time_low" \
        "percent=$(value "$2" pcomm "$3" cpu_percent)" "low=$low" "high=$high" "time_low=$time_low" "time_high=$time_high" \
        "ticks=$(compute "2 / hertz" "hertz=$(getconf CLK_TCK)")"
}
used used_busy w.zst "$busy" looks
used used_duty w.zst "$duty" looks
used used_brief first.zst "$brief" first.looks
holds "percentage of what is busy" "0 < percent < 125" "percent=$(value w.zst pcomm "$busy" cpu_percent)"
same "percentage of what is idle" 0 "$(value w.zst pcomm "$idle" cpu_percent)"
same "percentage of a life in a window" null "$(value w.zst pcomm "$busy" cpu_lifetime_percent)"
same "percentage of an interval in a lifetime snapshot" null "$(value a.zst pcomm "$busy" cpu_percent)"

# --- A process is the sum of its threads and of what the exited ones left.
exited=$(value first.zst comm-exact "$brief (exited threads)" cpu_percent)
leader=$(value first.zst comm-exact "$brief" cpu_percent)
retiring=$(value first.zst comm-exact "$brief-retire" cpu_percent)
whole=$(value first.zst pcomm "$brief" cpu_percent)
holds "the process and its threads" "abs(whole - exited - leader - retiring) < 1e-6" "whole=$whole" "exited=$exited" \
    "leader=$leader" "retiring=$retiring"
# Two threads live at a time, and each ends behind 11 ms of CPU time: all that is more was used by others that have ended.
read -r used_brief _ < <(rose used_brief first.looks)
read -r _ brief_time < <(rose time first.looks)
if [ "$(compute "used > 0.06" "used=$used_brief")" = True ]; then
    holds "the threads that have ended" "exited > 0 and exited >= 100 * (used - 0.06) / time" "exited=$exited" \
        "used=$used_brief" "time=$brief_time"
else
    echo "skipped: threads of 11 ms each had only $used_brief s in the window, so hardly any has ended"
fi

# --- Cgroups and the host, between what can have been at least and at most.
read -r busy_low busy_high < <(rose busy)
read -r idle_low idle_high < <(rose idle)
read -r steal_low steal_high < <(rose steal)
read -r iowait_low iowait_high < <(rose iowait)
read -r time_low time_high < <(rose time)
read -r forks_low forks_high < <(rose forks)
hertz=$(getconf CLK_TCK)
bounds=("busy_low=$busy_low" "busy_high=$busy_high" "idle_low=$idle_low" "idle_high=$idle_high" "hertz=$hertz"
    "steal_low=$steal_low" "steal_high=$steal_high"
    "iowait_low=$iowait_low" "iowait_high=$iowait_high" "time_low=$time_low" "time_high=$time_high" "cpus=$cpus")
for usage in "${usages[@]}"; do
    version=${usage%%=*} group=$cgroup
    [ "$version" = version2 ] || group=v1:$cgroup
    read -r low high < <(rose "$version")
    docker=$(fact w.zst cgroup-stats "$group" cpu_percent_docker)
    cadvisor=$(fact w.zst cgroup-stats "$group" cpu_percent_cadvisor)
    holds "$version by the formula of docker stats" \
        "100 * low / ((busy_high - steal_low + idle_high + iowait_high) / hertz) * cpus <= docker \
            <= 100 * high / ((busy_low - steal_high + idle_low + iowait_low) / hertz) * cpus" \
        "docker=$docker" "low=$low" "high=$high" "${bounds[@]}"
    holds "$version by cAdvisor's" "100 * low / time_high <= cadvisor <= 100 * high / time_low" "cadvisor=$cadvisor" \
        "low=$low" "high=$high" "${bounds[@]}"
    echo "$version: docker $docker %, cAdvisor $cadvisor %, $low to $high s in $time_low to $time_high s"
    same "$version in a lifetime snapshot" 0 "$(fact a.zst cgroup-stats "$group" cpu_percent_docker | wc -l)"
done
percent=$(fact w.zst host-cpu host busy_percent)
holds "the host by gopsutil's formula" \
    "100 * (busy_low + iowait_low) / (busy_low + iowait_low + idle_high) <= percent \
        <= 100 * (busy_high + iowait_high) / (busy_high + iowait_high + idle_low)" "percent=$percent" "${bounds[@]}"
holds "forks" "forks_low / time_high <= forks <= forks_high / time_low" "forks_low=$forks_low" \
    "forks_high=$forks_high" "forks=$(fact w.zst host-cpu host forks_per_second)" "${bounds[@]}"
for part in user system iowait irq softirq steal idle; do
    fact w.zst host-cpu host "${part}_percent"
done >parts
holds "shares of the host" "abs(sum - 100) < 1e-6" "sum=$(python3 -c 'print(sum(map(float, open("parts"))))')"
echo "host: busy $percent %"

# --- The whole life of the process that waits, whose ticks do not move.
life_of() {
    python3 - "$1" <<'PYTHON'
import os, sys, time
fields = open(f"/proc/{sys.argv[1]}/stat").read().rsplit(")", 1)[1].split()
hertz = os.sysconf("SC_CLK_TCK")
age = time.clock_gettime(time.CLOCK_BOOTTIME) - int(fields[19]) / hertz
print(f"{age} cpu={(int(fields[11]) + int(fields[12])) / hertz} blkio={int(fields[39]) / hertz}")
PYTHON
}
read -r low cpu blkio < <(life_of "$idle_pid")
capture life.zst
read -r high _ < <(life_of "$idle_pid")
percent=$(value life.zst pcomm "$idle" cpu_lifetime_percent)
waits=$(value life.zst pcomm "$idle" cpu_lifetime_blkio_percent)
# A birth is known to a tick.
life=("percent=$percent" "low=$low" "high=$high" "$cpu" "$blkio" "tick=$(python3 -c "print(1 / $hertz)")")
holds "the life by gopsutil's formula without waits" \
    "100 * cpu / (high + tick) <= percent <= 100 * cpu / (low - tick)" "${life[@]}"
if [ "$waits" != null ]; then
    holds "the life by gopsutil's formula" \
        "100 * (cpu + blkio) / (high + tick) - 0.5 <= percent + waits <= 100 * (cpu + blkio) / (low - tick) + 0.5" \
        "waits=$waits" "${life[@]}"
else
    echo "skipped: no delay accounting here, so gopsutil's waits for block I/O are not known"
fi
# ps cuts the age to seconds and the percentage to tenths.
shown=$(ps -o pcpu= -p "$idle_pid" | tr -d ' ')
read -r now _ < <(life_of "$idle_pid")
holds "the life by ps" "percent * low / now - 0.1 <= shown <= percent * high / int(low) + 0.1" "shown=$shown" "now=$now" \
    "${life[@]}"
echo "life: $percent %, ps $shown %"
await "$brief.out" DONE
echo "$checks checks"
