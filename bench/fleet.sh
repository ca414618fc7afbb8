#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A simulated fleet in a database: facts a second of adding, bytes a fact, and the seconds of each question; the figures of
# docs/fleet.md. The table has a line for each size, HOSTS:WINDOWS:GROUPS, with at least 200 hosts and 6 groups. Five hosts are
# planted outliers, and arm B of an experiment has one group do 1.05 times its work: by windows if there are two or more, else by hosts,
# of which the outliers are some. One host has the opposite effect. All questions must name these and no others.
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
outliers=(7:3:2 50:0:1.8 111:5:0.3 150:1:3 199:4:0.5)

# seconds COMMAND...: runs it and prints the time that it took.
seconds() {
    local begin end

    begin=$(date +%s%N)
    "$@" >/dev/null
    end=$(date +%s%N)
    awk -v ns="$((end - begin))" 'BEGIN { printf "%.2f", ns / 1e9 }'
}

# demand WHAT FOUND WANTED: ends the script if a question names others than those planted.
demand() {
    [ "$2" = "$3" ] || { echo "fleet.sh: $1: named $2, and not $3" >&2; exit 1; }
}

# rows PROGRAM: awk over the rows of the question arms.
rows() { sed 1d "$work/arms" | awk -F , "$1"; }

echo "| hosts | windows | groups | facts | files, bytes a fact | added, facts a second | database, bytes a fact | outliers | movers | group | arms | again |"
echo "|---|---|---|---|---|---|---|---|---|---|---|---|"
for size in "$@"; do
    IFS=: read -r hosts windows groups <<<"$size"
    mkdir "$work/files"
    effects=(hosts:2:1.05)
    against=
    [ "$windows" -eq 1 ] || { effects=(windows:2:1.05 windows:2:0.9:33); against="host-0033,svc-c "; }
    "$make_fleet" "$work/files" "$hosts" "$windows" "$groups" 1 "${outliers[@]}" "${effects[@]}"
    add() { find "$work/files" -type f -print0 | sort -z | xargs -0 "$ctprof" db add --db "$work/fleet.db"; }
    query() { "$ctprof" db query --db "$work/fleet.db" "$@"; }
    added=$(seconds add)
    facts=$(sqlite3 "$work/fleet.db" "SELECT count(*) FROM fact")
    named=$(query outliers -f csv | sed 1d | cut -d , -f 1 | sort -u | tr '\n' ' ')
    demand "outliers" "$named" "host-0007 host-0050 host-0111 host-0150 host-0199 "
    query arms -f csv >"$work/arms"
    # shellcheck disable=SC2016 # awk expands it, here and below.
    named=$(rows '$5 == "" && $10 == "moved" { print $7 }' | sort | uniq -c | awk '{ printf "%s %s,", $1, $2 }')
    # shellcheck disable=SC2016
    all=$(rows '$5 == "" && $7 == "svc-c"' | wc -l)
    demand "series that moved" "$named" "$all svc-c,"
    [ "$all" -gt 40 ] || { echo "fleet.sh: only $all series of svc-c" >&2; exit 1; }
    # shellcheck disable=SC2016
    named=$(rows '$10 == "against" { print $5 "," $7 }' | sort -u | tr '\n' ' ')
    demand "hosts against the others" "$named" "$against"
    arms=$(seconds query arms)
    outliers_time=$(seconds query outliers)
    movers=-
    [ "$windows" -eq 1 ] || movers="$(seconds query movers --from "$first" --to "$((first + 3600))") s"
    group=$(seconds query group --group svc-d -m run_time_ns)
    again=$(seconds add)
    files=$(find "$work/files" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')
    database=$(stat -c %s "$work/fleet.db")
    awk -v facts="$facts" -v files="$files" -v added="$added" -v database="$database" -v OFS=' | ' -v size="$hosts | $windows | $groups" \
        -v rest="$outliers_time s | $movers | $group s | $arms s | $again s" 'BEGIN {
            print "| " size, facts, sprintf("%.1f", files / facts), sprintf("%.0f", facts / added), sprintf("%.1f", database / facts),
                  rest " |" }'
    rm -rf "${work:?}"/files "$work"/fleet.db*
done
