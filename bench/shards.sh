#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A simulated fleet in SQLite and in two servers of ClickHouse on loopback, in one run: facts a second of adding, bytes a fact, and the
# seconds of each question; the second table of docs/fleet.md. Five outliers are planted and an arm's effect, as by fleet.sh: both engines
# must name these and no others, and give the same answers to the byte. A size is HOSTS:WINDOWS:GROUPS, with at least 200 hosts, 2 windows
# and 6 groups. CPU seconds, in parentheses, are those of ctprof alone; load is the average of a minute behind adding and the questions.
#
#   shards.sh BUILD_DIR [SIZE]...
set -euo pipefail
[ $# -ge 1 ] || { echo "Usage: shards.sh BUILD_DIR [HOSTS:WINDOWS:GROUPS]..." >&2; exit 2; }
here=$(dirname "$(realpath "$0")")
if [ -z "${CTPROF_SHARDS:-}" ]; then
    work=$(mktemp -d -p "${TMPDIR:-/var/tmp}")
    trap 'rm -rf "$work"' EXIT
    status=0
    SHARDS_WORK=$work "$here/../tests/clickhouse/shards.sh" "$work" 2 "$0" "$@" || status=$?
    exit "$status"
fi
ctprof=$(realpath "$1/src/ctprof") make_fleet=$(realpath "$1/bench/make-fleet") work=$SHARDS_WORK
shift
[ $# -gt 0 ] || set -- 200:2:12 1000:2:12
url=clickhouse://$CTPROF_SHARDS/ctprof first=1767225600 TIMEFORMAT='%R %U %S'
IFS=, read -ra addresses <<<"$CTPROF_SHARDS"

# measure COMMAND...: prints the seconds that it took, and those of CPU time.
measure() {
    { time "$@" >"$work/output"; } 2>&1 | awk 'END { printf "%.2f s (%.2f)", $1, $2 + $3 }'
}
statement() { python3 -c 'import sys, urllib.request
print(urllib.request.urlopen("http://" + sys.argv[1], data=sys.argv[2].encode()).read().decode().strip())' "$1" "$2"; }
add() { find "$work/files" -type f -print0 | sort -z | xargs -0 "$ctprof" db add --db "$1"; }
query() { "$ctprof" db query --db "$@"; }
load() { cut -d ' ' -f 1 /proc/loadavg; }

# demand WHAT FOUND WANTED: ends the script if a question names others than those planted.
demand() {
    [ "$2" = "$3" ] || { echo "shards.sh: $1: named $2, and not $3" >&2; exit 1; }
}

# check_names ENGINE: compares what the answers name with what was planted.
check_names() {
    local all named

    named=$(sed 1d "$work/$1.outliers" | cut -d , -f 1 | sort -u | tr '\n' ' ')
    demand "$1: outliers" "$named" "host-0007 host-0050 host-0111 host-0150 host-0199 "
    # shellcheck disable=SC2016 # awk expands it, here and below.
    all=$(sed 1d "$work/$1.arms" | awk -F , '$5 == "" && $7 == "svc-c"' | wc -l)
    [ "$all" -gt 40 ] || { echo "shards.sh: only $all series of svc-c" >&2; exit 1; }
    # shellcheck disable=SC2016
    named=$(sed 1d "$work/$1.arms" | awk -F , '$5 == "" && $10 == "moved" { print $7 }' | sort | uniq -c | awk '{ printf "%s %s,", $1, $2 }')
    demand "$1: series that moved" "$named" "$all svc-c,"
    # shellcheck disable=SC2016
    named=$(sed 1d "$work/$1.arms" | awk -F , '$10 == "against" { print $5 "," $7 }' | sort -u | tr '\n' ' ')
    demand "$1: hosts against the others" "$named" "host-0033,svc-c "
}

# row ENGINE PLACE FACTS BYTES ADDED LOAD: the rest of a line. The answers are in ENGINE.QUESTION.
row() {
    local cells=() words

    for words in outliers "movers --from $first --to $((first + 3600))" "group --group svc-d -m run_time_ns" arms; do
        read -ra words <<<"$words"
        cells+=("$(measure query "$2" "${words[@]}" -f csv)")
        mv "$work/output" "$work/$1.${words[0]}"
    done
    check_names "$1"
    cells+=("$(measure add "$2")")
    awk -v facts="$3" -v bytes="$4" -v added="$5" -v start="| $size | $3 | $1" -v rest="$(printf ' | %s' "${cells[@]}")" -v average="$6, $(load)" \
        'BEGIN { printf "%s | %.0f, %s | %.1f%s | %s |\n", start, facts / added, added, bytes / facts, rest, average }'
}

echo "| hosts:windows:groups | facts | engine | added, facts a second | bytes a fact | outliers | movers | group | arms | again | load |"
echo "|---|---|---|---|---|---|---|---|---|---|---|"
for size in "$@"; do
    IFS=: read -r hosts windows groups <<<"$size"
    mkdir "$work/files"
    "$make_fleet" "$work/files" "$hosts" "$windows" "$groups" 1 7:3:2 50:0:1.8 111:5:0.3 150:1:3 199:4:0.5 windows:2:1.05 windows:2:0.9:33
    for address in "${addresses[@]}"; do
        statement "$address" "DROP DATABASE IF EXISTS ctprof" >/dev/null
        "$ctprof" db ddl clickhouse | while read -r -d ';' text; do statement "$address" "$text" >/dev/null; done
    done
    added=$(measure add "$work/fleet.db") after=$(load)
    facts=$(sqlite3 "$work/fleet.db" "SELECT count(*) FROM fact")
    row SQLite "$work/fleet.db" "$facts" "$(stat -c %s "$work/fleet.db")" "$added" "$after"
    added=$(measure add "$url") after=$(load)
    [ "$(statement "${addresses[0]}" "SELECT count() FROM ctprof.fact")" = "$facts" ] || { echo "shards.sh: other facts" >&2; exit 1; }
    sleep 5 # Parts are merged.
    bytes=0
    for address in "${addresses[@]}"; do
        bytes=$((bytes + $(statement "$address" "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = 'ctprof'")))
    done
    row ClickHouse "$url" "$facts" "$bytes" "$added" "$after"
    for question in outliers movers group arms; do
        cmp "$work/SQLite.$question" "$work/ClickHouse.$question"
    done
    rm -rf "${work:?}"/files "$work"/fleet.db*
done
