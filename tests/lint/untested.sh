#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each source has a unit test of its name in the folder of its room, or a line in tests/lint/untested that says why not; and
# each unit test is in a folder of a room.
#
#   untested.sh ROOT
set -eu
[ $# -eq 1 ] || { echo "Usage: untested.sh ROOT" >&2; exit 2; }
cd "$1"

files=$(find src -mindepth 2 -name '*.c' ! -name '*.bpf.c' | LC_ALL=C sort)
[ -n "$files" ] || { echo "untested.sh: no sources in $1" >&2; exit 1; }
status=0

: "${TMPDIR:=/tmp}"
used=$(mktemp)
trap 'rm -f "$used"' EXIT
for file in $files; do
    room=${file#src/}
    room=${room%%/*}
    name=${file##*/}
    [ ! -e "tests/unit/$room/test-$name" ] || continue
    excused=
    while read -r pattern reason; do
        # shellcheck disable=SC2254 # The star is to match.
        case $file in
        $pattern)
            [ -z "$reason" ] || excused=$pattern
            break
            ;;
        esac
    done <tests/lint/untested
    if [ -n "$excused" ]; then
        echo "$excused" >>"$used"
    else
        echo "$file: no tests/unit/$room/test-$name, and no line in tests/lint/untested says why"
        status=1
    fi
done
while read -r pattern reason; do
    case $pattern in
    '' | '#'*) continue ;;
    esac
    grep -qFx -- "$pattern" "$used" || { echo "tests/lint/untested: $pattern: no source needs this line any more"; status=1; }
done <tests/lint/untested
for test in $(find tests/unit -name 'test-*.c' | LC_ALL=C sort); do
    room=${test#tests/unit/}
    room=${room%%/*}
    [ -d "src/$room" ] || { echo "$test: is in no folder of a room"; status=1; }
done
exit $status
