#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# values.sh CTPROF: what show and compare say is what jq makes of the same threads, metric by metric: another
# program, written from the definitions of the rules and the formulas alone.
set -euo pipefail

if ! command -v jq >/dev/null || ! command -v zstd >/dev/null; then
    echo "skipped: no jq or no zstd"
    exit 77
fi
CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
export CTPROF FIXTURES=$here/../fixtures
# shellcheck source=/dev/null
source "$here/lib.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TREES=$scratch/trees
cd "$scratch"
# Values that depend on times have tests of their own.
"$CTPROF" metric-list --format json |
    jq '(.metrics, .derived) |= map(select(.section != "cpu" and .section != "state"))' >registry.json

# shellcheck disable=SC2016
definitions='
def cpus: sort | . as $all
    | [range(length) | select(. == 0 or $all[. - 1] != $all[.] - 1) | $all[.]] as $starts
    | [range(length) | select(. == length - 1 or $all[. + 1] != $all[.] + 1) | $all[.]] as $ends
    | [range($starts | length) | if $starts[.] == $ends[.] then "\($starts[.])" else "\($starts[.])-\($ends[.])" end]
    | join(",");
def fold($rule):
    if length == 0 then null
    elif $rule == "sum" then add
    elif $rule == "max" then max
    elif $rule == "min" then min
    elif $rule == "range" then if min == max then min else "\(min)..\(max)" end
    elif $rule == "mode" then group_by(.) | map([-length, (.[0] | tostring)]) | min | .[1]
    elif $rule == "affinity" then map(sort) | if unique | length == 1 then .[0] | cpus
        else map(length) | "mixed:\(min)..\(max)" end
    else error("no rule \($rule)") end;
def quotient($a; $b): if $a == null or $b == null or $b <= 0 then null else $a / $b end;
def derived($id):
    if $id == "affine_success_ratio" then quotient(.nr_wakeups_affine; .nr_wakeups_affine_attempts)
    elif $id == "avg_wait_ns" then quotient(.wait_sum; .wait_count)
    elif $id == "cpu_efficiency" then if .run_time_ns == null or .wait_time_ns == null then null
        else quotient(.run_time_ns; .run_time_ns + .wait_time_ns) end
    elif $id == "avg_slice_ns" then quotient(.run_time_ns; .timeslices)
    elif $id == "involuntary_csw_ratio" then if .voluntary_csw == null or .nonvoluntary_csw == null then null
        else quotient(.nonvoluntary_csw; .nonvoluntary_csw + .voluntary_csw) end
    elif $id == "disk_io_fraction" then quotient(.read_bytes; .rchar)
    elif $id == "live_heap_estimate" then if .allocated_bytes == null or .deallocated_bytes == null then null
        else .allocated_bytes - .deallocated_bytes end
    elif $id == "mem_percent" then if .rss_bytes == null or .memory_kib == null then null
        else quotient(100 * .rss_bytes; 1024 * .memory_kib) end
    elif $id == "avg_iowait_ns" then quotient(.iowait_sum; .iowait_count)
    elif $id == "total_offcpu_delay_ns" then
        [.cpu_delay_total_ns, .blkio_delay_total_ns, .freepages_delay_total_ns, .compact_delay_total_ns,
            .wpcopy_delay_total_ns, .irq_delay_total_ns] as $parts
        | if all($parts[], .swapin_delay_total_ns, .thrashing_delay_total_ns; . == null) then null
            else ($parts | add) + ([.swapin_delay_total_ns, .thrashing_delay_total_ns] | max) end
    else ($id | capture("^avg_(?<x>[a-z]+)_delay_ns$").x) as $x
        | quotient(.[$x + "_delay_total_ns"]; .[$x + "_delay_count"]) end;
# The delays that some threads of a group have and others lack, or all lack: their sum is without them.
def lacking: .coverage as $c | [$c | to_entries[] | select(.key | endswith("_delay_total_ns"))] as $parts
    | ($parts | map(.value) | max) as $most | [$parts[] | select(.value < $most) | .key] | sort;
