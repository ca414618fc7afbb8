#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# run.sh CTPROF CASE: runs the command of the file CASE in a scratch directory and compares what it prints and how it
# ends with the rest of that file. With UPDATE_GOLDEN=1 it writes the rest of the file instead.
#
# A case is the command, and behind it the sections "=== status N", "=== stdout" and "=== stderr"; an empty stream has
# no section. The line "=== no newline" ends a stream whose last line has no newline.
#
# The command sees $CTPROF, $FIXTURES, $SNAPSHOTS and $DUCT and the functions of lib.sh; the three directories are
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

# section NAME FILE: prints a stream as a section of a case.
section() {
    [ -s "$2" ] || return 0
    echo "=== $1"
    cat "$2"
    [ -z "$(tail -c 1 "$2" | tr -d '\n')" ] || printf '\n=== no newline\n'
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/place"
ln -s "$here/../fixtures" "$scratch/place/fixtures"
ln -s "$here/snapshots" "$scratch/place/snapshots"
ln -s "$here/duct" "$scratch/place/duct"
sed '/^=== /,$d' "$case" >"$scratch/command"

status=0
(
    cd "$scratch/place"
    # shellcheck disable=SC2016 # The inner shell expands them.
    env -i PATH="$PATH" HOME="$scratch/place" LC_ALL=C.UTF-8 TZ=UTC \
        ASAN_OPTIONS="${ASAN_OPTIONS-}" UBSAN_OPTIONS="${UBSAN_OPTIONS-}" \
        CTPROF="$CTPROF" FIXTURES=fixtures TREES="$scratch/trees" SNAPSHOTS=snapshots DUCT=duct LIB="$here/lib.sh" COMMAND="$scratch/command" \
        bash -o pipefail -c 'source "$LIB"; source "$COMMAND"'
) >"$scratch/stdout" 2>"$scratch/stderr" </dev/null || status=$?

{
    cat "$scratch/command"
    echo "=== status $status"
    section stdout "$scratch/stdout"
    section stderr "$scratch/stderr"
} >"$scratch/actual"

if [ "${UPDATE_GOLDEN-}" = 1 ]; then
    cmp -s "$case" "$scratch/actual" || cp "$scratch/actual" "$case"
    exit 0
fi
if ! cmp -s "$case" "$scratch/actual"; then
    diff -a -u --label expected --label actual "$case" "$scratch/actual" | cat -v || true
    exit 1
fi
