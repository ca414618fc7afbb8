#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# values-facts.sh CTPROF: what show and compare say of cgroups, pressure, memory maps and sched_ext is what jq makes
# of the same snapshots, CSV has what JSON has, and so have the tables.
set -euo pipefail

if ! command -v jq >/dev/null || ! command -v zstd >/dev/null; then
    echo "skipped: no jq or no zstd"
    exit 77
fi
CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
baseline=$here/snapshots/v1-facts-baseline.ctprof.zst
candidate=$here/snapshots/v1-facts-candidate.ctprof.zst
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
zstd -dc "$baseline" >baseline.json
zstd -dc "$candidate" >candidate.json
sections=cgroup-stats,cgroup-limits,memory-stat,memory-events,pressure,host-pressure,smaps-rollup,sched-ext

# {"section group metric": value} of a snapshot; a limit that is none is "max".
# shellcheck disable=SC2016
definitions='
def entry($section; $group; $metric; $value): {key: "\($section) \($group) \($metric)", value: $value};
def known($section; $group; $metric; $object; $key): if $object != null and ($object | has($key)) then
    entry($section; $group; $metric; $object[$key] // "max") else empty end;
def psi($section; $group): to_entries[] | .key as $resource | .value | to_entries[] | .key as $row | .value
    | to_entries[] | entry($section; $group; "\($resource)_\($row)_\(.key | sub("_usec"; ""))"; .value);
def version2: .key as $g | .value
    | known("cgroup-stats"; $g; "cpu_usage_usec"; .cpu; "usage_usec"),
      known("cgroup-stats"; $g; "cpu_user_usec"; .cpu; "user_usec"),
      known("cgroup-stats"; $g; "cpu_system_usec"; .cpu; "system_usec"),
      (("nr_periods", "nr_throttled", "throttled_usec") as $k | known("cgroup-stats"; $g; $k; .cpu; $k)),
      (("current", "peak", "swap_current") as $k | known("cgroup-stats"; $g; "memory_\($k)"; .memory; $k)),
      known("cgroup-stats"; $g; "pids_peak"; .pids; "peak"),
      (("max_quota_us", "max_period_us", "weight", "weight_nice") as $k
        | known("cgroup-limits"; $g; "cpu_\($k)"; .cpu; $k)),
      (("max", "high", "low", "min", "swap_max") as $k | known("cgroup-limits"; $g; "memory_\($k)"; .memory; $k)),
      (("current", "max") as $k | known("cgroup-limits"; $g; "pids_\($k)"; .pids; $k)),
      known("cgroup-limits"; $g; "cpuset_cpus_effective"; .cpuset; "cpus_effective"),
      (("stat", "events") as $list | .memory[$list] // {} | to_entries[]
        | entry("memory-\($list)"; $g; .key; .value)),
      ((.io.stat // empty) as $devices | ("rbytes", "wbytes", "rios", "wios", "dbytes", "dios") as $k
        | entry("cgroup-stats"; $g; "io_\($k)"; [$devices[][$k]] | add // 0)),
      (.psi // {} | psi("pressure"; $g));
# A cgroup and those above it, and the smallest limit on the way.
def way: if . == "/" then . else ., ((sub("/[^/]*$"; "") | if . == "" then "/" else . end) | way) end;
# One above a cgroup with the value has it too, or was not read: then "max" is not known.
def bound($all; $g; $metric; $by; value): [$g | way | {by: ., values: [$all[.] | select(. != null) | value]}]
    | (map(select(.by != "/") | .values != []) | .[index(true) // length:] | any(not)) as $hidden
    | map(select(.values != []) | {by, value: .values[0]})
    | (map(select(.value != null)) | min_by(.value)) as $least
    | if . == [] or ($least == null and $hidden) then empty
      else entry("cgroup-limits"; $g; $metric; $least.value // "max"),
          (if $least then entry("cgroup-limits"; $g; $by; $least.by) else empty end) end;
def of($object; $key): .[$object] | select(. != null) | select(has($key)) | .[$key];
def bounds: . as $all | keys[] | . as $g
    | bound($all; $g; "cpu_limit_percent"; "cpu_limit_by"; .cpu | select(. != null) | select(has("max_quota_us"))
        | if .max_quota_us then 100 * .max_quota_us / .max_period_us else null end),
      bound($all; $g; "memory_limit"; "memory_limit_by"; of("memory"; "max")),
      bound($all; $g; "memory_high_limit"; "memory_high_limit_by"; of("memory"; "high")),
      bound($all; $g; "pids_limit"; "pids_limit_by"; of("pids"; "max"));
def version1: "v1:\(.key)" as $g | .value
    | known("cgroup-stats"; $g; "cpuacct_usage_ns"; .cpuacct; "usage_ns"),
      (("user_clock_ticks", "system_clock_ticks") as $k | known("cgroup-stats"; $g; "cpuacct_\($k)"; .cpuacct; $k)),
      (("nr_periods", "nr_throttled", "throttled_ns") as $k | known("cgroup-stats"; $g; "cpu_v1_\($k)"; .cpu; $k)),
      known("cgroup-stats"; $g; "memory_v1_usage"; .memory; "usage_bytes"),
      (("current", "max") as $k | known("cgroup-limits"; $g; "pids_v1_\($k)"; .pids; $k)),
      # Nothing is above the only one.
      known("cgroup-limits"; $g; "pids_limit"; .pids; "max");
def smaps: [.threads[] | select(.smaps_rollup_kib)] | group_by(.tgid)[] | .[0] | "\(.pcomm)[\(.tgid)]" as $g
    | .smaps_rollup_kib | to_entries[] | entry("smaps-rollup"; $g; .key; .value * 1024);
def facts: [(.cgroup_stats | to_entries[] | version2), (.cgroup_v1_stats | to_entries[] | version1),
    (.cgroup_stats | bounds), (.psi | psi("host-pressure"; "host")), smaps,
    (.sched_ext | to_entries[] | entry("sched-ext"; "host"; .key; .value))] | from_entries;
def tsv: map(if . == null then "-" else tostring end) | join("\t");
'

rows=0
check() {
    sort -o expected expected
    sort -o actual actual
    if [ ! -s expected ] || ! cmp -s expected actual; then
        echo "$1: what is expected (-), what ctprof says (+):"
        diff -u0 expected actual | head -n 40
        exit 1
    fi
    rows=$((rows + $(wc -l <expected)))
}

options=(--group-by cgroup --no-thread-normalize --sections "$sections")
jq -r "$definitions"'facts | to_entries[] | [.key, .value, null, null, true] | tsv' baseline.json >expected
"$CTPROF" show --format json "${options[@]}" "$baseline" |
    jq -r "$definitions"'.rows[] | ["\(.section) \(.group) \(.metric)", .value, .type, .coverage, .seen] | tsv' >actual
check "show"

# All rows, then those that changed; what one side lacks has no delta.
for unchanged in --unchanged ""; do
    # shellcheck disable=SC2016
    jq -rn --slurpfile a baseline.json --slurpfile b candidate.json --arg unchanged "$unchanged" "$definitions"'
        ($a[0] | facts) as $old | ($b[0] | facts) as $new | ($old + $new | keys[])
        | $old[.] as $x | $new[.] as $y | select($unchanged != "" or $x != $y)
        | (if ($x | type) == "number" and ($y | type) == "number" then $y - $x
            elif [$x, $y] | all(type == "string" and . != "max") then if $x == $y then "same" else "differs" end
            else null end) as $delta
        | [., $x, $y, $delta, null, (. as $row | $old, $new | has($row))] | tsv' >expected
    # shellcheck disable=SC2086 # It is one word or none.
    "$CTPROF" compare --format json $unchanged "${options[@]}" "$baseline" "$candidate" >compare.json
    jq -r "$definitions"'.rows[] | ["\(.section) \(.group) \(.metric)", .baseline, .candidate, .delta, .type,
        .seen_baseline, .seen_candidate] | tsv' compare.json >actual
    check "compare $unchanged"
    # shellcheck disable=SC2086
    "$CTPROF" compare --format csv $unchanged "${options[@]}" "$baseline" "$candidate" 2>/dev/null |
        tr -d '"' | tr '\t' ' ' >actual
    # The percentage's last digits are the printer's.
    percent=$(head -n 1 actual | tr ',' '\n' | grep -nx percent | cut -d : -f 1)
    cut -d , -f "$percent" --complement actual >fields
    mv fields actual
    jq -r '(.rows[0] | keys_unsorted), (.rows[] | [.[]]) | del(.['"$((percent - 1))"'])
        | map(if . == null then "" else tostring end) | join(",")' compare.json | sed 's/"//g' >expected
    check "CSV of compare $unchanged"
done

# A table with one line for a row has the lines of the machine formats, as far as they are not scaled.
jq -r '.rows[] | select(.section == "memory-events") | [.group, .metric, .baseline // "-", .candidate // "-"] | join(" ")' \
    compare.json >expected
"$CTPROF" compare --limit 0 --group-by cgroup --sections memory-events "$baseline" "$candidate" |
    sed '1,/^cgroup /d' | awk '{ print $1, $2, $3, $4 }' >actual
check "the table of memory-events"
for section in memory-stat smaps-rollup sched-ext; do
    "$CTPROF" compare --limit 0 "${options[@]:0:3}" --sections "$section" "$baseline" "$candidate" |
        sed '1,/^## /d' | tail -n +2 | wc -l >actual
    jq --arg section "$section" '[.rows[] | select(.section == $section)] | length' compare.json >expected
    # The table of sched_ext has all attributes where one changed.
    [ "$section" != sched-ext ] || jq '.sched_ext | length' candidate.json >expected
    check "the lines of $section"
done
echo "$rows rows agree"
