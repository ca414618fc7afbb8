#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# No file over 600 lines, no function over 80. A function may be longer where the comment above it says why: it
# must hold the words "longer than 80 lines". Functions are found by the shape that clang-format gives them: an
# opening brace alone in the first column, and a closing one.
#
#   size.sh ROOT
set -eu
[ $# -eq 1 ] || { echo "Usage: size.sh ROOT" >&2; exit 2; }
cd "$1"

folders=
for folder in src registry tests bench; do
    [ ! -d "$folder" ] || folders="$folders $folder"
done
# shellcheck disable=SC2086 # The names have no blanks.
files=$(find $folders -path tests/fixtures -prune -o -type f \
    \( -name '*.[ch]' -o -name '*.def' -o -name '*.sh' -o -name '*.py' -o -name meson.build \) -print |
    LC_ALL=C sort)
[ -n "$files" ] || { echo "size.sh: no sources in $1" >&2; exit 1; }

# shellcheck disable=SC2086
awk '
function check_file() {
    if (lines > 600) {
        printf "%s: %d lines; the limit is 600\n", file, lines
        failed = 1
    }
}
FNR == 1 {
    check_file()
    file = FILENAME
    start = 0
    inside = excused = 0
}
{ lines = FNR }
FILENAME !~ /[.][ch]$/ { next }

inside && /^}/ {
    if (FNR - start + 1 > 80 && !excused) {
        printf "%s:%d: %s\n    is %d lines long; the limit is 80\n", FILENAME, start, head, FNR - start + 1
        failed = 1
    }
    inside = start = excused = 0
    next
}
inside { next }
/^[{]$/ && start { inside = 1; next }
/longer than 80 lines/ { excused = 1 }
/^$/ || /;$/ { start = excused = 0; next }
# The head of a function starts in the first column and may go on below.
/^[A-Za-z_]/ && !start { start = FNR; head = $0 }
END {
    check_file()
    exit failed
}' $files
