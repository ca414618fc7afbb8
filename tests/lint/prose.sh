#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Comments and names in the sources are plain technical English; CONTRIBUTING.md has the rule under Style. This script
# finds the relapses that a machine can find: a sentence that begins with a clause ("What the counters of ...", "Where it is
# not there, ...") in a comment or a page, and, in the sources of the program, words of an older idiom and headers called
# parts.
#
#   prose.sh ROOT
set -eu
[ $# -eq 1 ] || { echo "Usage: prose.sh ROOT" >&2; exit 2; }
cd "$1"

folders=
for folder in src include registry man docs tests bench packaging; do
    [ ! -d "$folder" ] || folders="$folders $folder"
done
# shellcheck disable=SC2086 # The names have no blanks.
files=$({
    find . -maxdepth 1 -name '*.md'
    find $folders -path tests/fixtures -prune -o -path tests/fuzz/seeds -prune -o -type f -exec grep -lI '' {} +
} | LC_ALL=C sort)
[ -n "$files" ] || { echo "prose.sh: no sources in $1" >&2; exit 1; }

# Trailing comments of a field may be phrases. A line of any other comment begins with a slash or an asterisk.
# shellcheck disable=SC2086 # The names have no blanks.
awk '
function complain(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    failed = 1
}

FNR == 1 && FILENAME ~ /-parts[.]h$/ {
    complain("a header is called by its subject, not parts")
}

FNR == 1 {
    is_page = FILENAME ~ /[.](scd|scd[.]in|md)$/
    is_source = FILENAME ~ /^(src|include|registry)\//
}

# Headings of pages may be questions.
is_page && !/^#/ && /(^[\t -]*|[.:] )(What|Whom|Whose|Who|Whoever|Where|Whether|How|Which|Of|By|Until|As|That of)( |$)/ {
    complain("a sentence begins with its subject; a condition is \"if\" and stands last")
}

!is_page && /^[ \t]*(\/[*]| [*]|#) (.*[.:;] )?(What|Whom|Whose|Who|Whoever|Where|Whether|How|Which|Of|By|Until|As|That of)( |$)/ {
    complain("a sentence begins with its subject, or with a verb such as Returns")
}

!is_source {
    next
}

/(^|[^a-z])(told|parcel|company)([^a-z]|$)/ {
    complain("an older word for something: name the thing itself")
}

/(^|[^a-z_])(take|look)_[a-z]+\(|[a-z]_(take|look)\(/ && !/take_ptr\(/ {
    complain("a function is called by what it does: get, read, find, add, split ...")
}

END { exit failed }
' $files
