#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make-facts.sh DIR: makes the snapshots v1-facts-* from v1-baseline, v1-candidate and v1-hostile: the same threads,
# and beside them what a version 1 file can hold of cgroups, pressure, memory maps, sched_ext, the host and the
# capture's cost. Stored files are never replaced, see README.md.
set -euo pipefail

if [ $# -ne 1 ]; then
    echo "usage: make-facts.sh DIR" >&2
    exit 2
fi
dir=$1
here=$(cd "$(dirname "$0")" && pwd)

# $later is 0 or 1.
# shellcheck disable=SC2016
facts='def line($x; $total): {avg10: $x, avg60: ($x + 1), avg300: ($x + 2), total_usec: $total};
    def psi($n): {
        cpu: {some: line($n; $n * 1000), full: line(0; 0)},
        memory: {some: line(0; 0), full: line(0; 0)},
        io: {some: line($n * 2; $n * 3000), full: line($n; $n * 2000)},
        irq: {full: line(0; $later * 7)}};
    def service($n): {
        cpu: {usage_usec: ($n * 1000000 + $later * $n * 1500), user_usec: ($n * 700000 + $later * 900),
            system_usec: ($n * 300000 + $later * 600), nr_periods: ($n * 10 + $later * 5),
            nr_throttled: ($n + $later * 2), throttled_usec: ($n * 100 + $later * 2500),
            max_quota_us: (if $n == 1 then 50000 + $later * 50000 else null end), max_period_us: 100000,
            weight: 100, weight_nice: 0},
        memory: {current: ($n * 10485760 + $later * 4096), peak: ($n * 20971520), swap_current: 0,
            max: (if $n == 2 and $later == 0 then 134217728 else null end), high: null, low: 0, min: 0,
            swap_max: null,
            stat: {anon: ($n * 8388608 + $later * 2048), file: ($n * 1048576), kernel: 65536,
                workingset_refault_file: ($later * 3), pgfault: ($n * 5000 + $later * 250), pgmajfault: $n,
                of_a_later_kernel: ($n + $later)},
            events: {low: 0, high: ($later * 4), max: 0, oom: 0, oom_kill: 0, oom_group_kill: 0}},
        pids: {current: ($n + $later), max: (if $n == 1 then 512 else null end), peak: ($n + 5)},
        cpuset: {cpus_effective: (if $later == 1 and $n == 2 then "0" else "0-1" end)},
        io: {stat: (if $n == 1 then {} else
            {"8:0": {rbytes: ($n * 4096 + $later * 8192), wbytes: 0, rios: ($n + $later), wios: 0, dbytes: 0, dios: 0},
             "253:1": {rbytes: 512, wbytes: ($later * 1024), rios: 1, wios: $later, dbytes: 0, dios: 0}} end)},
        psi: psi($n * 10 + $later * 5)};
    .cgroup_stats = {"/": {cpu: {usage_usec: (90000000 + $later * 100000)}, psi: psi(40 + $later)},
        "/system.slice/web.service": service(1), "/system.slice/db.service": service(2),
        "/user.slice": service(3)}
    | if $later == 0 then .cgroup_stats["/gone.slice"] = service(4)
      else .cgroup_stats["/system.slice/new.service"] = service(5) end
    | .cgroup_v1_stats = {"/": {cpuacct: {usage_ns: (512000000000 + $later * 1000000), user_clock_ticks: 300,
            system_clock_ticks: 20}, cpu: {nr_periods: 0, nr_throttled: 0, throttled_ns: 0}},
        "/legacy": {memory: {usage_bytes: (1048576 + $later * 65536)}, pids: {current: 3, max: null}}}
    | .psi = psi(100 + $later * 20)
    | .sched_ext = {state: (if $later == 1 then "enabled" else "disabled" end), switch_all: $later,
        nr_rejected: 0, hotplug_seq: 2, enable_seq: (4 + $later)}
    | .threads |= map(if .tid == .tgid then .smaps_rollup_kib = {Rss: (.tgid * 10 + $later * (.tgid % 3) * 4),
        Pss: (.tgid * 4 + $later * (.tgid % 2)), Shared_Clean: (.tgid * 2), Private_Dirty: .tgid, Swap: 0} else . end)
    | .host += {cpu_model: "Example CPU", cpu_vendor: "Example", online_cpus: (2 + $later * 2), numa_nodes: 1,
        total_memory_kib: 2097152, thp_enabled: "always [madvise] never", cgroup_mode: "v2",
        task_delayacct: (if $later == 1 then "on" else "runtime_off" end), sched_schedstats: "on",
        kernel_cmdline: ("BOOT_IMAGE=/boot/vmlinuz-6.12.107 root=/dev/vda1 ro quiet"
            + if $later == 1 then " mitigations=off" else " nosmt" end),
        sched_tunables: {sched_rt_period_us: "1000000", sched_rt_runtime_us: (if $later == 1 then "-1" else "950000" end)},
        mitigations: {meltdown: "Not affected"}}
    | .sources.smaps_rollup = {rule: "read", read: 7, denied: 1}
    | .sources.io = {rule: "read", read: 14, denied: 2}
    | .sources.jemalloc = {rule: "skipped"}
    | .sources.taskstats = (if $later == 1 then {rule: "denied", denied: 16} else {rule: "read", read: 15, gone: 1} end)
    | .parse_summary += {cgroups: 6, cgroups_gone: 1, cgroups_denied: 0, cgroups_outside: 0}
    | .cost = {wall_ns: (20000000 + $later), user_cpu_ns: 7000000, system_cpu_ns: 12000000, read_calls: 1666,
        write_calls: 3, walk_spread_ns: 15000000, json_bytes: 119192, peak_rss_bytes: 4628480}'

# Names that somebody else chose, in every place that has some.
# shellcheck disable=SC2016
hostile='("\u001b[31m\n\u0085\u202e\\," + "\"x") as $evil
    | .cgroup_stats = {("/" + $evil): {cpu: {usage_usec: 5, weight: 100}, cpuset: {cpus_effective: $evil},
        memory: {stat: {("key" + $evil): (3 + $later)}, events: {("event" + $evil): (1 + $later)}},
        io: {stat: {("8:0" + $evil): {rbytes: (1 + $later), ("k" + $evil): 9}}},
        psi: {io: {some: {avg10: 1, avg60: 1, avg300: 1, total_usec: (5 + $later)}}}}}
    | .cgroup_v1_stats = {("/" + $evil): {memory: {usage_bytes: (1 + $later)}}}
    | .sched_ext = {state: ($evil + if $later == 1 then "2" else "" end)}
    | .threads |= map(if .tid == .tgid then .smaps_rollup_kib = {Rss: (5 + $later), ("Key" + $evil): (7 + $later)} else . end)
    | .host += {kernel_release: ($evil + if $later == 1 then "2" else "" end), sched_tunables: {("sched_" + $evil): "\($later)\u001b"},
        kernel_cmdline: ("root=/dev/vda1 and many other words, so that it is long " + if $later == 1 then $evil else "" end)}
    | .captured_boottime_ns += $later * 1000000000'

snapshot() {
    zstd -dc "$here/$2.ctprof.zst" | jq -c --argjson later "$3" "$4" | zstd -q --check -19 -f -o "$dir/$1.ctprof.zst"
}

snapshot v1-facts-baseline v1-baseline 0 "$facts"
snapshot v1-facts-candidate v1-candidate 1 "$facts"
snapshot v1-facts-hostile v1-hostile 0 "$hostile"
snapshot v1-facts-hostile-later v1-hostile 1 "$hostile"
