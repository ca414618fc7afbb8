#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# pipes.sh CTPROF: a reader that goes away ends the command without a word, whatever the format and the order, and
# what it has read by then is the beginning of what is printed to the end.
set -euo pipefail

if ! command -v jq >/dev/null || ! command -v zstd >/dev/null; then
    echo "skipped: no jq or no zstd"
    exit 77
fi
CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
export CTPROF SNAPSHOTS=$here/snapshots
# shellcheck source=/dev/null
source "$here/lib.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# The threads make more rows than a pipe holds.
for side in baseline candidate; do
    jq -c '.threads = [range(30) as $n | .threads[] | .tid += $n * 1000 | .tgid += $n * 1000]' \
        "$SNAPSHOTS/report-$side.json" | pack >"$side.zst"
done

checks=0
fail() {
    echo "pipes.sh: $*"
    exit 1
}

for format in table csv json ndjson markdown; do
    for options in "" "--order name" "--sort-by run_time_ns" "--top 1000" "--spread --metrics *_ns"; do
        for command in "show -l baseline.zst" "compare -l baseline.zst candidate.zst"; do
            what="$command --format $format $options"
            # The globs of options are for ctprof.
            set -f
            # shellcheck disable=SC2206
            words=($command --group-by thread --limit 0 --format "$format" $options)
            set +f
            "$CTPROF" "${words[@]}" >whole 2>err
            [ "$(wc -c <whole)" -gt 200000 ] || fail "$what prints less than a pipe may hold"
            set +o pipefail
            "$CTPROF" "${words[@]}" 2>err | head -c 1000 >begun
            status=${PIPESTATUS[0]}
            set -o pipefail
            [ "$status" -eq 141 ] || fail "$what: status $status where the reader went away"
            [ ! -s err ] || fail "$what: $(cat -v err)"
            head -c 1000 whole | cmp -s - begun || fail "$what begins in another way through a pipe"
            checks=$((checks + 1))
        done
    done
done
echo "$checks commands end quietly"
