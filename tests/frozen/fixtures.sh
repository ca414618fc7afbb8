#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# fixtures.sh CTPROF DIR: captures of the fixture trees by one version, in DIR; without their host's time, which a tree
# does not have.
set -euo pipefail
CTPROF=$(realpath "$1") dir=$(realpath "$2")
here=$(dirname "$(realpath "$0")")
TREES=$(mktemp -d)
export TREES FIXTURES=$here/../fixtures
trap 'rm -rf "$TREES"' EXIT
# shellcheck source=/dev/null
source "$here/../golden/lib.sh"
for tree in "$FIXTURES"/*/; do
    name=$(basename "$tree")
    capture_fixture "$name" -q --smaps all -o "$dir/tree-$name.zst"
done
"$CTPROF" window -q -o "$dir/window-of-tree.zst" "$dir/tree-6.12-schedstats.zst" "$dir/tree-6.12-schedstats-later.zst"
