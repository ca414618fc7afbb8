#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make.sh CTPROF DIR: makes snapshots like those stored here from the fixture trees, with every time fixed and
# with values for the metrics that no fixture tree has. Stored files are never replaced, see README.md; this
# makes those of a next version of the format.
set -euo pipefail

if [ $# -ne 2 ]; then
    echo "usage: make.sh CTPROF DIR" >&2
    exit 2
fi
export CTPROF=$1
dir=$2
here=$(cd "$(dirname "$0")" && pwd)
TREES=$(mktemp -d)
export TREES FIXTURES=$here/../../fixtures
trap 'rm -rf "$TREES"' EXIT
# shellcheck source=/dev/null
source "$here/../lib.sh"

# Times and the machine as they shall be; all threads of the host, so that exited
# ones are accounted.
# shellcheck disable=SC2016
fixed='.captured_at_unix_ns = 1767225600000000000 + $later * 5000000000
    | .captured_boottime_ns = 20000000000 + $later * 5000000000
    | .host += {tool_version: "0.1.0", arch: "x86_64", clock_ticks_per_second: 100,
        uptime_ns: (20000000000 + $later * 5000000000), pid_namespace: "pid:[4026531836]",
        total_threads: (.threads | length)}
    | .threads |= [range(length) as $i | .[$i] | .read_boottime_ns = 20000100000 + $later * 5000000000 + $i * 1000]'

# Numbers for sources that procfs does not have: small, different in every thread, rising with time.
# shellcheck disable=SC2016
made_up='def rising($n): (.tid * $n + $later * .tid * 3) % 100000;
    .threads |= map(
        .cpu_affinity = (if .comm == "webpool-3" then [0] else [0, 1] end)
        | .allocated_bytes = rising(4096) * 64 | .deallocated_bytes = rising(4096) * 32
        | reduce (["cpu", "blkio", "swapin", "freepages", "thrashing", "compact", "wpcopy", "irq"]
            | to_entries[]) as $x (.;
            .[$x.value + "_delay_count"] = rising(7 + $x.key) % 1000
            | .[$x.value + "_delay_total_ns"] = rising(7919 + $x.key) * 1000
            | .[$x.value + "_delay_max_ns"] = rising(31 + $x.key) * 100
            | .[$x.value + "_delay_min_ns"] = ((.tid + $x.key) % 5) * 100)
        | .hiwater_rss_bytes = .tgid * 1048576 | .hiwater_vm_bytes = .tgid * 4194304)
    | .sources.taskstats = {rule: "read", read: (.threads | length)}
    | .sources.jemalloc = {rule: "read", read: (.threads | length)}
    | .sources.affinity = {rule: "read", read: (.threads | length)}'

# Cases that two quiet trees do not have: a thread that took the place of another one, names
# that are on one side only, values that some or all threads of a group lack, counters born between the two.
baseline='.threads |= map(select(.comm != "ticker-sleep")
    | if .comm == "webpool-1" then del(.rchar, .wchar, .syscr, .syscw, .read_bytes, .write_bytes,
        .cancelled_write_bytes) | .missing = {io: "denied"} else . end
    | if .pcomm == "crunch" then del(.allocated_bytes, .deallocated_bytes) | .missing = {jemalloc: "off"}
        else . end)'
candidate='.threads |= map(select(.pcomm != "logd" or .comm == "logd")
    | if .comm == "webpool-2" then .tid = 900 | .start_time_clock_ticks += 900 | .voluntary_csw = 1
        | .run_time_ns = 1000 | .timeslices = 1 else . end
    | if .comm == "ksoftirqd/0" then .wait_max = "malformed" | del(.wait_max)
        | .missing = {wait_max: "malformed"} else . end)
    | .threads += [.threads[] | select(.comm == "webpool-3") | .tid = 901 | .comm = "webpool-4"]
    | .threads += [.threads[] | select(.pcomm == "init") | .tid = 950 | .tgid = 950 | .pcomm = "newcomer"
        | .comm = "newcomer" | .cgroup = "/system.slice/new.service"]'

snapshot() {
    local name=$1 fixture=$2 later=$3 filter=$4

    capture_fixture "$fixture" -q -o - | zstd -dc |
        jq -c --argjson later "$later" "$filter | $fixed" |
        zstd -q --check -19 -f -o "$dir/$name"
}

snapshot v1-baseline.ctprof.zst 6.12-schedstats 0 "$made_up | $baseline"
snapshot v1-candidate.ctprof.zst 6.12-schedstats-later 1 "$made_up | $candidate"
snapshot v1-hostile.ctprof.zst hostile-names 0 .
snapshot v1-no-schedstats.ctprof.zst 6.18-no-schedstats 0 .
