#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# completion-print: what it refuses, and that a disk that is full is no success.
#
#   print.sh COMPLETION_PRINT
set -eu
[ $# -eq 1 ] || { echo "Usage: print.sh COMPLETION_PRINT" >&2; exit 2; }

# expect STATUS WHAT: of the command before.
expect() {
    [ "$status" -eq "$1" ] || { echo "$2: status $status, not $1"; exit 1; }
}

status=0
output=$(printf 'before\n# @TABLES@\nafter\n' | "$1" bash) || status=$?
expect 0 'a template'
case $output in
before*_ctprof_metrics*after) ;;
*) echo "a template: not before, the tables and after"; exit 1 ;;
esac
status=0
printf '# @TABLES@\n' | "$1" tcsh >/dev/null 2>&1 || status=$?
expect 1 'an unknown shell'
status=0
printf 'nothing\n' | "$1" bash >/dev/null 2>&1 || status=$?
expect 1 'a template without a place for the tables'
status=0
"$1" </dev/null >/dev/null 2>&1 || status=$?
expect 2 'no shell'
[ -w /dev/full ] || exit 0
status=0
printf '# @TABLES@\n' | "$1" zsh >/dev/full 2>/dev/null || status=$?
expect 1 'a full disk'
