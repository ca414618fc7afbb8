#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A manual page renders without warnings, and is not empty.
#
#   check-page.sh PAGE
set -eu
[ $# -eq 1 ] || { echo "Usage: check-page.sh PAGE" >&2; exit 2; }
command -v man >/dev/null || { echo "skipped: no man"; exit 77; }

errors=$(mktemp)
trap 'rm -f "$errors"' EXIT
lines=$(LC_ALL=C.UTF-8 MANWIDTH=80 MANPAGER=cat man --warnings -l "$1" 2>"$errors" | wc -l)
cat "$errors"
[ ! -s "$errors" ]
[ "$lines" -gt 20 ] || { echo "$1: only $lines lines"; exit 1; }
