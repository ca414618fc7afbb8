#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# rates.sh CTPROF: counters per second, per thread and per CPU second, and what they may be off by; see rates.py.
set -euo pipefail

if ! command -v python3 >/dev/null || ! command -v zstd >/dev/null; then
    echo "skipped: no python3 or no zstd"
    exit 77
fi
CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$here/snapshots/"{window,report}-{baseline,candidate}.json "$scratch"
# Complete exits, and intervals that nothing divides.
sed 's/"exits":"recorded"/"exits":"completed"/; s/"interval_ns":60000000000/"interval_ns":59999999977/' \
    "$here/snapshots/window-candidate.json" >"$scratch/completed.json"
files=()
for text in "$scratch"/*.json; do
    MALLOC_PERTURB_=0 zstd -q --check "$text" -o "${text%.json}.zst"
    files+=("$text" "${text%.json}.zst")
done
python3 "$here/rates.py" "$CTPROF" "${files[@]}"
