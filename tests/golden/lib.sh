# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Functions for the golden cases and the tests of bad input; sourced, with CTPROF (the binary), FIXTURES (tests/fixtures) and
# TREES (a directory, made when needed) set.

# steady_stderr COMMAND...: runs it; its line about what was written is without size and time, which differ from run to
# run and from machine to machine.
steady_stderr() {
    { "$@" 2>&1 >&3 3>&- | sed -E '/^ctprof: wrote /s/, [0-9.]+[KMG]?i?B in [0-9.]+[mµn]?s/, SIZE in TIME/' >&2; } 3>&1
}

# fixture NAME: prints where the whole of a fixture tree is, which is below TREES if it is stored as what differs from another.
fixture() {
    local tree=$FIXTURES/$1

    if [ -f "$tree/base" ]; then
        tree=$TREES/$1
        [ -d "$tree" ] || "$FIXTURES/tree.sh" "$1" "$tree"
    fi
    echo "$tree"
}

# capture_fixture NAME [OPTION...]: captures a fixture tree with all its roots.
capture_fixture() {
    local tree roots

    tree=$(fixture "$1")
    roots=(--proc-root "$tree/proc")
    shift
    [ ! -d "$tree/sys" ] || roots+=(--sys-root "$tree/sys")
    [ ! -d "$tree/cgroup" ] || roots+=(--cgroup-root "$tree/cgroup")
    steady_stderr "$CTPROF" capture "${roots[@]}" "$@"
}

# canonical [FILTER]: a snapshot on standard input as JSON, without what differs from run to run and from
# machine to machine; further through a jq filter.
canonical() {
    zstd -dc | jq -S "del(.captured_at_unix_ns, .captured_boottime_ns, .threads[].read_boottime_ns, .cost,
        .host.tool_version, .host.clock_ticks_per_second) | ${1:-.}"
}

# pack: JSON on standard input as a snapshot file would have it. For something small, most of the time would go
# into threads and buffers, which meson also has filled.
pack() {
    MALLOC_PERTURB_=0 zstd -q -1 --single-thread --check -c
}

# edit FILTER FILE: a snapshot changed by a jq filter, on standard output.
edit() {
    zstd -dc "$2" | jq -c "$1" | pack
}

# plain: JSON of show or compare with a line for each row, to the letter but for the tool's version.
plain() {
    sed -E 's/^\{"ctprof":"[^"]*",/{/; s/\},\{/},\n{/g; s/"rows":\[/&\n/'
}

# ktstr NAME: a stored snapshot of ktstr ctprof as that tool would have it. Their 64-bit numbers are not for jq.
ktstr() {
    pack <"$SNAPSHOTS/ktstr-$1.json"
}

# page COMMAND...: the page that it writes to standard output, without its styles, its script and their hashes.
page() {
    "$@" | sed -E "/^<style>/,/<\/style>/d; /<script>/,/<\/script>/d; s/'sha256-[^']*'/'HASH'/g"
}

# interval: the stored snapshots report-baseline and report-candidate as the files a.zst and b.zst. They are of one boot:
# compare has what happened in between.
interval() {
    pack <"$SNAPSHOTS/report-baseline.json" >a.zst
    pack <"$SNAPSHOTS/report-candidate.json" >b.zst
}

# apart FILE: a snapshot of another pid namespace, on standard output. compare makes no window of it and one of the same
# boot: it has the lives of both.
apart() {
    zstd -dc "$1" | sed 's/"pid_namespace":"[^"]*",*//; s/,}/}/' | pack
}

# reports: the same two, but with the second one of another pid namespace.
reports() {
    interval
    apart b.zst >b-apart.zst
    mv b-apart.zst b.zst
}

# windows: the stored snapshots window-baseline and window-candidate as the files a.zst and b.zst.
windows() {
    pack <"$SNAPSHOTS/window-baseline.json" >a.zst
    pack <"$SNAPSHOTS/window-candidate.json" >b.zst
}

