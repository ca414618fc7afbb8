#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# taskstats.sh CTPROF DELAYS READER: every taskstats metric of every thread lies between two readings that share no
# code with the tool, and is missing exactly where the kernel kept nothing. Switches delay accounting on while it
# runs, where it is off.
set -euo pipefail

CTPROF=$(realpath "$1")
WORKLOAD=$(realpath "$2")
READER=$(realpath "$3")
here=$(cd "$(dirname "$0")" && pwd)
export CTPROF WORKLOAD
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd
if ! reason=$("$READER" $$ 2>&1 >/dev/null); then
    echo "skipped: $reason"
    exit 77
fi
toggle=/proc/sys/kernel/task_delayacct
if [ ! -e "$toggle" ]; then
    echo "skipped: $toggle is not there: no delay accounting, or none that is switched at run time"
    exit 77
fi
was=$(cat "$toggle")
scratch=$(mktemp -d -p "${TMPDIR:-/tmp}")
recorder=
restore() {
    stop_all
    [ -z "$recorder" ] || kill -KILL "$recorder" 2>/dev/null || true
    [ "$(cat "$toggle")" = "$was" ] || echo "$was" >"$toggle"
    rm -rf "$scratch"
}
trap restore EXIT
trap 'exit 1' INT TERM HUP
cd "$scratch"

# recorded: the number of windows so far.
recorded() {
    zstd -dcq recording/*.zst 2>/dev/null | jq -c .window.length_ns 2>/dev/null | wc -l || true
}

# until_recorded COUNT: waits for so many.
until_recorded() {
    for _ in $(seq 300); do
        [ "$(recorded)" -lt "$1" ] || return 0
        sleep 0.1
    done
    echo "skipped: the host was too busy for $1 windows"
    exit 77
}

p=$(unique_prefix)
threads=220
if [ "$was" != 1 ]; then
    "$CTPROF" record --every 500ms recording 2>recorder.err &
    recorder=$!
    until_recorded 2
fi
start "${p}old" 4 "$scratch/old.data" # born while it is off, if it is
if [ "$was" != 1 ] && ! echo 1 2>/dev/null >"$toggle"; then
    echo "skipped: $toggle cannot be written"
    exit 77
fi
start "${p}new" "$threads" "$scratch/new.data"

# A recorder that began while it was off has the delays of threads that live and end while it is on.
if [ -n "$recorder" ]; then
    until_recorded $(($(recorded) + 2))
    cp "$(command -v sh)" "${p}sh"
    # shellcheck disable=SC2016 # The children copy pages that they write to.
    "./${p}sh" -c 'for i in 1 2 3 4 5; do (x=$i; :); done; :'
    until_recorded $(($(recorded) + 2))
    kill -TERM "$recorder"
    wait "$recorder" || fail "the recorder: $(cat recorder.err)"
    recorder=
    "$CTPROF" show recording -m wpcopy_delay_count -n 0 -f json >ended.json
    same "delays of threads that ended" '"6/6"' \
        "$(jq ".rows[] | select(.group == \"${p}sh\") | \"\(.coverage)/\(.threads)\"" ended.json)"
fi

tids() {
    local dir

    for dir in /proc/[0-9]*/task/[0-9]*; do
        echo "${dir##*/}"
    done
}

# read_all FILE: what the other reader says of all threads.
read_all() {
    tids | xargs "$READER" >"$1"
}

# captured_all FILE: "tid metric value" of a snapshot, and "tid . ." for each thread.
captured_all() {
    zstd -dc "$1" | jq -r '.threads[] | .tid as $tid | "\($tid) . .", (to_entries[]
        | select(.key | test("_delay_(count|(total|max|min)_ns)$|^hiwater_|^cpu_run_real")) | "\($tid) \(.key) \(.value)")'
}

