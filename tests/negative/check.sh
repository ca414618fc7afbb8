#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# check.sh COMPILER SOURCE INCLUDE_DIRS...: whether the compiler refuses SOURCE for the reason it states.
#
# SOURCE has the wrong code under "#else" of "#ifdef FIXED", and near its top one or more lines
# "/* expect: ERE */". It passes where
#   - its FIXED twin compiles without a word, so that nothing else is wrong with the file;
#   - without FIXED it does not compile;
#   - each expectation matches a line with an error in the compiler's output.
# COMPILER may be several words. CHECK_FLAGS holds further flags; vacuity.sh disables a lock with them.
# Exit status: 0 passed, 1 failed, 77 there is no such compiler.
set -euf
export LC_ALL=C

compiler=$1 source=$2
shift 2

if ! command -v "${compiler%% *}" >/dev/null; then
    echo "${compiler%% *}: not installed, nothing checked"
    exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "$source: $1"
    sed 's/^/  | /' "$work/stderr"
    exit 1
}

# The case's own name is __BASE_FILE__ to it, which a quoted #include finds only by its absolute name.
case $source in
/*) ;;
*) source=$PWD/$source ;;
esac
for dir; do
    set -- "$@" "-I$dir"
    shift
done

compile() {
    # shellcheck disable=SC2086 # words are wanted
    $compiler -std=gnu17 -D_GNU_SOURCE -DCTPROF_HAS_JEMALLOC=1 -fsyntax-only -Wall -Wextra \
        -Werror=incompatible-pointer-types -Werror=int-conversion \
        "$@" ${CHECK_FLAGS:-} "$source" 2>"$work/stderr"
}

: >"$work/stderr"
sed -n 's|^/\* expect: \(.*\) \*/$|\1|p' "$source" >"$work/expectations"
[ -s "$work/expectations" ] || fail 'NO EXPECTATION: it has no line "/* expect: ERE */"'

compile -DFIXED "$@" || fail 'BROKEN TWIN: with FIXED it does not compile either'
[ ! -s "$work/stderr" ] || fail 'BROKEN TWIN: with FIXED it compiles with a warning'

if compile "$@"; then
    fail 'ACCEPTED: the wrong line compiles'
fi
grep -F 'error: ' "$work/stderr" >"$work/errors" || :
while IFS= read -r expectation; do
    grep -Eq -e "$expectation" "$work/errors" ||
        fail "ANOTHER MESSAGE: refused, but not for: $expectation"
done <"$work/expectations"
