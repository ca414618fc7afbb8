#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A simulated fleet in SQLite and in two servers of ClickHouse on loopback, in one run: facts a second of adding, bytes a fact, and the
# seconds of each question; the second table of docs/fleet.md. Both must give the same answers. A size is HOSTS:WINDOWS:GROUPS, with at
# least 112 hosts and 6 groups. CPU seconds are those of ctprof alone.
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

# row ENGINE PLACE FACTS BYTES ADDED: the rest of a line, and the answers in answers.ENGINE.
row() {
    local cells=("$(measure query "$2" outliers)") words

    words=(movers --from "$first" --to "$((first + 3600))")
    cells+=("$(measure query "$2" "${words[@]}")" "$(measure query "$2" group --group svc-d -m run_time_ns)" "$(measure add "$2")")
    { query "$2" outliers -f csv && query "$2" "${words[@]}" -f csv && query "$2" group --group svc-d -f csv; } >"$work/answers.$1"
    awk -v facts="$3" -v bytes="$4" -v added="$5" -v start="| $size | $3 | $1" -v rest="$(printf ' | %s' "${cells[@]}")" \
        'BEGIN { printf "%s | %.0f, %s | %.1f%s |\n", start, facts / added, added, bytes / facts, rest }'
}

echo "| hosts:windows:groups | facts | engine | added, facts a second | bytes a fact | outliers | movers | group | again |"
echo "|---|---|---|---|---|---|---|---|---|"
for size in "$@"; do
    IFS=: read -r hosts windows groups <<<"$size"
    mkdir "$work/files"
    "$make_fleet" "$work/files" "$hosts" "$windows" "$groups" 1 7:3:2 50:0:1.8 111:5:0.3
    for address in "${addresses[@]}"; do
        statement "$address" "DROP DATABASE IF EXISTS ctprof" >/dev/null
        "$ctprof" db ddl clickhouse | while read -r -d ';' text; do statement "$address" "$text" >/dev/null; done
    done
    added=$(measure add "$work/fleet.db")
    facts=$(sqlite3 "$work/fleet.db" "SELECT count(*) FROM fact")
    row SQLite "$work/fleet.db" "$facts" "$(stat -c %s "$work/fleet.db")" "$added"
    added=$(measure add "$url")
    [ "$(statement "${addresses[0]}" "SELECT count() FROM ctprof.fact")" = "$facts" ] || { echo "shards.sh: other facts" >&2; exit 1; }
    sleep 5 # Parts are merged.
    bytes=0
    for address in "${addresses[@]}"; do
        bytes=$((bytes + $(statement "$address" "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = 'ctprof'")))
    done
    row ClickHouse "$url" "$facts" "$bytes" "$added"
    cmp "$work/answers.SQLite" "$work/answers.ClickHouse"
    rm -rf "${work:?}"/files "$work"/fleet.db*
done
