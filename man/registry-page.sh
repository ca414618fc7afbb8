#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes a page of which a part comes from the registry: replaces the line @REGISTRY@ by the text of registry-print.
#
#   registry-page.sh SCDOC PAGE TEXT
set -eu
[ $# -eq 3 ] || { echo "Usage: registry-page.sh SCDOC PAGE TEXT" >&2; exit 2; }
grep -qx '@REGISTRY@' "$2" || { echo "$2: no line @REGISTRY@" >&2; exit 1; }
text=$(cat "$3")
{
    sed '/^@REGISTRY@$/,$d' "$2"
    printf '%s\n' "$text"
    sed '1,/^@REGISTRY@$/d' "$2"
} | "$1"