# with_facts FILE TIMES: a window of TIMES half minutes with cgroups of both versions, pressure, and what the host's CPUs
# did, on standard output. /same uses as much in each second whatever the length; other things are the more, the longer.
with_facts() {
    edit "$2"' as $times | .window.length_ns as $length
        | .host += {user_clock_ticks: (2400 * $times), system_clock_ticks: (600 * $times), irq_clock_ticks: 0,
            idle_clock_ticks: (8400 * $times), iowait_clock_ticks: (300 * $times), softirq_clock_ticks: (60 * $times),
            steal_clock_ticks: (240 * $times), forks: (450 * $times * $times), uptime_ns: 100000000000}
        | .psi = {io: {some: {avg10: 125, avg60: 100, avg300: 75, total_usec: (600000 * $times * $times)}}}
        | .cgroup_stats = {
            "/app": {cpu: {usage_usec: (9000000 * $times * $times), nr_throttled: (15 * $times)},
                memory: {current: (1048576 * $times), stat: {anon: (524288 * $times), pgfault: (30000 * $times * $times)}},
                io: {stat: {"8:0": {rbytes: (8192 * $times * $times)}}}},
            "/same": {cpu: {usage_usec: ($length / 10000)}, memory: {current: 4096}}}
        | .cgroup_v1_stats = {"/old": {cpuacct: {usage_ns: (45000000000 * $times * $times)}}}' "$1"
}

# fact_windows: the windows a.zst and b.zst, and c.zst and d.zst, which are these with more in them.
fact_windows() {
    windows
    with_facts a.zst 1 >c.zst
    with_facts b.zst 2 >d.zst
}

# with_jemalloc FILE MIB: redis has jemalloc, and its leader has allocated MIB more than a thread of it has freed; one of
# its threads was left alone. No other process has jemalloc. On standard output.
with_jemalloc() {
    edit "$2"' as $mib
        | (.threads[] | select(.tid == 330)) += {allocated_bytes: (104857600 + $mib * 1048576), deallocated_bytes: 0}
        | (.threads[] | select(.tid == 331)) += {allocated_bytes: 4096, deallocated_bytes: 52428800}
        | (.threads[] | select(.tid == 332)).missing.jemalloc = "skipped"
        | .sources.jemalloc = {rule: "read", read: 2, skipped: 1}
        | .probe_summary = {tgids_walked: 17, jemalloc_detected: 2, probed_ok: 1, failed: 1,
            dominant_failure: "dwarf-parse-failure", privilege_dominant: false,
            processes: {ok: 1, "jemalloc-not-found": 12, "readlink-failure": 3, "dwarf-parse-failure": 1},
            threads: {ok: 2, stopped: 1, "dwarf-parse-failure": 1}}' "$1"
}

# experiment DIR: six blocks of ABBA or BAAB in a directory, as ctprof ab leaves them: in arm B one group runs a tenth longer.
# Three windows of each arm, which differ by 1 %, stand for all units.
experiment() {
    local arm noise

    mkdir "$1"
    for arm in A B; do
        for noise in 0.99 1 1.01; do
            jq -c --arg arm "$arm" --argjson noise "$noise" '.labels = {arm: $arm}
                | .settings = {values: {"vm.swappiness": "60", "kernel.other": (if $arm == "A" then "1" else "2" end)},
                    before: {}, denied: [], left_out: 0}
                | (.threads[] | select(.pcomm == "busy") | .run_time_ns)
                    |= (. * $noise * (if $arm == "A" then 1 else 1.1 end) | floor)
                | (.threads[] | select(.pcomm == "steady") | .run_time_ns) |= (. * $noise | floor)' \
                "$SNAPSHOTS/window-baseline.json" | pack >"$1/$arm-$noise.zst"
        done
    done
    jq -n '["ABBA", "BAAB", "BAAB", "ABBA", "ABBA", "BAAB"] as $coins | ["0.99", "1", "1.01", "1", "0.99", "1.01", "1"] as $noise
        | {ctprof_experiment: 1, name: "swap", state: "complete", order: "abba", seed: 7, settle_ns: 10000000000,
            plan: {blocks: 6, margin: 0.02, min_effect: 0.01, primary: ["run_time_ns@pcomm:busy"],
                control: ["run_time_ns@pcomm:steady"], guard: ["steal<2%"]},
            arms: [{name: "A", lines: ["sysctl vm.swappiness = 60"]}, {name: "B", lines: ["sysctl vm.swappiness = 10"]}],
            sessions: [{session: 1, boot_id: "boot", host: "host", start: 1}],
            units: [range(24) | {file: "\($coins[. / 4 | floor][. % 4:. % 4 + 1])-\($noise[. % 7]).zst",
                arm: $coins[. / 4 | floor][. % 4:. % 4 + 1], block: (1 + (. / 4 | floor)), position: (. % 4), session: 1,
                state: "done", start: ., length_ns: 30000000000, outcomes: {wall_time_ns: (30000000000 + . % 5)}}]}' \
        >"$1/experiment.json"
}

