#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Only base/trust.h decides whom a file belongs to. It knows where the kernel shows an owner who is another one: in user
# namespaces, in procfs and on FUSE. So no other file compares owners, or looks for the right of others to write.
#
#   trust.sh ROOT
set -eu
[ $# -eq 1 ] || { echo "Usage: trust.sh ROOT" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"

# file, how many lines, and why they may be there.
exceptions='
src/base/trust.c 6 decides
src/base/output-place.c 1 decides only what permissions a new file takes from the one before
src/base/own-directory.c 1 a directory that no group may write at all
src/base/output.c 1 compares the group of a new file with the one that it is to have
src/jemalloc/trusted-file.c 1 a file system is known by mountinfo there, and nothing may wait for it; no bit of a group is a right of its own
src/jemalloc/helper-program.c 4 the program must belong to the owner of ctprof, who is no user of it
src/command/privileged.c 1 compares ids of this process with each other
src/recording/recording-sums.c 1 sums beside a recording of another user must be of that user, whoever it is
src/doctor/doctor-threads.c 1 chooses a process to read from, by its user
'

pattern='st_[ug]id[[:space:]]*[!=]=|stx_[ug]id[[:space:]]*[!=]=|[!=]=[[:space:]]*[a-z_>.-]*stx?_[ug]id|S_IW(GRP|OTH)|gete?uid\(\)[[:space:]]*[!=]=[[:space:]]*[^0[:space:]]'
hits=$(grep -rnE "$pattern" --include='*.[ch]' src | grep -vE '^[^:]*:[0-9]+:[[:space:]]*(/?\*|//)' || true)
[ -n "$hits" ] || { echo "trust.sh: no use at all in $1, not even the legal ones" >&2; exit 1; }
printf '%s\n' "$hits" | awk -F: -v exceptions="$exceptions" -v what='comparisons of owners' \
    -v rule='base/trust.h decides whom a file belongs to' -f "$here/exceptions.awk"
