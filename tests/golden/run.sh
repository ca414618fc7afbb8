#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# run.sh CTPROF CASE: runs CASE/cmd in a scratch directory and compares what it prints and how it ends with
# CASE/stdout, CASE/stderr and CASE/status. With UPDATE_GOLDEN=1 it writes those files instead.
#
# The command sees $CTPROF, $FIXTURES and $SNAPSHOTS and the functions of lib.sh; the two directories are
# links in the scratch directory, so that paths in messages are the same everywhere.
set -euo pipefail

if [ $# -ne 2 ]; then
    echo "usage: run.sh CTPROF CASE" >&2
    exit 2
fi
CTPROF=$(realpath "$1")
case=$(realpath "$2")
here=$(dirname "$(realpath "$0")")

if ! command -v jq >/dev/null || ! command -v zstd >/dev/null; then
    echo "skipped: no jq or no zstd"
    exit 77
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/place"
ln -s "$here/../fixtures" "$scratch/place/fixtures"
ln -s "$here/snapshots" "$scratch/place/snapshots"

status=0
(
    cd "$scratch/place"
    # shellcheck disable=SC2016 # The inner shell expands them.
    env -i PATH="$PATH" HOME="$scratch/place" LC_ALL=C.UTF-8 TZ=UTC \
        ASAN_OPTIONS="${ASAN_OPTIONS-}" UBSAN_OPTIONS="${UBSAN_OPTIONS-}" \
        CTPROF="$CTPROF" FIXTURES=fixtures SNAPSHOTS=snapshots LIB="$here/lib.sh" CASE="$case/cmd" \
        bash -o pipefail -c 'source "$LIB"; source "$CASE"'
) >"$scratch/stdout" 2>"$scratch/stderr" </dev/null || status=$?
echo "$status" >"$scratch/status"

if [ "${UPDATE_GOLDEN-}" = 1 ]; then
    for stream in stdout stderr status; do
        cp "$scratch/$stream" "$case/$stream"
    done
    exit 0
fi

failed=0
for stream in stdout stderr status; do
    if [ ! -f "$case/$stream" ]; then
        echo "$case/$stream is missing; UPDATE_GOLDEN=1 writes it"
        failed=1
    elif ! cmp -s "$case/$stream" "$scratch/$stream"; then
        diff -a -u --label "expected $stream" --label "actual $stream" "$case/$stream" \
            "$scratch/$stream" | cat -v || true
        failed=1
    fi
done
exit "$failed"