# burners SECONDS: a lifetime snapshot, SECONDS after another one of the same boot, of processes on standard input: on each line
# pid, working directory, executable, and the clock ticks of 10 ms in user and kernel mode. On standard output.
burners() {
    jq -Rnc --argjson after "$1" '{format: "ctprof", version: 1, kind: "lifetime",
        captured_at_unix_ns: (1767225600000000000 + $after * 1000000000),
        captured_boottime_ns: (1000000000000 + $after * 1000000000),
        host: {clock_ticks_per_second: 100, online_cpus: 4, boot_id: "00000000-1111-4222-8333-444444444444",
            pid_namespace: "pid:[4026531836]"},
        threads: [inputs | split(" ") | {tid: (.[0] | tonumber), tgid: (.[0] | tonumber), pcomm: "burner", comm: "burner",
            cwd: .[1], exe: .[2], start_time_clock_ticks: 5000,
            read_boottime_ns: (1000000000000 + $after * 1000000000),
            utime_clock_ticks: (.[3] | tonumber), stime_clock_ticks: (.[4] | tonumber)}]}' | pack
}

# recording DIR: a recording of windows of ten seconds: three, a gap of 30 s and two in the first hour of 2026 (UTC), and
# in the second hour two, after a boot. Nobody waits in the first window, and in each of the others longer.
recording() {
    local begin file boot wait labels

    mkdir -p "$1"
    while read -r file begin boot wait labels; do
        jq -cn --argjson begin "$begin" --arg boot "$boot" --argjson wait "$wait" --argjson labels "$labels" '
            (1767225600 + $begin) as $unix | {format: "ctprof", version: 1, kind: "window",
            captured_at_unix_ns: (($unix + 10) * 1000000000), captured_boottime_ns: ((1000 + $begin + 10) * 1000000000),
            labels: $labels, window: {exits: "recorded", begin_unix_ns: ($unix * 1000000000),
                begin_boottime_ns: ((1000 + $begin) * 1000000000), length_ns: 10000000000, threads_continued: 1},
            host: {hostname: "node-1", boot_id: $boot, pid_namespace: "pid:[4026531836]", clock_ticks_per_second: 100,
                online_cpus: 4, user_clock_ticks: 300, system_clock_ticks: 100, idle_clock_ticks: 3600,
                stat_interval_ns: 10000000000, pressure_interval_ns: 10000000000},
            threads: [{tid: 100, tgid: 100, pcomm: "steady", comm: "steady", start_time_clock_ticks: 500,
                window_part: "continued", interval_ns: 10000000000, policy: "SCHED_OTHER", nice: 0, state: "S",
                run_time_ns: 4000000000, wait_time_ns: ($wait * 1000000000), timeslices: 100, voluntary_csw: 50,
                read_bytes: 1048576, write_bytes: 2097152, utime_clock_ticks: 300, stime_clock_ticks: 100}],
            psi: {cpu: {some: {avg10: 0, avg60: 0, avg300: 0, total_usec: ($wait * 500000)}},
                memory: {some: {avg10: 0, avg60: 0, avg300: 0, total_usec: 0},
                    full: {avg10: 0, avg60: 0, avg300: 0, total_usec: 0}},
                io: {some: {avg10: 0, avg60: 0, avg300: 0, total_usec: 400000},
                    full: {avg10: 0, avg60: 0, avg300: 0, total_usec: 100000}}},
            cost: {user_cpu_ns: 2000000, system_cpu_ns: 1000000},
            parse_summary: {processes_walked: 1, threads_walked: 1},
            sources: {stat: {rule: "read", read: 1}, schedstat: {rule: "read", read: 1}, io: {rule: "read", read: 1}}}' |
            pack >>"$1/$file.ctprof.zst"
    done <<'WINDOWS'
20260101T000000Z 0 one 0 {}
20260101T000000Z 10 one 1 {}
20260101T000000Z 20 one 2 {}
20260101T000000Z 60 one 3 {}
20260101T000000Z 70 one 4 {}
20260101T010000Z 3600 two 5 {}
20260101T010000Z 3610 two 6 {}
WINDOWS
}
