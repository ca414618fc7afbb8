#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# All C is as clang-format 14 leaves it; other versions differ in details, so they are not asked.
#
#   format.sh ROOT
set -eu
[ $# -eq 1 ] || { echo "Usage: format.sh ROOT" >&2; exit 2; }
cd "$1"

tool=${CLANG_FORMAT:-}
for candidate in clang-format-14 clang-format; do
    [ -n "$tool" ] || ! command -v "$candidate" >/dev/null || tool=$candidate
done
[ -n "$tool" ] || { echo "skipped: no clang-format"; exit 77; }
version=$("$tool" --version | sed -n 's/.*version \([0-9]*\)\..*/\1/p')
[ "$version" = 14 ] || { echo "skipped: clang-format is version $version, not 14"; exit 77; }

list=$(mktemp)
trap 'rm -f "$list"' EXIT
find . \( -name .git -o -path './build*' \) -prune -o -type f -name '*.[ch]' -print | LC_ALL=C sort >"$list"
[ -s "$list" ] || { echo "format.sh: no sources in $1" >&2; exit 1; }
xargs "$tool" --style=file --dry-run -Werror <"$list"
