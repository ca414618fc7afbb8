#!/usr/bin/fish
# SPDX-License-Identifier: GPL-2.0-or-later
# Says what fish would offer for each line of standard input: the line, a tab, and whole words with '|' between them.
#
#   answers.fish SCRIPT
source $argv[1]
while read -l line
    set -l token (string replace -r -- '.* ' '' $line)
    # If nothing begins with the word, fish offers words that contain its letters.
    set -l words
    for word in (complete -C "$line" | string replace -r -- '\t.*' '')
        if test (string sub -l (string length -- $token) -- $word) = $token
            set -a words (string replace -r -- '[/=]$' '' $word)
        end
    end
    set -l list (string join -- \n $words | env LC_ALL=C sort -u | string join '|')
    printf '%s\t%s\n' $line "$list"
end