# compare WHAT BEFORE CAPTURED AFTER NEEDED...: each metric NEEDED must have been seen, and above zero, somewhere.
compare() {
    local what=$1 before=$2 value=$3 after=$4

    shift 4
    awk -v what="$what" -v needed="$*" -v least=200 -v since_boot="$since_boot" '
        function wrong(text) { if (++bad <= 20) print what ": thread " tid ": " text }
        # Returns whether the kernel had anything in the seven buckets that need a record.
        function has_record(side, tid,    i) {
            for (i in seven) {
                if (side[tid " " seven[i] "_delay_count"] + 0 > 0) return 1
                if (side[tid " " seven[i] "_delay_total_ns"] + 0 > 0) return 1
            }
            return 0
        }
        # A wait that is longer than the life of the thread is an error of the kernel, and refused.
        function is_senseless(metric, side, tid) {
            return metric ~ /_ns$/ && side[tid " " metric] + 0 > side[tid " elapsed_ns"] * 1.01 + 1000000000
        }
        function check_missing(tid, metric, before, after) {
            if (is_senseless(metric, before, tid) || is_senseless(metric, after, tid)) return ""
            if (metric ~ /^hiwater/)
                return before[tid " hiwater_vm_bytes"] == 0 ? "" : metric " is missing"
            if (metric ~ /^cpu/) return metric " is missing"
            if (metric ~ /^irq/) return before[tid " irq_delay_count"] + 0 == 0 ? "" : metric " is missing"
            if (since_boot || has_record(before, tid)) return metric " is missing"
            return ""
        }
        # A value may be there only where there was something to read.
        function check_there(tid, metric, before, after) {
            if (is_senseless(metric, before, tid)) return "is there, longer than the thread has lived"
            if (metric ~ /^hiwater/ && before[tid " hiwater_vm_bytes"] == 0) return "is there without memory"
            if (metric ~ /^(cpu|hiwater)/) return ""
            if (metric ~ /^irq/) return ""
            if (!since_boot && !has_record(after, tid)) return "is there without a record"
            return ""
        }
        function check_value(metric, low, have, high) {
            # The kernel adds up the resident set of busy processes roughly.
            if (metric == "hiwater_rss_bytes") { low -= 4194304; high += 4194304 }
            if (metric ~ /_min_ns$/) {
                if (have == 0) return low == 0 ? "" : "is 0 after " low
                return have >= high && (low == 0 || have <= low) ? "" : have " is not from " high " to " low
            }
            return have >= low && have <= high ? "" : have " is not from " low " to " high
        }
        BEGIN { split("blkio swapin freepages thrashing compact wpcopy irq", seven) }
        FNR == 1 { file++ }
        file == 1 { before[$1 " " $2] = $3 }
        file == 2 && $2 == "." { captured[$1] = 1 }
        file == 2 && $2 != "." { value[$1 " " $2] = $3 }
        file == 3 { after[$1 " " $2] = $3 }
        END {
            for (key in before) {
                split(key, part, " "); tid = part[1]; metric = part[2]
                if (!(key in after) || !(tid in captured) || metric == "elapsed_ns") continue
                # An id that another thread has got in between.
                if (after[tid " elapsed_ns"] + 0 < before[tid " elapsed_ns"] + 0) continue
                # A thread that has given up its memory, since it is about to exit.
                if (metric ~ /^hiwater/ && before[tid " hiwater_vm_bytes"] != after[tid " hiwater_vm_bytes"] &&
                    (before[tid " hiwater_vm_bytes"] == 0 || after[tid " hiwater_vm_bytes"] == 0)) continue
                checked[tid] = 1
                if (key in value) {
                    trouble = check_there(tid, metric, before, after)
                    if (trouble == "") trouble = check_value(metric, before[key] + 0, value[key] + 0, after[key] + 0)
                    if (trouble != "") wrong(metric ": " trouble)
                    seen[metric]++; above[metric] += value[key] > 0
                } else if ((trouble = check_missing(tid, metric, before, after)) != "")
                    wrong(trouble)
                else
                    missing[metric]++
            }
            for (tid in checked) count++
            if (count < least) { print what ": only " count + 0 " threads to compare"; exit 1 }
            for (metric in seen) metrics++
            for (metric in missing) if (!(metric in seen)) metrics++
            n = split(needed, list, " ")
            for (i = 1; i <= n; i++) if (above[list[i]] == 0) wrong("no thread has " list[i] " above zero")
            if (bad) exit 1
            for (metric in seen) total += seen[metric]
            printf "%s: %d metrics of %d threads, %d values\n", what, metrics, count, total
            if (metrics < 34) { print what ": only " metrics " metrics"; exit 1 }
        }' "$before" "$value" "$after" || fail "$what"
    checks=$((checks + 1))
}

since_boot=0
if grep -qw delayacct /proc/cmdline; then
    since_boot=1
fi

measure() {
    read_all before
    "$CTPROF" capture -q --source procfs -o "$1.zst" || fail "capture"
    read_all after
    captured_all "$1.zst" >value
    compare "$1" before value after "${@:2}"
}

