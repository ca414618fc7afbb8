#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# There is one hash function, hash_bytes() of src/base/hash.c, which has a seed of its own in each process. A table that
# computes slots in another way lets the author of a file choose which names or numbers collide. The numbers of
# src/statistics/generator.c, which mixes bits as well, follow a seed that anybody may know.
#
#   hash.sh ROOT
set -eu
[ $# -eq 1 ] || { echo "Usage: hash.sh ROOT" >&2; exit 2; }
cd "$1"

files=$(find src include -name '*.[ch]' ! -path src/base/hash.c ! -path src/statistics/generator.c | LC_ALL=C sort)
[ -n "$files" ] || { echo "hash.sh: no sources in $1" >&2; exit 1; }
status=0

# A multiplication by, or an exclusive or with, a constant of 32 bits and more is how a hash function mixes. One that
# repeats a byte in each byte of a word is none.
# shellcheck disable=SC2086 # The names have no blanks.
if grep -nE '(\*|\^)=? *(UINT(32|64)_C\()?0x[0-9a-fA-F]{8,}|(UINT(32|64)_C\()?0x[0-9a-fA-F]{8,}[uUlL]*\)? *[*^] ' $files |
    grep -v '0x0101010101010101'; then
    echo "hash.sh: this looks like a hash function; hash_bytes() of include/ctprof/base/hash.h is the one to use"
    status=1
fi

# A slot of a table whose size is a power of two comes from hash_bytes().
# shellcheck disable=SC2086
awk '
FNR == 1 { hashed = 0 }
/hash_bytes\(|->hash|\.hash|= hash &/ { hashed = FNR }
/(slot|bucket)(s)?[a-z_]* *= .*(%|& *\(?[a-z_>.-]*(mask|count|capacity))/ && FNR - hashed > 3 && !/slot \+ 1/ {
    printf "%s:%d: a slot that does not come from hash_bytes(): %s\n", FILENAME, FNR, $0
    failed = 1
}
END { exit failed }
' $files || status=1
exit $status
