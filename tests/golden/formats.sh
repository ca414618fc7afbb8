#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# formats.sh CTPROF: all formats have the same rows and values, cell by cell; see formats.py.
set -euo pipefail

if ! command -v python3 >/dev/null || ! command -v zstd >/dev/null; then
    echo "skipped: no python3 or no zstd"
    exit 77
fi
CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
snapshots=$here/snapshots
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for name in baseline candidate; do
    MALLOC_PERTURB_=0 zstd -q --check "$snapshots/report-$name.json" -o "$scratch/$name.zst"
    MALLOC_PERTURB_=0 zstd -q --check "$snapshots/window-$name.json" -o "$scratch/window-$name.zst"
done
python3 "$here/formats.py" "$CTPROF" baseline="$scratch/baseline.zst" candidate="$scratch/candidate.zst" \
    window-baseline="$scratch/window-baseline.zst" window-candidate="$scratch/window-candidate.zst" \
    facts-baseline="$snapshots/v1-facts-baseline.ctprof.zst" facts-candidate="$snapshots/v1-facts-candidate.ctprof.zst" \
    hostile="$snapshots/v1-facts-hostile.ctprof.zst" hostile-later="$snapshots/v1-facts-hostile-later.ctprof.zst"
