#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel gives one process id to several processes, one after the other. A process is its tgid and its start time, which
# thread_key_same_process() and sample_is_of_process() compare. Every other function that compares a tgid for equality stands
# in the list of exceptions, with the reason: the start time is compared beside it, or it does not matter.
# Comparing a tgid with a tid of the same row asks whether that is the leader's row, and is allowed.
#
#   process-identity.sh ROOT
set -eu
export LC_ALL=C
[ $# -eq 1 ] || { echo "Usage: process-identity.sh ROOT" >&2; exit 2; }
cd "$1"
list=tests/lint/process-identity-exceptions

files=$(find src include -name '*.[ch]' | sort)
# shellcheck disable=SC2086 # one word for each file
awk -v list="$list" '
    BEGIN {
        while ((getline line < list) > 0) {
            if (line ~ /^(#|$)/)
                continue
            count = split(line, words, " ")
            if (count < 3) {
                print list ": no reason: " line
                failed = 1
            }
            unused[words[1] " " words[2]] = 1
            allowed[words[1] " " words[2]] = 1
        }
    }
    FNR == 1 { function_name = "" }
    # A definition starts in the first column; what follows a brace at its end is its body.
    /^[A-Za-z_].*\(/ && !/;[[:space:]]*$/ {
        function_name = $0
        sub(/\(.*/, "", function_name)
        sub(/.*[ *]/, "", function_name)
    }
    {
        code = $0
        sub(/\/\*.*/, "", code)
        sub(/^[[:space:]]*\*.*/, "", code)
        sub(/\/\/.*/, "", code)
        # The leader asks of its own row.
        gsub(/(tid|pid) *[!=]= *([A-Za-z_]+(->|\.))*tgid/, "", code)
        gsub(/tgid *[!=]= *([A-Za-z_]+(->|\.))?(tid|pid)([^A-Za-z_]|$)/, "", code)
        if (code !~ /tgid\)? *[!=]=/ && code !~ /[!=]= *[^&|;]*[^A-Za-z_]*tgid([^A-Za-z_(]|$)/)
            next
        uses++
        if ((FILENAME " " function_name) in allowed) {
            delete unused[FILENAME " " function_name]
            next
        }
        print FILENAME ":" FNR ": " function_name "() compares a bare tgid; use thread_key_same_process() or sample_is_of_process()"
        failed = 1
    }
    END {
        if (!uses) {
            print "process-identity.sh: no comparison at all, not even the legal ones"
            failed = 1
        }
        for (name in unused) {
            print list ": " name " compares no tgid any more"
            failed = 1
        }
        exit failed
    }' $files
