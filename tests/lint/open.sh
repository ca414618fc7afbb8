#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Files at paths that other processes influence are opened by regular_file_open() only, which opens nothing but regular files
# on local file systems. The rooms that deal with such paths may not open files in another way, but for the calls below. In
# the rooms of experiments, which own what they write, output-place.h finds places first.
#
#   open.sh ROOT
set -eu
[ $# -eq 1 ] || { echo "Usage: open.sh ROOT" >&2; exit 2; }
cd "$1"

# file, how many calls, and why they may be there.
exceptions='
src/cgroup/cgroup-open.c 2 openat2 and openat with O_PATH and O_NOFOLLOW, of directories below a mount of cgroups
src/doctor/doctor-cgroup.c 1 opendir of the mount of cgroups
src/doctor/doctor-probe.c 2 switches of the kernel at paths of our own below /proc and /sys
src/cgroup/cgroup-id.c 2 the mount of cgroups, and by their ids directories in it
src/cgroup/cgroup-mount.c 1 opendir of a directory that the user named
src/cgroup/cgroup-namespace.c 1 directories with O_NOFOLLOW below the mount of cgroups
src/capture/syscall-name.c 1 dlopen of libseccomp by its name
src/jemalloc/ctl-call.c 1 dlopen of a library by its name
src/host/host-context.c 1 /proc/cpuinfo
src/settings/settings-read.c 2 openat2 below /proc and /sys that crosses no mount, and /proc/self/fd of a file that was looked at
src/jemalloc/helper-program.c 2 O_PATH, of a directory and a program in it that root or the owner of ctprof alone can write
src/jemalloc/helper-sandbox.c 2 the numbers of openat(2) and openat2(2), which helper processes may call
src/procfs/proc-text.c 1 files of /proc by number
src/bpf/task-record.c 1 /proc/kallsyms
src/knob/knob-file.c 3 the file of a knob: openat2 without links, at the place that output-place.h has found, and /proc/self/fd of what was looked at
src/knob/guardian.c 2 /dev/null, and oom_score_adj of the guardian
src/knob/shell.c 2 the same of a command
src/knob/state-dir.c 2 the directory in the one that output-place.h has found, and the lock in it
src/knob/journal.c 2 the journal in that directory
src/experiment/outlook.c 1 /dev/null
src/experiment/workload.c 1 /dev/null
src/experiment/record-directory.c 2 a directory in the one that output-place.h has found, and files in it
'

calls='(^|[^[:alnum:]_>.])(open|open64|openat|openat64|openat2|creat|fopen|freopen|popen|opendir|dlopen|open_by_handle_at|SYS_open[a-z0-9]*)[[:space:]]*[(,]'
hits=$(grep -rnE "$calls" --include='*.[ch]' src/procfs src/taskstats src/cgroup src/settings src/host src/bpf src/jemalloc src/capture src/doctor src/knob src/experiment | grep -vE '^[^:]*:[0-9]+:[[:space:]]*(/?\*|//)' || true)
[ -n "$hits" ] || { echo "open.sh: no use at all in $1, not even the legal ones" >&2; exit 1; }
printf '%s\n' "$hits" | awk -F: -v exceptions="$exceptions" '
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
                printf "%s%s: %d calls that open files, %d are allowed: paths of others are for regular_file_open()\n",
                    text[file], file, found[file], most[file]
                failed = 1
            }
        for (file in most)
            if (found[file] + 0 < most[file]) {
                print file ": is an exception of open.sh with more calls than it has"
                failed = 1
            }
        exit failed
    }'
