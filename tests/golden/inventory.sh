#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# inventory.sh CASE...: checks that meson knows the cases of the folder, and that each of them says how it ends.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
failed=0
if ! diff <(printf '%s\n' "$@" | sort) <(find "$here/case" -mindepth 1 -maxdepth 1 -printf "%f\n" | sort); then
    echo "meson has another list of cases: run meson setup --reconfigure"
    failed=1
fi
for case in "$here"/case/*; do
    if [ "$(grep -ac '^=== status [0-9]*$' "$case")" -ne 1 ]; then
        echo "$case has not one status; UPDATE_GOLDEN=1 writes it"
        failed=1
    fi
done
exit "$failed"
