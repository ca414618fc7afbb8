#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# interval.sh CTPROF: two snapshots of this host, between which processes came, left without a record, and executed other
# programs: compare of the two says what show says of the window that they make.
# shellcheck disable=SC2154 # lib.sh counts the checks.
set -euo pipefail

CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
source "$here/lib.sh"
needs jq zstd

scratch=$(mktemp -d)
pids=()
clean_up() {
    [ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$scratch"
}
trap clean_up EXIT
cd "$scratch"
# Processes of the names "leaves", "stays", "comes" and "shell", which becomes "stays".
for name in leaves stays comes; do
    cp "$(command -v sleep)" "$name"
done
cp "$(command -v bash)" shell
./leaves 600 &
leaves=$!
./stays 600 &
pids+=($!)
mkfifo go
./shell -c 'read -r _ <go; exec ./stays 600' &
pids+=($!)
sleep 0.2
"$CTPROF" capture -q -o a.zst
kill "$leaves"
wait "$leaves" 2>/dev/null || true
echo >go
./comes 600 &
pids+=($!)
sleep 1
"$CTPROF" capture -q -o b.zst
"$CTPROF" compare --limit 0 --sort-by threads a.zst b.zst >screen
same "the group that left" "gone 1" "$(sed -n 's/^leaves  *\(gone 1\) .*/\1/p' screen)"
same "the group that came" "new 1" "$(sed -n 's/^comes  *\(new 1\) .*/\1/p' screen)"
same "the group that another one went on in" "2" "$(sed -n 's/^stays  *\([^ ]*\) .*/\1/p' screen)"
"$here/../golden/interval.sh" "$CTPROF" a.zst b.zst
echo "$checks checks passed"
