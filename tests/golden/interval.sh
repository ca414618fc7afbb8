#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# interval.sh CTPROF [BASELINE CANDIDATE]: compare of two snapshots of one boot has what show has of the window that
# "ctprof window" makes of them: the same lines in the overview, whatever the groups are, and each delta of an interval is
# the window's value. Without two files it takes the stored ones, and these with threads that left without a record, with
# processes that went on under another name, and with threads that have others' names.
set -euo pipefail

if ! command -v jq >/dev/null || ! command -v zstd >/dev/null; then
    echo "skipped: no jq or no zstd"
    exit 77
fi
CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
files=()
[ $# -eq 1 ] || files=("$(realpath "$2")" "$(realpath "$3")")
export CTPROF FIXTURES=$here/../fixtures SNAPSHOTS=$here/snapshots
# shellcheck source=/dev/null
source "$here/lib.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export LC_ALL=C.UTF-8 COLUMNS=1000
lines=0 values=0

# lines_of COMMAND...: what stands below the two lines of the header and the settings. Only compare knows what a process was called
# before, and of which groups the work is not known: these count in no number.
lines_of() {
    "$@" | sed -e '1,2d' -e '/^set: /d' -e '/^‡ work in between/d' -e '/^not measured: /d' -e '/moved less than/d' -e 's/ (was .*)  /  /' -e 's/  *$//' -e 's/   */  /g' | in_order
}

# in_order: where names are not known, numbers in them may have become {N} because of a name that only the first snapshot
# has, and the order of lines that are equal but for their names is another one then.
in_order() {
    if [ ${#files[@]} -eq 0 ]; then
        cat
    else
        awk '{ at = index($0, "  "); name = at ? substr($0, 1, at - 1) : ""; rest = substr($0, at ? at : 1)
               gsub(/[{]N[}]|[0-9]+/, "N", name); print name rest }' | sort
    fi
}

# values_of: JSON of show or compare to {group, metric, value}, of the values that add up and are known.
values_of() {
    jq -S -c --arg of "$1" '.rows[] | select($of == "value" or .comparison == "interval")
        | {group: (.group | gsub("[{]N[}]|[0-9]+"; "N")), metric, value: .[$of]} | select(.value != null)' | sort
}

# check WHAT BASELINE CANDIDATE
check() {
    local keys

    "$CTPROF" window -q -o window.zst "$2" "$3"
    for keys in pcomm comm cgroup pcomm,cgroup user,comm pid thread; do
        for options in "" --self "--sort-by threads" "--sort-by cpu"; do
            # shellcheck disable=SC2086
            lines_of "$CTPROF" compare --limit 0 -g $keys $options "$2" "$3" >compare.lines
            # shellcheck disable=SC2086
            lines_of "$CTPROF" show --limit 0 -g $keys $options window.zst >show.lines
            if ! cmp -s compare.lines show.lines; then
                echo "FAILED: $1: compare and show differ by $keys with options '$options':"
                diff show.lines compare.lines | head -40
                exit 1
            fi
            lines=$((lines + $(wc -l <show.lines)))
        done
        "$CTPROF" compare --limit 0 -g $keys -f json --all-metrics -u "$2" "$3" | values_of delta >compare.values
        "$CTPROF" show --limit 0 -g $keys --per total -f json --all-metrics window.zst | values_of value >show.values
        if [ -n "$(comm -23 compare.values show.values | head -1)" ]; then
            echo "FAILED: $1: deltas by $keys that are not the window's values:"
            comm -23 compare.values show.values | head -20
            exit 1
        fi
        values=$((values + $(wc -l <compare.values)))
    done
}

if [ ${#files[@]} -gt 0 ]; then
    check "the two files" "${files[@]}"
else
    interval
    check "reports" a.zst b.zst
    cp a.zst r.zst
    edit '.threads |= [.[] | select(.tgid % 3 != 0)]' b.zst >lost.zst
    check "processes that left" r.zst lost.zst
    edit '.threads |= [.[] | select(.tid == .tgid or .tid % 2 == 0)]' b.zst >some.zst
    check "threads that left" r.zst some.zst
    edit '.threads[] |= if .tgid % 4 == 0 and (.pcomm + .comm | test("[0-9]") | not) then .pcomm += "-new" | .comm += "-new" else . end' b.zst >named.zst
    check "other names" r.zst named.zst
    edit '.threads[] |= if .tid % 4 == 1 and (.comm | test("[0-9]") | not) then .comm = "worker" else . end | .threads |= [.[] | select(.tgid % 5 != 0)]' b.zst >mixed.zst
    check "some with other names, some that left" r.zst mixed.zst
    check "facts" "$SNAPSHOTS/v1-facts-baseline.ctprof.zst" "$SNAPSHOTS/v1-facts-candidate.ctprof.zst"
fi
if [ $lines -lt 20 ] || [ $values -lt 1000 ]; then
    echo "FAILED: only $lines lines and $values values"
    exit 1
fi
echo "$lines lines and $values values are the same"
