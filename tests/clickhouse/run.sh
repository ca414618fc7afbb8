#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs a test with two servers of ClickHouse.
#
#   run.sh CTPROF MAKE_FLEET TEST
set -euo pipefail
[ $# -eq 3 ] || { echo "Usage: run.sh CTPROF MAKE_FLEET TEST" >&2; exit 2; }
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d -p "${TMPDIR:-/var/tmp}")
trap 'rm -rf "$work"' EXIT
status=0
PYTHONDONTWRITEBYTECODE=1 "$here/shards.sh" "$work" 2 python3 "$3" "$1" "$2" "$work" || status=$?
if [ "$status" -ne 0 ] && [ "$status" -ne 77 ]; then
    tail -n 20 "$work"/*/server.err.log >&2 || true
fi
exit "$status"
