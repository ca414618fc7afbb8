#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A row added to the registry appears in everything that shows metrics, without another edit.
#
#   extra-row.sh CTPROF CTPROF_EXTRA PRINT PRINT_EXTRA COMPLETION COMPLETION_EXTRA
#
# The second of each two is built with metrics-extra.def; the first one must not know its row.
set -eu
export LC_ALL=C
[ $# -eq 6 ] || { echo "Usage: extra-row.sh CTPROF CTPROF_EXTRA PRINT PRINT_EXTRA COMPLETION COMPLETION_EXTRA" >&2; exit 2; }
ctprof=$1 extra=$2 print=$3 print_extra=$4 completion=$5 completion_extra=$6
metric=test_extra_events

for tool in jq zstd; do
    command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "extra-row.sh: $1"
    exit 1
}

# equals WHAT EXPECTED ACTUAL
equals() {
    [ "$2" = "$3" ] || fail "$1: expected '$2', not '$3'"
}

# thread ROOT TID EVENTS: a thread of process 100.
thread() {
    task=$1/100/task/$2
    mkdir -p "$task"
    echo "$2 (worker) S 1 100 100 0 -1 0 7 0 0 0 3 4 0 0 20 0 2 0 55 0 0 18446744073709551615 0 0 0 0 0 0 0 0" \
        "0 0 0 0 17 1 0 0 0 0 0" >"$task/stat"
    echo "1000 200 3" >"$task/schedstat"
    echo "0::/work" >"$task/cgroup"
    {
        echo "worker ($2, #threads: 2)"
        echo "-------------------------------------------------------------------"
        echo "se.sum_exec_runtime                          :             1.000000"
        echo "se.statistics.nr_extra_events                :                    $3"
        echo "nr_voluntary_switches                        :                    8"
        echo "nr_involuntary_switches                      :                    9"
    } >"$task/sched"
}

# column FILE NAME: a column of a CSV file with one row.
column() {
    awk -F, -v name="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i; next }
        { print column ? $column : "no column " name }' "$1"
}

for side in before after; do
    thread "$work/$side" 100 5
done
thread "$work/before" 101 10
thread "$work/after" 101 17
for side in before after; do
    "$extra" capture --quiet --proc-root "$work/$side" -o "$work/$side.zst"
    "$ctprof" capture --quiet --proc-root "$work/$side" -o "$work/$side-plain.zst"
done

# Snapshot.
zstd -dcq "$work/before.zst" >"$work/before.json"
equals "key in the snapshot" "5 10" \
    "$(jq -r --arg m $metric '[.threads[][$m]] | join(" ")' "$work/before.json")"

# show, for people and for machines.
"$extra" show --metrics $metric --format csv "$work/before.zst" >"$work/show.csv"
equals "show: metric" $metric "$(column "$work/show.csv" metric)"
equals "show: section" primary "$(column "$work/show.csv" section)"
equals "show: unit" count "$(column "$work/show.csv" unit)"
equals "show: sum over the threads" 15 "$(column "$work/show.csv" value)"
equals "show: threads that have it" 2 "$(column "$work/show.csv" coverage)"
"$extra" show --metrics $metric --format json "$work/before.zst" >"$work/show.json"
equals "show as JSON" "$metric 15" "$(jq -r '.rows[] | "\(.metric) \(.value)"' "$work/show.json")"
"$extra" show --metrics $metric "$work/before.zst" >"$work/show.txt"
grep -q "$metric.*15" "$work/show.txt" || fail "show: not in the table"
"$extra" show --sort-by $metric:asc "$work/before.zst" >/dev/null || fail "show: cannot sort by it"

# compare
"$extra" compare --metrics $metric --format csv "$work/before.zst" "$work/after.zst" >"$work/compare.csv"
equals "compare: baseline" 15 "$(column "$work/compare.csv" baseline)"
equals "compare: candidate" 22 "$(column "$work/compare.csv" candidate)"
equals "compare: delta" 7 "$(column "$work/compare.csv" delta)"

# The description holds what CSV, JSON and scdoc would take for their own.
description="_extra_ *events* [a|b] of \"one, two\" & <three> c:\\four, 'five'; six++"
"$extra" metric-list >"$work/list.txt"
grep -F "$metric" "$work/list.txt" | grep -F '[cfs-only] [SCHED_CORE]' | grep -qF "$description" ||
    fail "metric-list: not in the table, or not in full"
"$extra" metric-list --format json >"$work/list.json"
jq -e --arg m $metric --arg d "$description" '.metrics[] | select(.name == $m) == {name: $m,
    type: "counter_count", rule: "sum", unit: "count", section: "primary", sched_class: "cfs-only",
    gates: ["SCHED_CORE"], source: "sched", key: "nr_extra_events", description: $d, repeats: []}' \
    "$work/list.json" >/dev/null || fail "metric-list --format json: not there, or different"

# Manual page.
"$print_extra" man >"$work/man.scd"
grep -qFx "*$metric*" "$work/man.scd" || fail "the man page has no such metric"
if command -v scdoc >/dev/null && command -v man >/dev/null; then
    {
        printf 'ctprof-metrics(7)\n\n'
        cat "$work/man.scd"
    } | scdoc >"$work/man.7"
    MANWIDTH=200 man -l "$work/man.7" | col -b >"$work/man.txt"
    grep -qF "$description" "$work/man.txt" || fail "the formatted man page garbles the description"
else
    echo "no scdoc or no man: the man page is not formatted"
fi

# Schema.
"$print_extra" schema >"$work/schema.json"
# shellcheck disable=SC2016 # $defs and $ref are names.
equals "schema: type" '#/$defs/counter_count' \
    "$(jq -r --arg m $metric '."$defs".thread.properties[$m]."$ref"' "$work/schema.json")"
equals "schema: as a reason" "malformed skipped" \
    "$(jq -r --arg m $metric '."$defs".thread.properties.missing.properties[$m].enum | join(" ")' "$work/schema.json")"

# The words that shells complete, by metric and to sort by.
for shell in bash zsh fish; do
    echo '# @TABLES@' | "$completion_extra" "$shell" >"$work/completion-$shell"
    equals "completion of $shell" 2 "$(grep -ow $metric "$work/completion-$shell" | wc -l)"
    echo '# @TABLES@' | "$completion" "$shell" >"$work/plain-completion-$shell"
    ! command -v "$shell" >/dev/null || "$shell" -n "$work/completion-$shell" || fail "completion of $shell: cannot be read"
done

# The ordinary tool has it nowhere.
"$ctprof" metric-list >"$work/plain-list.txt"
"$ctprof" metric-list --format json >"$work/plain-list.json"
"$print" man >"$work/plain-man.scd"
"$print" schema >"$work/plain-schema.json"
zstd -dcq "$work/before-plain.zst" >"$work/plain-before.json"
"$ctprof" show --limit 0 "$work/before.zst" >"$work/plain-show.txt" ||
    fail "an unknown key is no reason to refuse"
"$ctprof" compare --unchanged --format csv "$work/before.zst" "$work/after.zst" >"$work/plain-compare.csv"
! grep -l $metric "$work"/plain-* "$ctprof" "$print" "$completion" || fail "the ordinary tool knows the extra metric"
status=0
"$ctprof" show --metrics $metric "$work/before.zst" 2>/dev/null || status=$?
equals "status of show with an unknown metric" 2 $status
equals "metrics more" 1 \
    "$(jq -n '[inputs.metrics | length] | .[0] - .[1]' "$work/list.json" "$work/plain-list.json")"
