#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# inventory.sh CASE...: the cases that meson knows are those of the folder, and each is whole.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
failed=0
if ! diff <(printf '%s\n' "$@" | sort) <(find "$here/case" -mindepth 1 -maxdepth 1 -printf "%f\n" | sort); then
    echo "meson has another list of cases: run meson setup --reconfigure"
    failed=1
fi
for case in "$here"/case/*; do
    for file in cmd stdout stderr status; do
        if [ ! -f "$case/$file" ]; then
            echo "$case/$file is missing"
            failed=1
        fi
    done
done
exit "$failed"
