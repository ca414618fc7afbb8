#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every file that people write in a language has its licence in one of the first three lines.
#
#   spdx.sh ROOT
set -eu
[ $# -eq 1 ] || { echo "Usage: spdx.sh ROOT" >&2; exit 2; }
cd "$1"

list=$(mktemp)
trap 'rm -f "$list"' EXIT
find . \( -name .git -o -path './build*' -o -path ./tests/fixtures -o -path '*/seeds' \) -prune -o \
    -type f -print | LC_ALL=C sort >"$list"
export LC_ALL=C

# A line for each file that counts, by its name or by the interpreter in its first line: whether it has the
# licence, and its name. An empty file has no first line, so there the name alone decides.
checked=$(xargs -d '\n' awk '
    function counts(name) {
        return name ~ /[.](c|h|def|sh|py|awk|build|ini|yml|scd|scd[.]in)$/ || name ~ /\/meson_options[.]txt$/
    }
    FNR == 1 { matters[FILENAME] = counts(FILENAME) || /^#!/ }
    FNR <= 3 && /SPDX-License-Identifier: GPL-2[.]0-or-later/ { found[FILENAME] = 1 }
    END {
        for (i = 1; i < ARGC; i++)
            if (matters[ARGV[i]] || (!(ARGV[i] in matters) && counts(ARGV[i])))
                print ((ARGV[i] in found) ? "yes " : "no ") ARGV[i]
    }' <"$list")
[ -n "$checked" ] || { echo "spdx.sh: no files in $1" >&2; exit 1; }
printf '%s\n' "$checked" | awk '
    /^no / { print substr($0, 4) ": no SPDX-License-Identifier in the first three lines"; failed = 1 }
    END { exit failed }'
