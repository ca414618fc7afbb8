#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes ctprof-metrics(7): the line @REGISTRY@ of the page gives way to what the registry's printer says.
#
#   metrics-page.sh SCDOC PAGE PRINTER
set -eu
[ $# -eq 3 ] || { echo "Usage: metrics-page.sh SCDOC PAGE PRINTER" >&2; exit 2; }
grep -qx '@REGISTRY@' "$2" || { echo "$2: no line @REGISTRY@" >&2; exit 1; }
registry=$("$3" man)
{
    sed '/^@REGISTRY@$/,$d' "$2"
    printf '%s\n' "$registry"
    sed '1,/^@REGISTRY@$/d' "$2"
} | "$1"
