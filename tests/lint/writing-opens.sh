#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Files are written through output.h and nothing else. It knows how to write as root where others may write, too: whose
# permissions a new file has, which links are followed, and what is left behind after an error. So no other file of src
# opens for writing, or makes, renames, removes or gives away a file.
#
#   writing-opens.sh ROOT
set -eu
[ $# -eq 1 ] || { echo "Usage: writing-opens.sh ROOT" >&2; exit 2; }
cd "$1"

# Places that open for writing although they are not output, and why.
#   src/jemalloc/helper-program.c     /dev/null, as standard descriptors of a helper process
#   src/jemalloc/memory-probe.c       memory without a name, which a helper process maps as well
#   src/jemalloc/helper-sandbox.c  names the flags that the helper process may not use
#   src/command/manual-page.c             /dev/null, as standard output of man(1) that is asked whether it has a page
#   src/base/helper-guard.c         a file for locks, in a directory of the user's that nobody else may write
#   src/base/signal-undo.c          removes the temporary names of output.c
#   src/base/own-directory.c        makes the directory of the user's that nobody else may write
#   src/doctor/doctor-probe.c            switches of the kernel below /proc/sys, by names of the registry
#   src/knob/guardian.c, shell.c         /dev/null, as standard descriptors, and oom_score_adj of the guardian
#   src/experiment/outlook.c             /dev/null, as standard output of a child
#   src/serve/serve-child.c              /dev/null, as standard descriptors of a process
#   src/knob/journal.c, state-dir.c      the journal of an experiment and its lock, in a directory that nobody else may enter and
#                                        that output-place.h has found
#   src/experiment/record-directory.c   the directory of an experiment, for its user alone
#   src/job/job-cgroup.c                 a cgroup below our own, and who is in it
#   src/duct/duct-files.c                files that grow while a command runs, at a place that output-place.h has found
#   src/duct/duct-gpu.c                  /dev/null, as standard error of nvidia-smi
#   src/duct/duct-pty.c                  a new pseudoterminal, whose two ends have no path that others choose
#   src/duct/duct-run.c                  /dev/null, as standard descriptors of a command
#   src/recording/recording-directory.c  the directory of a recording and its lock
#   src/recording/recording-write.c      windows are appended, and a torn tail is cut off
#   src/recording/recording-sums.c       sums of windows, beside their file, in a directory that nobody else may write
#   src/recording/recording-keep.c       old files of a recording are removed
#   src/database/database.c              SQLite, which gets its own interface to the system (database-files.h)
#   src/database/database-schema.c       SQLite, in memory
#   src/export/export-pcp.c                 a directory for a library that writes under names, which nobody else can enter
#   src/trigger/trigger.c                pressure files of the kernel, which take a trigger by a write
#   src/knob/knob-file.c                 settings of the host, as the user of an experiment names them
exceptions="src/export/export-pcp.c src/trigger/trigger.c src/database/database.c src/database/database-schema.c src/duct/duct-files.c src/duct/duct-gpu.c src/duct/duct-pty.c src/duct/duct-run.c src/recording/recording-directory.c src/recording/recording-write.c src/recording/recording-sums.c src/recording/recording-keep.c src/command/manual-page.c src/experiment/outlook.c src/serve/serve-child.c src/job/job-cgroup.c src/experiment/record-directory.c src/knob/guardian.c src/knob/shell.c src/knob/journal.c src/knob/state-dir.c src/knob/knob-file.c src/base/helper-guard.c src/base/own-directory.c src/base/signal-undo.c src/jemalloc/helper-program.c src/jemalloc/memory-probe.c src/jemalloc/helper-sandbox.c src/doctor/doctor-probe.c"

files=$(find src include -name '*.[ch]' | LC_ALL=C sort)
[ -n "$files" ] || { echo "writing-opens.sh: no sources in $1" >&2; exit 1; }
# shellcheck disable=SC2086 # The names have no blanks.
awk -v exceptions="$exceptions" '
    BEGIN {
        n = split(exceptions, names, " ")
        for (i = 1; i <= n; i++)
            unused[names[i]] = 1
        flags = "(^|[^A-Z_])O_(WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)([^A-Z_]|$)"
        makes = "(^|[^a-z0-9_])(creat|creat64|mkstemp|mkstemps|mkostemp|mkostemps|tmpfile|tmpnam|freopen)[(]"
        calls = "(^|[^a-z0-9_])(mkdtemp|mkdir|mkdirat|mkfifo|mkfifoat|mknod|mknodat|symlink|symlinkat|link|linkat|rename|renameat|renameat2|unlink" \
            "|unlinkat|sqlite3_open|sqlite3_open16|sqlite3_open_v2|rmdir|remove|chmod|fchmod|fchmodat|chown|lchown|fchown|fchownat|truncate|ftruncate|popen|system)[(]"
        # The kernel walks such a path, over links of others: no file has these calls, the exceptions included.
        walked = "(^|[^a-z0-9_.>])(mkdir|mkfifo|mknod|symlink|link|rename|unlink|rmdir|remove|chmod|chown|lchown|truncate|creat)[(]"
        # A stream is for reading where the line says so.
        streams = "(^|[^a-z0-9_])(fopen|fopen64|fdopen)[(]"
        reads = "\"r[a-z]*\""
    }
    function complain(text) {
        printf "%s:%d: %s: %s\n", FILENAME, FNR, text, $0
        failed = 1
    }
    FILENAME ~ /^src\/base\/output(-place)?[.]c$/ { seen = seen || $0 ~ flags; next }
    # Comments may speak of all of it.
    { code = $0; gsub(/\/\*.*\*\//, "", code); sub(/\/\/.*/, "", code) }
    code ~ /^[ \t]*(\/\*|\*[ \t\/]|\*$)/ { next }
    code ~ walked { complain("is given a path, which the kernel walks: output-place.h finds places, and calls that end in -at take its descriptor") }
    { writes = code ~ flags || code ~ makes || (code ~ streams && code !~ reads) }
    writes || code ~ calls {
        if (index(" " exceptions " ", " " FILENAME " ")) {
            delete unused[FILENAME]
            next
        }
        complain(writes ? "opens for writing, which is for output.c" \
                        : "changes a file or a directory, which is for output.c")
    }
    END {
        for (name in unused) {
            print name ": is an exception of writing-opens.sh but opens nothing for writing any more"
            failed = 1
        }
        if (!seen) {
            print "writing-opens.sh: not even output.c opens for writing"
            failed = 1
        }
        exit failed
    }' $files
