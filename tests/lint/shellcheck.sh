#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# No shell script gives shellcheck anything to say.
#
#   ROOT is the folder to look into.
set -eu
[ $# -eq 1 ] || { echo "Usage: shellcheck.sh ROOT" >&2; exit 2; }
cd "$1"

command -v shellcheck >/dev/null || { echo "skipped: no shellcheck"; exit 77; }
list=$(mktemp)
trap 'rm -f "$list"' EXIT
find . \( -name .git -o -path './build*' -o -path ./tests/fixtures -o -path '*/seeds' \) -prune -o \
    -type f -exec awk 'FNR == 1 && /^#!.*[\/ ](sh|bash|dash)( |$)/ { print FILENAME }' {} + |
    LC_ALL=C sort >"$list"
[ -s "$list" ] || { echo "shellcheck.sh: no scripts in $1" >&2; exit 1; }
xargs -d '\n' shellcheck <"$list"
