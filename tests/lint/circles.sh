#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# No two files of a room call each other, directly or by way of others: what one file cannot do without the other is one
# subject. Read from the libraries of the rooms: who defines a name, and who uses it.
#
#   circles.sh LIBRARY...
#   circles.sh DIRECTORY    the libraries of rooms in the build directories below it
set -eu
[ $# -ge 1 ] || { echo "Usage: circles.sh LIBRARY...|DIRECTORY" >&2; exit 2; }
command -v nm >/dev/null || { echo "skipped: no nm"; exit 77; }
if [ -d "$1" ]; then
    list=$(find "$1" -regex '.*/src/\([^/]*\)/lib\1[.]a' | sort)
    [ -n "$list" ] || { echo "skipped: no libraries in $1"; exit 77; }
    # No room has a blank in its name.
    IFS='
'
    set -f
    # shellcheck disable=SC2086 # one word for each line
    set -- $list
fi
status=0
for library in "$@"; do
    # "library:object: T name" and "library:object: U name"; one library has many objects, and not every nm prints thin ones
    # in the same way, so the object is what stands before the last colon.
    nm -gPA "$library" 2>/dev/null | awk -v library="$library" '
        {
            file = $1
            sub(/:$/, "", file)
            sub(/\]$/, "", file)
            sub(/.*[[\/:]/, "", file)
            sub(/[.]c[.]o$/, "", file)
            sub(/^.*_/, "", file)
            names++
            if ($3 == "U")
                uses[file, $2] = 1
            else
                definer[$2] = file
        }
        END {
            if (!names) {
                print library ": no names"
                exit 1
            }
            for (pair in uses) {
                split(pair, words, SUBSEP)
                if ((words[2] in definer) && definer[words[2]] != words[1]) {
                    from = words[1]
                    to = definer[words[2]]
                    edges[from, to] = edges[from, to] " " words[2]
                }
            }
            # A file that nobody uses, or that uses nobody, is in no circle; what is left when these are gone is.
            do {
                again = 0
                split("", user)
                split("", used)
                for (pair in edges) {
                    split(pair, words, SUBSEP)
                    user[words[1]] = used[words[2]] = 1
                }
                for (pair in edges) {
                    split(pair, words, SUBSEP)
                    if (!(words[1] in used) || !(words[2] in user)) {
                        delete edges[pair]
                        again = 1
                    }
                }
            } while (again)
            for (pair in edges) {
                split(pair, words, SUBSEP)
                print library ": in a circle, " words[1] ".c uses" edges[pair] " of " words[2] ".c"
                failed = 1
            }
            exit failed
        }' || status=1
done
exit $status
