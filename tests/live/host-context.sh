#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# host-context.sh CTPROF: what a snapshot says of this host and of its pressure, against what other programs say.
# shellcheck disable=SC2154 # lib.sh counts the checks.
set -euo pipefail

CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
source "$here/lib.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

host() { jq -r ".host.$1 | if type == \"object\" then length else . end" a.json; }

# entries MAP: "name text" for each of its entries.
entries() { jq -r ".host.$1 // {} | to_entries[] | \"\(.key) \(.value)\"" a.json | LC_ALL=C sort; }

# one_line FILE...: "name text" for those that can be read and have a word.
one_line() {
    local file text
    for file in "$@"; do
        if ! [ -f "$file" ] || ! text=$(tr -s '\n\t ' ' ' 2>/dev/null <"$file"); then
            continue
        fi
        text=${text# } text=${text% }
        [ -z "$text" ] || echo "${file##*/} $text"
    done | LC_ALL=C sort
}

same_lines() {
    if ! diff <(echo "$2") <(echo "$3"); then
        fail "$1 differ"
    fi
    checks=$((checks + 1))
}

pressure() {
    local resource row
    for resource in cpu memory io irq; do
        for row in some full; do
            sed -n "s/^$row .*total=/$resource $row /p" "/proc/pressure/$resource" 2>/dev/null || true
        done
    done
}

# toggles: "name value" of those that somebody may switch at any time.
toggles() {
    grep -s . /proc/sys/kernel/{task_delayacct,sched_schedstats} || true
}

pressure >before
toggles >toggles-before
"$CTPROF" capture -q -o a.zst
pressure >after
toggles >toggles-after
zstd -qdc a.zst >a.json

same "CPUs online" "$(getconf _NPROCESSORS_ONLN)" "$(host online_cpus)"
same "memory" "$(($(getconf _PHYS_PAGES) * $(getconf PAGESIZE) / 1024))" "$(host total_memory_kib)"
if grep -q '^model name' /proc/cpuinfo; then
    lscpu >lscpu.out
    same "model" "$(sed -n 's/^Model name: *//p' lscpu.out | head -1)" "$(host cpu_model)"
    same "maker" "$(sed -n 's/^Vendor ID: *//p' lscpu.out | head -1)" "$(host cpu_vendor)"
fi
nodes=$(lscpu | sed -n 's/^NUMA node(s): *//p')
[ -z "$nodes" ] || same "NUMA nodes" "$nodes" "$(host numa_nodes)"
if [ -d /proc/sys/vm ] && grep -q '^HugePages_Total' /proc/meminfo; then
    same "huge pages" "$(sysctl -n vm.nr_hugepages)" "$(host hugepages_total)"
fi
for file in enabled defrag; do
    path=/sys/kernel/mm/transparent_hugepage/$file
    [ ! -r "$path" ] || same "transparent huge pages, $file" "$(cat "$path")" "$(host "thp_$file")"
done

same_lines "tunables of the scheduler" "$(one_line /proc/sys/kernel/sched_*)" "$(entries sched_tunables)"
same_lines "mitigations" "$(one_line /sys/devices/system/cpu/vulnerabilities/*)" "$(entries mitigations)"
governors=$(for path in /sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor; do
    number=${path#*/cpu/cpu}
    [ ! -r "$path" ] || echo "${number%%/*} $(cat "$path")"
done | LC_ALL=C sort)
same_lines "governors" "$governors" "$(entries cpufreq_governor)"
for path in /sys/kernel/debug/sched/features /sys/kernel/debug/sched_features; do
    [ ! -r "$path" ] || same "features of the scheduler" "$(xargs <"$path")" "$(host sched_features)"
done

# The configuration: every option that the snapshot has is what a search through the whole text finds.
config=
if [ -r /proc/config.gz ]; then
    gzip -dc /proc/config.gz >config && config=config
elif [ -r "/boot/config-$(uname -r)" ]; then
    config=/boot/config-$(uname -r)
fi
if [ -n "$config" ]; then
    [ "$(host kernel_config)" -ge 20 ] || fail "the configuration has $(host kernel_config) options"
    entries kernel_config | while read -r option _; do
        found=$(sed -n "s/^CONFIG_$option=//p" "$config")
        echo "$option ${found:-n}"
    done >expected
    same_lines "options of the kernel" "$(cat expected)" "$(entries kernel_config)"
    for toggle in task_delayacct:TASK_DELAY_ACCT sched_schedstats:SCHEDSTATS; do
        file=/proc/sys/kernel/${toggle%:*}
        if [ -r "$file" ]; then
            state=$(grep "^$file:" toggles-before)
            if [ "$state" != "$(grep "^$file:" toggles-after)" ]; then
                echo "skipped: $file was switched meanwhile"
                continue
            fi
            [ "${state#*:}" = 1 ] && want=on || want=runtime_off
            same "${toggle%:*}" "$want" "$(host "${toggle%:*}")"
        elif ! grep -q "^CONFIG_${toggle#*:}=y" "$config"; then
            same "${toggle%:*}" config_off "$(host "${toggle%:*}")"
        fi
    done
fi

# Totals of pressure only grow, so ours are between those read before and after.
jq -r '.psi // {} | to_entries[] | .key as $resource | .value | to_entries[]
    | "\($resource) \(.key) \(.value.total_usec)"' a.json >ours
awk '
    FNR == 1 { file++ }
    { key = $1 " " $2 }
    file == 1 { low[key] = $3 }
    file == 2 { value[key] = $3; seen++ }
    file == 3 && key in low {
        if (!(key in value) || value[key] < low[key] || value[key] > $3) {
            print "pressure of " key ": " value[key] " is not from " low[key] " to " $3; bad = 1 }
        count++ }
    END { if (!bad && count != seen + 0) { print seen + 0 " lines of pressure, not " count + 0; bad = 1 }
        exit bad }' before ours after || fail "pressure"
checks=$((checks + 1))

[ -d /sys/kernel/sched_ext ] && want=object || want=null
same "sched_ext" "$want" "$(jq -r '.sched_ext | type' a.json)"
if [ -d /sys/kernel/sched_ext ]; then
    same "state of sched_ext" "$(cat /sys/kernel/sched_ext/state)" "$(jq -r .sched_ext.state a.json)"
fi

# Without the names and the command line there is no other difference.
"$CTPROF" capture -q --anonymous -o b.zst
same_lines "anonymous fields" "$(jq -r '.host | keys[] | select(IN("hostname", "kernel_cmdline", "users") | not)' a.json)" \
    "$(zstd -qdc b.zst | jq -r '.host | keys[]')"
echo "$checks checks passed"
