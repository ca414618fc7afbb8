#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# prometheus.sh CTPROF: the formats of Prometheus are well-formed and have the values of JSON; see prometheus.py. promtool and
# python's prometheus_client say the same, if they are there.
set -euo pipefail

if ! command -v python3 >/dev/null || ! command -v zstd >/dev/null; then
    echo "skipped: no python3 or no zstd"
    exit 77
fi
CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for name in report-baseline window-candidate; do
    MALLOC_PERTURB_=0 zstd -q --check "$here/snapshots/$name.json" -o "$scratch/$name.zst"
done
files=("$scratch/report-baseline.zst" "$scratch/window-candidate.zst" "$here/snapshots/v1-hostile.ctprof.zst")
python3 "$here/prometheus.py" "$CTPROF" "${files[@]}"
for file in "${files[@]}"; do
    if command -v promtool >/dev/null; then
        "$CTPROF" show -f prometheus -g pid "$file" | promtool check metrics
    fi
    if python3 -c 'import prometheus_client' 2>/dev/null; then
        "$CTPROF" show -f openmetrics -g pid "$file" | python3 -c '
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
assert sum(len(family.samples) for family in text_string_to_metric_families(sys.stdin.read())) > 3'
    fi
done