measure idle cpu_delay_count hiwater_rss_bytes hiwater_vm_bytes
proceed "${p}old"
proceed "${p}new"
# While counters move, and when they have come to rest.
measure busy cpu_delay_count cpu_delay_total_ns
await "${p}old.out" DONE
await "${p}new.out" DONE
needed=(hiwater_rss_bytes hiwater_vm_bytes)
buckets=(cpu wpcopy)
case $(stat -f -c %T .) in
tmpfs | ramfs | overlayfs) echo "# $PWD may have no disk: nobody needs to have waited for one" ;;
*) buckets+=(blkio) ;;
esac
kinds=(count total_ns)
if grep -q cpu_delay_max_ns before; then
    kinds+=(max_ns min_ns)
fi
for bucket in "${buckets[@]}"; do
    for kind in "${kinds[@]}"; do
        needed+=("${bucket}_delay_$kind")
    done
done
measure "after the work" "${needed[@]}"

# Threads at rest: the same numbers exactly, and for each of ours a record exactly where the toggle was on at birth.
echo "# our own threads"
# shellcheck disable=SC2154 # It is declared in lib.sh.
ls "/proc/${pid_of[${p}new]}/task" >ours
bucket=' (cpu|blkio|wpcopy)_delay_| hiwater_'
# Without what is refused; elapsed_ns is the last of a thread.
xargs "$READER" <ours | tac | awk '$2 == "elapsed_ns" { limit = $3 * 1.01 + 1000000000 }
    $2 !~ /_ns$/ || $3 <= limit' | grep -E "$bucket" | sort >exact
awk 'FNR == NR { ours[$1]; next } $1 in ours' ours value | grep -E "$bucket" | sort >have
cmp -s exact have || fail "threads at rest: $(diff exact have | head -5)"
same "threads of the work" "$((threads + 1))" "$(awk '$2 == "wpcopy_delay_count"' have | wc -l)"
if [ "$was" = 0 ]; then
    for dir in "/proc/${pid_of[${p}old]}/task"/*; do
        tid=${dir##*/}
        same "a record of thread $tid, born without one" 0 "$(grep -c "^$tid blkio_" value || true)"
    done
fi
finish "${p}old"
finish "${p}new"

# A job has the delays that the rows of its window have. Now and then the kernel has one as long as the host is up: both leave it out and
# count it, and both say so of what is left.
job() {
    "$CTPROF" run -o job.zst --format json --summary job.json -- sh -c "
        cp '$(command -v dd)' ${p}dd
        for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
            ./${p}dd if=job.data of=/dev/null bs=4k count=400 iflag=direct status=none || ./${p}dd if=job.data of=/dev/null status=none
        done" || fail "the job ends with status $?"
}
head -c 2000000 /dev/urandom >job.data
rounds=0 wrong_ones=0
while [ $((rounds += 1)) -le 12 ] && { [ "$rounds" -le 3 ] || [ "$wrong_ones" -eq 0 ]; }; do
    job
    if [ "$(jq -r '.runs[0].sources.wpcopy_delay' job.json)" != exits ]; then
        echo "# without BPF a job has no delays"
        break
    fi
    zstd -dc job.zst | jq --slurpfile job job.json -c '$job[0].runs[0] as $run |
        [.threads[] | select(.cgroup and (.cgroup | endswith($run.cgroup)))] as $rows |
        {rows: ($rows | length), threads: $run.values.threads,
         sum: ([$rows[].blkio_delay_total_ns // 0] | add), of_job: (($run.values.blkio_delay // 0) * 1e9),
         impossible: ([$rows[] | select(.impossible.blkio_delay_total_ns)] | length),
         of_job_impossible: ($run.impossible.blkio_delay // 0)}' >job.line
    same "the delays of a job and of its rows ($(cat job.line))" true "$(jq '.rows == .threads and
        .impossible == .of_job_impossible and ((.sum - .of_job) | fabs) < 2' job.line)"
    wrong_ones=$((wrong_ones + $(jq .impossible job.line)))
    for metric in blkio_delay_total_ns blkio_delay_max_ns; do
        lacking=$(zstd -dc job.zst | jq "[.threads[] | select(.pcomm == \"${p}dd\" and .impossible.$metric)] | length")
        "$CTPROF" show job.zst -m "$metric" -n 0 -f json >shown.json
        same "$metric of $lacking impossible values: its mark" 0 "$(jq --argjson lacking "$lacking" "[.rows[] |
            select(.group == \"${p}dd\" and .value != null and .partial != (\$lacking > 0))] | length" shown.json)"
    done
done
echo "# $wrong_ones impossible delays in $((rounds - 1)) jobs"
echo "$checks checks"