# The counters of the exited threads of each process: its totals less the sums over its threads, where all have the metric.
# CPU time is split into user and system time anew for the whole, so only both together are taken.
def exited: [.threads | group_by(.tgid)[] | . as $threads | ([.[] | select(.process_totals)][0] | select(.)) as $first
    | def sum($m): [$threads[] | .[$m]] | add;
    ($first.process_totals | with_entries(select(.key as $m | all($threads[]; .[$m] != null)))
        | with_entries(.key as $m | .value |= ([. - sum($m), 0] | max))) as $raw
    | ([$first.process_totals.utime_clock_ticks + $first.process_totals.stime_clock_ticks
        - sum("utime_clock_ticks") - sum("stime_clock_ticks"), 0] | max) as $cpu
    | ([$raw.utime_clock_ticks, $cpu] | min) as $user
    | {pcomm: $first.pcomm, cgroup: ($first.cgroup // "(no cgroup)"), comm: "\($first.pcomm) (exited threads)",
        threads: ($threads | length),
        did: ($raw + {utime_clock_ticks: $user, stime_clock_ticks: ([$raw.stime_clock_ticks, $cpu - $user] | min)}
            | with_entries(select(.value > 0)))}
    | select(.did != {})];
# {group: {metric: value}} of a snapshot. A floor of 0 says that there was no event yet. Exited threads are in the groups
# of their process; by comm they have one of their own, unless they are only ticks that were rounded off.
def aggregate($key; $registry):
    ([exited[] | . as $process
        | select($key != "comm" or any(.did | to_entries[]; .value > if .key | endswith("_ticks") then $process.threads else 0 end))])
        as $gone
    | .host.total_memory_kib as $memory_kib
    | ([.threads[] | .[$key] //= "(no cgroup)"] | group_by(.[$key]))
        + (if $key == "comm" then [$gone | group_by(.comm)[] | [{comm: .[0].comm, gone: true}]] else [] end)
    | map({key: .[0][$key], value: (. as $threads
        | ([$gone[] | select(.[$key] == $threads[0][$key]) | .did]) as $did
        | reduce $registry.metrics[] as $m ({};
            ([$threads[] | if $m.name == "thread_count" and .gone == null then 1 else .[$m.name] end
                | select(. != null and ($m.rule != "min" or . > 0))]) as $seen
            | ([$did[] | .[$m.name] | select(.)]) as $more
            | if $threads[0].gone
                then .[$m.name] = ($more | add) | .coverage[$m.name] = (if $more == [] then 0 else 1 end)
                else .[$m.name] = (if $seen == [] then null elif $more == [] then $seen | fold($m.rule)
                    else ($seen + $more | add) end)
                    | .coverage[$m.name] = ($seen | length)
                    | .own[$m.name] = (if $m.rule == "sum" and $m.name != "thread_count" then $seen | add else null end) end)
        | . as $cells
        | reduce $registry.derived[] as $d (.; .[$d.name] = ($cells + {memory_kib: $memory_kib} | derived($d.name)))
        | .threads = ([$threads[] | select(.gone | not)] | length))})
    | from_entries;
# {group: the threads in it}
def members($key): [.threads[] | .[$key] //= "(no cgroup)"] | group_by(.[$key])
    | map({key: .[0][$key], value: map([.tgid, .tid, .start_time_clock_ticks]) | sort}) | from_entries;
# The rows of a snapshot of ktstr ctprof as ours would have them: without what is 0 because it was not read.
def drop($pattern): with_entries(select(.key | test("^(" + $pattern + ")$") | not));
def drop_unread($pattern): with_entries(select((.key | test("^(" + $pattern + ")$") | not)
    or (.value | type == "number" and . != 0)));
def families: [
    "run_time_ns|wait_time_ns|timeslices",
    "nr_wakeups.*|nr_f.*_migrations.*|nr_failed_.*|wait_(sum|count|max)|voluntary_sleep_ns|(sleep|exec|slice)_max|block_(sum|max)|iowait_.*",
    "core_forceidle_sum", "nr_migrations", "fair_slice_ns", "(allocated|deallocated)_bytes",
    "[rw]char|sysc[rw]|(read|write|cancelled_write)_bytes", "wpcopy_delay_.*", "irq_delay_.*", ".*_delay_(max|min)_ns"];
def measured_families: ["cpu_delay_.*", "(blkio|swapin|freepages|thrashing|compact)_delay_.*", "hiwater_.*"];
def drop_zeros($families): reduce $families[] as $family (.;
    if [.threads[] | to_entries[] | select(.key | test("^(" + $family + ")$")) | .value] | any(. != 0) then .
    else .threads |= map(drop($family)) end);
def from_reference: if .format then . else
    (.threads | any(has("taskstats_measured"))) as $newer
    | .threads |= map(
        if .policy == "" then drop_unread("policy|nice|priority|rt_priority|processor|minflt|majflt|[us]time_clock_ticks") else . end
        | if (.state // "~") == "~" then drop_unread("state|.*voluntary_csw|nr_threads") else . end
        | if .nr_threads == 0 then drop("nr_threads") else . end
        | if .cpu_affinity == [] then drop("cpu_affinity") else . end
        | if .cgroup == "" then drop("cgroup") else . end
        | if .taskstats_measured == false then drop(".*_delay_(count|total_ns|max_ns|min_ns)|hiwater_.*") else . end
        | if .cpu_delay_active == false then drop("cpu_delay_(count|total_ns|max_ns|min_ns)") else . end
        | if .delay_block_active == false then drop("(blkio|swapin|freepages|thrashing|compact|wpcopy|irq)_delay_.*") else . end
        | if .xacct_active == false then drop("hiwater_.*") else . end
        | if .jemalloc_measured == false or ($newer | not) and .allocated_bytes == 0 and .deallocated_bytes == 0
            then drop("(allocated|deallocated)_bytes") else . end)
    | drop_zeros(families + if $newer then [] else measured_families end)
    | if .sched_ext == null and all(.threads[]; .ext_enabled | not) then .threads |= map(drop("ext_enabled")) else . end
    | if .taskstats_summary.ok_count == 0 then .threads |= map(drop(".*_delay_.*|hiwater_.*")) else . end
    end;
# Floating-point numbers are compared to twelve digits.
def near: if type == "number" and . != floor then (if . == 0 then 0 else
    (fabs | log10 | floor) as $e | (. / pow(10; $e) * 1e11 | round) / 1e11 * pow(10; $e) end) else . end;
def tsv: map(if . == null then "-" else tostring end) | join("\t");
'

rows=0
# check WHAT: the sorted lists expected and actual are equal, and not empty.
check() {
    sort -o expected expected
    sort -o actual actual
    if [ ! -s expected ] || ! cmp -s expected actual; then
        echo "$1: what jq makes of the threads (-), what ctprof says (+):"
        diff -u0 expected actual | head -n 40
        exit 1
    fi
    rows=$((rows + $(wc -l <expected)))
}

# The group keys and the field each stands for; names are compared literally.
keys=("pcomm pcomm" "comm-exact comm" "cgroup cgroup")

check_show() {
    local file=$1 name=$2 key

    zstd -dc "$file" >snapshot.json
    for key in "${keys[@]}"; do
        # shellcheck disable=SC2016
        jq -r --arg key "${key#* }" --slurpfile registry registry.json "$definitions"'
            from_reference | aggregate($key; $registry[0]) | to_entries[] | .key as $group | .value as $v
            | ($registry[0].metrics[] | [.name, .type]), ($registry[0].derived[] | [.name, "derived"]) | . as [$m, $type]
            | [$group, $v.threads, $m, $type, ($v[$m] | near), $v[$m] != null, $v.coverage[$m]]
            | tsv' snapshot.json >expected
        "$CTPROF" show --format json --sections primary,taskstats-delay,derived --no-thread-normalize --group-by "${key% *}" "$file" |
            jq -r --slurpfile registry registry.json "$definitions"'
            ($registry[0].metrics | map({key: .name, value: 1}) | from_entries) as $primary
            | .rows[] | [.group, .threads, .metric, .type, (.value | near), .seen, if $primary[.metric] then .coverage else null end]
            | tsv' >actual
        check "show $name --group-by ${key% *}"
    done
}

for name in v1-baseline v1-candidate v1-no-schedstats; do
    check_show "$here/snapshots/$name.ctprof.zst" "$name"
done
for name in ktstr-base ktstr-newer ktstr-unprivileged; do
    pack <"$here/snapshots/$name.json" >"$name.zst"
    check_show "$name.zst" "$name"
done
# Files from before there was a state, and of hosts where nothing of the delays or of jemalloc was measured.
sed 's/"state":"[^"]*",//; s/"policy":"SCHED_FIFO"/"policy":""/' "$here/snapshots/ktstr-base.json" | pack >ktstr-stateless.zst
check_show ktstr-stateless.zst ktstr-stateless
sed 's/"\(cpu_delay_active\|delay_block_active\|jemalloc_measured\)":true/"\1":false/g' "$here/snapshots/ktstr-newer.json" |
    pack >ktstr-off.zst
check_show ktstr-off.zst ktstr-off
for tree in 5.10-schedstats no-io-no-sched; do
    capture_fixture "$tree" -o "$tree.zst"
    check_show "$tree.zst" "$tree"
done

# compare: each side as show has it, delta, percentage; impact of sums over the larger of the host's totals,
# where the threads are the same (where they are not, a counter that fell has none).
baseline=$here/snapshots/v1-baseline.ctprof.zst
candidate=candidate.zst
apart "$here/snapshots/v1-candidate.ctprof.zst" >"$candidate"
zstd -dc "$baseline" >baseline.json
zstd -dc "$candidate" >candidate.json
for key in "${keys[@]}"; do
    # shellcheck disable=SC2016
    jq -rn --arg key "${key#* }" --slurpfile registry registry.json --slurpfile a baseline.json \
        --slurpfile b candidate.json "$definitions"'
        def midpoint: if type == "string" and test("^-?[0-9]+\\.\\.") then split("..") | map(tonumber) | add / 2 else . end;
        def size: if type == "string" then (if startswith("mixed:") then .[6:] | midpoint
            else [split(",")[] | split("-") | map(tonumber) | .[-1] - .[0] + 1] | add end) else . end;
        $registry[0] as $r
        | ($a[0] | aggregate($key; $r)) as $old | ($b[0] | aggregate($key; $r)) as $new
        | ($a[0] | .threads |= map(.one = "all") | aggregate("one"; $r).all) as $old_host
        | ($b[0] | .threads |= map(.one = "all") | aggregate("one"; $r).all) as $new_host
        | ($a[0] | members($key)) as $before | ($b[0] | members($key)) as $after
        | ($old | keys[]) as $g | select($new[$g])
        | ($r.metrics[] | [.name, .rule, .type]), ($r.derived[] | [.name, .unit, "derived"])
        | . as [$m, $rule, $type]
        | $old[$g][$m] as $x | $new[$g][$m] as $y
        # If the threads are the same, a counter that is lower was counted anew, and so were the values computed from it.
        | ($before[$g] != null and $before[$g] == $after[$g] and any(
            ([$r.derived[] | select(.name == $m) | .inputs[]] | if . == [] then [$m] else . end)[];
            $old[$g].own[.] as $was | $new[$g].own[.] as $is | $was != null and $is != null and $is < $was
                and $old[$g].coverage[.] == $new[$g].coverage[.])) as $went_back
        | (if $x == null or $y == null or $went_back then null
            elif $m == "total_offcpu_delay_ns" and ($old[$g] | lacking) != ($new[$g] | lacking) then null
            elif $rule == "mode" then if $x == $y then "same" else "differs" end
            elif $rule == "range" then ($y | midpoint) - ($x | midpoint)
            elif $rule == "affinity" then ($y | size) - ($x | size)
            else $y - $x end) as $delta
        | (if $rule == "range" then $x | midpoint elif $rule == "affinity" and $x != null then $x | size else $x end)
            as $from
        | (if $delta == null or ($delta | type) == "string" or $rule == "ratio" or $rule == "range" or $from == 0 then null
            else 100 * $delta / ($from | fabs) end) as $percent
        | (if $rule != "sum" or $before[$g] != $after[$g] then "" elif $delta == null then null
            else quotient($delta | fabs; [$old_host[$m], $new_host[$m]] | max) end) as $impact
        | [$g, $old[$g].threads, $new[$g].threads, $m, $type, ($x | near), ($y | near), ($delta | near),
            ($percent | near), ($impact | near), $x != null, $y != null] | tsv' >expected
    # shellcheck disable=SC2016
    "$CTPROF" compare --format json --sections primary,taskstats-delay,derived --no-thread-normalize --unchanged --group-by "${key% *}" "$baseline" \
        "$candidate" | jq -r --arg key "${key#* }" --slurpfile registry registry.json \
        --slurpfile a baseline.json --slurpfile b candidate.json "$definitions"'
        ($registry[0].metrics | map({key: .name, value: .rule}) | from_entries) as $rules
        | ($a[0] | members($key)) as $before | ($b[0] | members($key)) as $after
        | .rows[] | select(.threads_baseline != null)
        | [.group, .threads_baseline, .threads_candidate, .metric, .type, (.baseline | near), (.candidate | near),
            (.delta | near), (.percent | near), if $rules[.metric] == "sum" and $before[.group] == $after[.group]
            then .impact | near else "" end, .seen_baseline, .seen_candidate]
        | tsv' >actual
    check "compare --group-by ${key% *}"
done
# In one boot, counters in between are the same in compare as those of the window in show.
candidate=$here/snapshots/v1-candidate.ctprof.zst
"$CTPROF" window --quiet -o window.zst "$baseline" "$candidate"
for key in pcomm comm cgroup user thread; do
    options=(--format json --no-thread-normalize --group-by "$key" --sections 'primary,taskstats-delay')
    "$CTPROF" show --per total "${options[@]}" window.zst |
        jq -r '.rows[] | select(.type | startswith("counter")) | select(.metric != "thread_count" and .value != null)
            | [.group, .metric, .value, if .partial then "partial" else "" end] | @tsv' | sort >expected
    "$CTPROF" compare --unchanged "${options[@]}" "$baseline" "$candidate" |
        jq -r 'if .comparison != "interval" then error("no interval") else . end
            | .rows[] | select(.type | startswith("counter")) | select(.metric != "thread_count" and .delta != null)
            | select(.marks // "" | split(" ") | index("interval"))
            | [.group, .metric, .delta, if .marks | split(" ") | index("partial_delta") then "partial" else "" end] | @tsv' |
        sort >actual
    check "the interval by $key"
done
echo "$rows rows agree"
