#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The tool as it was built has the hardening that meson.build asks for; read from the binary, not from the flags.
#
#   hardening.sh CTPROF FORTIFY [LIBRARY...]
#
# FORTIFY is the level of _FORTIFY_SOURCE, 0 without optimisation, or "instrumented" for builds with sanitizers or fuzzers.
# LIBRARIES are the static libraries that the tool was linked from: the linker drops the note on indirect branches if one
# object of the C library has none, so each object of ours is asked for it.
set -eu
[ $# -ge 2 ] || { echo "Usage: hardening.sh CTPROF FORTIFY [LIBRARY...]" >&2; exit 2; }
tool=$1
fortify=$2
shift 2
if [ "$fortify" = instrumented ]; then
    echo "skipped: sanitizers and fuzzers are built without hardening"
    exit 77
fi
command -v readelf >/dev/null || { echo "skipped: no readelf"; exit 77; }
export LC_ALL=C
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
readelf -hW "$tool" >"$tmp/header"
readelf -lW "$tool" >"$tmp/segments"
readelf -dW "$tool" >"$tmp/dynamic"
readelf -sW --dyn-syms "$tool" | awk '{ sub(/@.*/, "", $8); print $8 }' >"$tmp/symbols"

failed=0
# has WHAT FILE REGEX
has() {
    grep -Eq -- "$3" "$tmp/$2" || { echo "$tool: $1"; failed=1; }
}
has_not() {
    ! grep -Eq -- "$3" "$tmp/$2" || { echo "$tool: $1"; failed=1; }
}

has "not a position-independent executable" header 'Type: +DYN'
has "not marked as a position-independent executable" dynamic '\(FLAGS_1\).* PIE'
has "no segment that is read-only after relocation (RELRO)" segments '^ *GNU_RELRO '
has "symbols are bound late (no BIND_NOW)" dynamic '\(FLAGS\).* BIND_NOW|\(FLAGS_1\).* NOW'
has "nothing is said about the stack" segments '^ *GNU_STACK '
has_not "the stack is executable" segments '^ *GNU_STACK .* RWE '
has_not "a segment is writable and executable" segments '^ *LOAD .* RWE '
has_not "code has relocations (TEXTREL)" dynamic 'TEXTREL'
has_not "libraries are looked for in a path of its own" dynamic '\((RPATH|RUNPATH)\)'
has "no function checks its stack (__stack_chk_fail)" symbols '^__stack_chk_fail$'
if [ "$fortify" != 0 ]; then
    # The other functions depend on the sizes that a compiler can find.
    has "no call is fortified as snprintf" symbols '^__v?snprintf_chk$'
fi

# On x86 every object says that it takes part in indirect branch tracking and shadow stacks.
if grep -Eq 'Machine: .*(X86-64|80386)' "$tmp/header"; then
    for library in "$@"; do
        objects=$(readelf -hW "$library" 2>/dev/null | grep -c '^ELF Header')
        marked=$(readelf -nW "$library" 2>/dev/null | grep -c 'x86 feature: .*IBT.*SHSTK' || true)
        if [ "$objects" -eq 0 ] || [ "$objects" -ne "$marked" ]; then
            echo "$library: $marked of $objects objects have the note of -fcf-protection"
            failed=1
        fi
    done
fi
exit $failed
