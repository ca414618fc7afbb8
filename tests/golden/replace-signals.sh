#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# replace-signals.sh CTPROF: a file is replaced in two steps, and a signal comes between them. The file is whole, the old one or the new
# one, and nothing else is left in the directory.
set -euo pipefail

# Below nohup(1) HUP is ignored.
[ -n "${signals_are_default:-}" ] || exec env --default-signal signals_are_default=yes "$0" "$@"
if ! command -v strace >/dev/null || ! strace -o /dev/null true 2>/dev/null; then
    echo "skipped: no strace, or no program can be traced here"
    exit 77
fi
CTPROF=$(realpath "$1")
snapshot=$(realpath "$(dirname "$0")")/snapshots/v1-baseline.ctprof.zst
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "replace-signals.sh: $*"
    exit 1
}
export ASAN_OPTIONS=detect_leaks=0
checks=0
for signal in HUP INT TERM; do
    for call in linkat rename,renameat,renameat2; do
        rm -rf place
        mkdir place
        echo old >place/report.html
        status=0
        # The shell says how it ended.
        { strace -o calls -e trace="$call" -e inject="$call:signal=SIG$signal:when=1" \
            "$CTPROF" report -o place/report.html "$snapshot"; } 2>err || status=$?
        grep -q "SIG$signal" calls || { echo "note: no $call is called here"; continue; }
        [ "$status" -gt 128 ] || fail "$signal at $call: status $status"
        [ "$(ls -A place)" = report.html ] || fail "$signal at $call leaves $(echo place/.* place/*)"
        [ "$(cat place/report.html)" = old ] || [ "$(tail -c 8 place/report.html)" = "</html>" ] ||
            fail "$signal at $call: the file is neither the old one nor the new one"
        checks=$((checks + 1))
    done
done
[ "$checks" -gt 0 ] || { echo "skipped: no signal came"; exit 77; }
echo "$checks checks"
