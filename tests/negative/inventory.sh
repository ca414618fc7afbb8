#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# inventory.sh CASES...: whether the cases that the build runs are all that there are.
set -eu
export LC_ALL=C

cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for case; do
    echo "$case.c"
done | sort >"$work/listed"
printf '%s\n' *.c | sort >"$work/present"
diff "$work/listed" "$work/present"
