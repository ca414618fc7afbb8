#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Counts how often the overview of two windows of one steady load has a row above the floor.
#
#   bench/overview-null.sh BUILD_DIR [RUNS [SECONDS]]
#   bench/overview-null.sh BUILD_DIR WINDOW_FILE...
#
# Starts a load of 75 % of one CPU (three processes, and one that writes 10 MiB a second), records RUNS + 1 (21) windows of
# SECONDS (20), and compares each with the next one. With files it compares those, in their order. The host should have
# nothing else to do: rows of others than the load are marked.
set -euo pipefail

[ $# -ge 1 ] || { sed -n '5,6s/^# *//p' "$0" >&2; exit 2; }
ctprof=$(realpath "$1/src/ctprof")
story=$(realpath "$1/tests/live/story")
shift
scratch=$(mktemp -d)
blocks=/var/tmp/ctprof-null-$$
pids=()
end() {
    [ ${#pids[@]} -eq 0 ] || kill -9 "${pids[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$scratch" "$blocks"
}
trap end EXIT
export LC_ALL=C.UTF-8 COLUMNS=80

start() {
    taskset -c 0 "$story" "$@" &
    pids+=($!)
}

files=()
if [ $# -gt 0 ] && [ -e "$1" ]; then
    files=("$@")
else
    runs=${1:-20}
    seconds=${2:-20}
    start null-a load 20
    start null-b load 25
    start null-c load 30
    start null-writer drip "$blocks"
    sleep 2
    for ((i = 0; i <= runs; i++)); do
        "$ctprof" capture --quiet --window "${seconds}s" -o "$scratch/$i.zst"
        files+=("$scratch/$i.zst")
    done
fi
[ ${#files[@]} -ge 2 ] || { echo "$0: two windows at least" >&2; exit 2; }

# The rows stand between the line of headings and what is below the table.
rows_of() {
    sed -n '1,/^pcomm /d; /^\(also \|only in \|not ranked\|\* \|[0-9]* \(more \)\?groups\? \)/q; p'
}

with_rows=0
for ((i = 1; i < ${#files[@]}; i++)); do
    "$ctprof" compare "${files[i - 1]}" "${files[i]}" >"$scratch/screen"
    rows_of <"$scratch/screen" >"$scratch/rows"
    [ -s "$scratch/rows" ] || continue
    with_rows=$((with_rows + 1))
    echo "run $i: $(sed -n 2p "$scratch/screen")"
    sed 's/^null-/  &/; t; s/^/! /' "$scratch/rows"
done
echo "rows above the floor in $with_rows of $((${#files[@]} - 1)) runs"
