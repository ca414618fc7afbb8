#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# No file of src opens files in a way of its own. Other processes influence paths: they have mapped a file, or put a link, a device or a
# FIFO into a directory that the user has named, and exchange it at any time. A program that opens such a path first and looks at it
# afterwards has opened a device already.
#
#   operands, and files in directories that the user names, are opened by operand_open() or regular_file_open_beside();
#   files that processes have mapped, or that lie below their root directories, by regular_file_open_link() and local_path_open();
#   files that decide what is done by trust_open(), and files to write by output.h.
#
# The exceptions are paths of the kernel's or of our own, and directories that were found and checked before.
#
#   open.sh ROOT
set -eu
[ $# -eq 1 ] || { echo "Usage: open.sh ROOT" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"

# file, how many calls, and why they may be there.
exceptions='
src/base/fd.c 2 openat with O_NOFOLLOW, below a directory that is open; paths are for the second list
src/base/helper-guard.c 3 /dev/shm, and below directories that belong to this user
src/base/library.c 1 dlopen of libraries by their names
src/base/mem.c 1 /proc/self/statm
src/base/mount-maker.c 3 O_PATH, and the tables of mounts and loop devices
src/base/output-place.c 7 walks paths with O_PATH, and opens what it has found
src/base/output.c 3 new files in the directory that output-place.h has found
src/base/own-directory.c 2 O_PATH, the directory of this user
src/base/regular-file.c 4 decides
src/base/trust.c 3 the directories above one with O_PATH, and /proc/PID/status
src/base/watch.c 1 /proc/PID/task of its own threads
src/cli/main.c 1 /dev/null
src/host/host-users.c 1 /etc/passwd
src/database/database.c 1 a new file, in a directory that nobody else may write
src/duct/duct-files.c 2 a new directory and a new file, at places that output-place.h has found
src/duct/duct-run.c 1 /dev/null
src/export/export-pcp.c 2 a directory that nobody else can enter, and files of the library in it
src/job/job-cgroup-files.c 1 directories with O_NOFOLLOW below a cgroup
src/job/job-cgroup.c 2 a cgroup below our own, and its cgroup.procs
src/job/job-process.c 1 files of /proc by number
src/recording/recording-directory.c 2 a directory with O_PATH, and the lock, in a directory that this user has made or that nobody else may write
src/recording/recording-sums.c 1 in a directory of this user alone
src/recording/recording-write.c 2 in such a directory
src/taskstats/initial-network.c 2 the network namespaces of this process and of process 1, in /proc
src/trigger/trigger.c 2 pressure files of the kernel, and /proc/loadavg
src/cgroup/cgroup-open.c 2 openat2 and openat with O_PATH and O_NOFOLLOW, of directories below a mount of cgroups
src/doctor/doctor-cgroup.c 1 opendir of the mount of cgroups
src/doctor/doctor-probe.c 2 switches of the kernel at paths of our own below /proc and /sys
src/cgroup/cgroup-id.c 2 the mount of cgroups, and by their ids directories in it
src/cgroup/cgroup-mount.c 1 opendir of a directory that the user named, whose entries are read as cgroups
src/cgroup/cgroup-namespace.c 1 directories with O_NOFOLLOW below the mount of cgroups
src/host/host-context.c 1 /proc/cpuinfo
src/settings/settings-read.c 2 openat2 below /proc and /sys that crosses no mount, and /proc/self/fd of a file that was looked at
src/jemalloc/helper-program.c 2 O_PATH, of a directory and a program in it that root or the owner of ctprof alone can write
src/jemalloc/helper-sandbox.c 2 the numbers of openat(2) and openat2(2), which helper processes may call
src/procfs/proc-text.c 1 files of /proc by number
src/bpf/task-record.c 1 /proc/kallsyms
src/knob/knob-file.c 3 the file of a knob: openat2 without links, at the place that output-place.h has found, and /proc/self/fd of what was looked at
src/knob/changes.c 1 the working directory with O_PATH
src/knob/guardian.c 3 /dev/null, oom_score_adj of the guardian, and the working directory with O_PATH
src/knob/shell.c 2 the same of a command
src/knob/state-dir.c 2 the directory in the one that output-place.h has found, and the lock in it
src/knob/journal.c 3 the journal in that directory, and with O_PATH the directory of commands, which is checked then
src/experiment/outlook.c 1 /dev/null
src/serve/serve-child.c 1 /dev/null
src/experiment/workload.c 1 /dev/null
src/experiment/record-directory.c 2 a directory in the one that output-place.h has found, and files in it
'

# Functions that follow links along a whole path, and why they may.
walks_exceptions='
src/base/local-path.c 1 the mountinfo of a process
src/base/mount-maker.c 1 /sys/dev/block, by number
src/base/operand-open.c 1 the descriptor of this process that a path names
src/base/trust-open.c 1 the descriptor of this process that a path names
src/base/trust.c 2 two files below /proc
src/bpf/task-record.c 2 files below /sys/kernel, by the names of tracepoints of our own
src/capture/capture.c 2 trees that the user names, with O_PATH, and the mount of cgroups
src/capture/css-sets.c 1 the mount of cgroups
src/cgroup/cgroup-read.c 1 the mount of cgroups
src/cgroup/cgroup-share.c 1 the mount of cgroups
src/database/database-data.c 1 beside the database, in a directory that nobody else may write
src/database/database.c 1 the database, in such a directory
src/doctor/doctor-probe.c 1 the mount of cgroups
src/duct/duct-system.c 1 os-release
src/experiment/run.c 1 settings below /proc and /sys, by names of our own
src/jemalloc/file-opener.c 2 /proc/PID/map_files and /proc/PID/root, in a helper
src/jemalloc/trusted-file.c 1 /proc/PID/map_files with O_PATH
src/job/job-cgroup.c 1 the mount of cgroups
src/trigger/trigger.c 1 the mount of cgroups
'

# check EXCEPTIONS PATTERN ALLOWED WHAT: no file has more uses of the pattern than it may have, nor fewer. Lines like ALLOWED do not count.
check() {
    hits=$(grep -rnE "$2" --include='*.[ch]' src | grep -vE '^[^:]*:[0-9]+:[[:space:]]*(/?\*|//)' | grep -vE "$3" || true)
    [ -n "$hits" ] || { echo "open.sh: no use at all in $PWD, not even the legal ones" >&2; exit 1; }
    printf '%s\n' "$hits" | awk -F: -v exceptions="$1" -v what="calls that $4" -v rule='see operand-open.h and regular-file.h' \
        -f "$here/exceptions.awk" || failed=1
}

failed=0
check "$exceptions" '(^|[^[:alnum:]_>.])((open|open64|openat|openat64|openat2|creat|fopen|fopen64|freopen|popen|opendir|scandir|glob|ftw|nftw|fts_open|dlopen|open_by_handle_at)[[:space:]]*\(|SYS_open[a-z0-9]*[[:space:]]*[(,])' \
    '^$' 'open files'
# A path of the kernel in the very call is no path of others.
check "$walks_exceptions" '(^|[^[:alnum:]_])((fd_open_dir_at|fd_open_path_at|fd_open_file_at|fd_read_all_at|fd_read_all_until|fd_read_record_at|fd_read_begin_at)\(AT_FDCWD|regular_file_(open|find)_link\()' \
    'AT_FDCWD, "/(proc|sys|dev|run)?[/"]|^src/base/regular-file' 'follow links along a path'
exit "$failed"
