#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes ctprof-metrics(7): the line @REGISTRY@ of the page gives way to the text that the registry's printer has written.
#
#   metrics-page.sh SCDOC PAGE TEXT
set -eu
[ $# -eq 3 ] || { echo "Usage: metrics-page.sh SCDOC PAGE TEXT" >&2; exit 2; }
grep -qx '@REGISTRY@' "$2" || { echo "$2: no line @REGISTRY@" >&2; exit 1; }
text=$(cat "$3")
{
    sed '/^@REGISTRY@$/,$d' "$2"
    printf '%s\n' "$text"
    sed '1,/^@REGISTRY@$/d' "$2"
} | "$1"
