# SPDX-License-Identifier: GPL-2.0-or-later
# Reads lines of "grep -n", and fails if a file has more of them than its line in the exceptions allows, or fewer.
#
#   awk -F: -v exceptions=LINES -v what=WORDS -v rule=WORDS -f exceptions.awk
#
# A line of the exceptions has a file, a number and a reason. @what is what the lines are, @rule where to look.
BEGIN {
    n = split(exceptions, lines, "\n")
    for (i = 1; i <= n; i++)
        if (split(lines[i], words, " ") > 2)
            most[words[1]] = words[2]
}
{
    found[$1]++
    text[$1] = text[$1] $0 "\n"
}
END {
    for (file in found)
        if (found[file] > most[file] + 0) {
            printf "%s%s: %d %s, %d are allowed: %s\n", text[file], file, found[file], what, most[file], rule
            failed = 1
        }
    for (file in most)
        if (found[file] + 0 < most[file]) {
            printf "%s: is an exception with more %s than it has\n", file, what
            failed = 1
        }
    exit failed
}
