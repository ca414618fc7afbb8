#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A simulated fleet in a database: facts a second of adding, bytes a fact, and the seconds of each question; the figures of
# docs/fleet.md. The table has a line for each size, HOSTS:WINDOWS:GROUPS, with at least 112 hosts and 6 groups.
#
#   fleet.sh BUILD_DIR [SIZE]...
set -euo pipefail
[ $# -ge 1 ] || { echo "Usage: fleet.sh BUILD_DIR [HOSTS:WINDOWS:GROUPS]..." >&2; exit 2; }
ctprof=$(realpath "$1/src/ctprof") make_fleet=$(realpath "$1/bench/make-fleet")
shift
[ $# -gt 0 ] || set -- 200:2:12 1000:1:12 1000:1:60 1000:4:60
work=$(mktemp -d -p "${TMPDIR:-/var/tmp}")
trap 'rm -rf "$work"' EXIT
first=1767225600

# seconds COMMAND...: runs it and prints the time that it took.
seconds() {
    local begin end

    begin=$(date +%s%N)
    "$@" >/dev/null
    end=$(date +%s%N)
    awk -v ns="$((end - begin))" 'BEGIN { printf "%.2f", ns / 1e9 }'
}

echo "| hosts | windows | groups | facts | files, bytes a fact | added, facts a second | database, bytes a fact | outliers | movers | group | again |"
echo "|---|---|---|---|---|---|---|---|---|---|---|"
for size in "$@"; do
    IFS=: read -r hosts windows groups <<<"$size"
    mkdir "$work/files"
    "$make_fleet" "$work/files" "$hosts" "$windows" "$groups" 1 7:3:2 50:0:1.8 111:5:0.3
    add() { find "$work/files" -type f -print0 | sort -z | xargs -0 "$ctprof" db add --db "$work/fleet.db"; }
    query() { "$ctprof" db query --db "$work/fleet.db" "$@"; }
    added=$(seconds add)
    facts=$(sqlite3 "$work/fleet.db" "SELECT count(*) FROM fact")
    named=$(query outliers -f csv | sed 1d | cut -d , -f 1 | sort -u | tr '\n' ' ')
    [ "$named" = "host-0007 host-0050 host-0111 " ] || { echo "fleet.sh: named $named" >&2; exit 1; }
    outliers=$(seconds query outliers)
    movers=-
    [ "$windows" -eq 1 ] || movers="$(seconds query movers --from "$first" --to "$((first + 3600))") s"
    group=$(seconds query group --group svc-d -m run_time_ns)
    again=$(seconds add)
    files=$(find "$work/files" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')
    database=$(stat -c %s "$work/fleet.db")
    awk -v facts="$facts" -v files="$files" -v added="$added" -v database="$database" -v OFS=' | ' -v size="$hosts | $windows | $groups" \
        -v rest="$outliers s | $movers | $group s | $again s" 'BEGIN {
            print "| " size, facts, sprintf("%.1f", files / facts), sprintf("%.0f", facts / added), sprintf("%.1f", database / facts),
                  rest " |" }'
    rm -rf "${work:?}"/files "$work"/fleet.db*
done
