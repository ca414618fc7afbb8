#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The help of the tool and of each command fits two screens of 24 lines and 80 columns, and ends well.
#
#   help-screen.sh ROOT CTPROF
set -eu
[ $# -eq 2 ] || { echo "Usage: help-screen.sh ROOT CTPROF" >&2; exit 2; }
ctprof=$2
status=0

check() {
    printf '%s\n' "$2" | awk -v what="$1" '
        length($0) > 80 { printf "%s: line %d has %d columns\n", what, NR, length($0); failed = 1 }
        END {
            if (NR > 48) { printf "%s: %d lines\n", what, NR; failed = 1 }
            if (NR < 4) { printf "%s: says nothing\n", what; failed = 1 }
            exit failed
        }' || status=1
}

export LC_ALL=C
general=$("$ctprof" --help) || { echo "ctprof --help: status $?"; exit 1; }
check "ctprof --help" "$general"
commands=$(printf '%s\n' "$general" | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p')
[ -n "$commands" ] || { echo "ctprof --help lists no command"; exit 1; }
for command in $commands; do
    text=$("$ctprof" "$command" --help) || { echo "ctprof $command --help: status $?"; status=1; }
    check "ctprof $command --help" "$text"
done
exit $status
