#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vacuity.sh COMPILER SOURCE INCLUDE_DIRS...: shows that the suite can fail.
#
# First, check.sh must find fault with a case of each wrong kind. Then each of the five locks is disabled in
# turn, and the cases that it alone holds back must be reported as ACCEPTED; the claims that a second lock
# holds back must be reported as refused by that one. SOURCE is the folder of the sources, which is
# among INCLUDE_DIRS too and has include/ beside it.
set -eu
export LC_ALL=C

compiler=$1 source=$2
shift 2
cases=$(cd "$(dirname "$0")" && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "$1"
    sed 's/^/  | /' "$work/output"
    exit 1
}

# run STATUS COMPILER CASE INCLUDE_DIRS...: check.sh ends with this status.
run() {
    wanted=$1
    shift
    status=0
    "$cases/check.sh" "$@" >"$work/output" || status=$?
    [ "$status" -eq "$wanted" ] || fail "$2: status $status, expected $wanted"
    checks=$((checks + 1))
}

# verdict TEXT CASE INCLUDE_DIRS...: check.sh fails, with this verdict.
verdict() {
    text=$1
    shift
    run 1 "$compiler" "$@"
    head -n 1 "$work/output" | grep -qF "$text" || fail "$1: expected the verdict $text"
}

# A case of its own, from standard input.
write() {
    cat >"$work/$1.c"
}

command -v "${compiler%% *}" >/dev/null || {
    echo "${compiler%% *}: not installed, nothing checked"
    exit 77
}
checks=0

# check.sh itself.
write good <<'EOF'
/* expect: undeclared */
#ifdef FIXED
int present;
#else
int present = absent;
#endif
EOF
write harmless <<'EOF'
/* expect: undeclared */
#ifdef FIXED
int present;
#else
int present = 1;
#endif
EOF
write broken <<'EOF'
/* expect: undeclared */
#ifdef FIXED
int present = absent;
#else
int present = absent;
#endif
EOF
write warning <<'EOF'
/* expect: undeclared */
#ifdef FIXED
int present(int unused) { return 1; }
#else
int present = absent;
#endif
EOF
write header <<'EOF'
/* expect: No such file|not found */
#include "no-such-header.h"
#ifdef FIXED
#else
#endif
EOF
write other <<'EOF'
/* expect: incompatible type */
#ifdef FIXED
int present;
#else
int present = absent;
#endif
EOF
write second <<'EOF'
/* expect: undeclared */
/* expect: incompatible type */
#ifdef FIXED
int present;
#else
int present = absent;
#endif
EOF
write quoted <<'EOF'
/* expect: only here */
#ifdef FIXED
int present;
#else
int present = absent; /* only here, in the line that the compiler quotes */
#endif
EOF
write silent <<'EOF'
int present = absent;
EOF
run 0 "$compiler" "$work/good.c" "$@"
verdict ACCEPTED "$work/harmless.c" "$@"
for broken in broken warning header; do
    verdict 'BROKEN TWIN' "$work/$broken.c" "$@"
done
for other in other second quoted; do
    verdict 'ANOTHER MESSAGE' "$work/$other.c" "$@"
done
verdict 'NO EXPECTATION' "$work/silent.c" "$@"
run 77 no-such-compiler "$work/good.c" "$@"

# Locks 1 and 5 disabled: asserts assert nothing. Wrong encodings get through, what is wrong with values outside of
# the threads, and metrics that nothing reads; wrong rules are left to lock 2.
export CHECK_FLAGS='-D_Static_assert(...)='
for case in "$cases"/claim-encoding-*.c "$cases"/claim-fallback-encoding.c \
    "$cases"/claim-no-description.c "$cases"/fact-*.c "$cases"/claim-bpf-missing.c "$cases"/claim-bpf-elsewhere.c \
    "$cases"/claim-bpf-of-jemalloc.c "$cases"/claim-code-*.c "$cases"/claim-exits-key.c \
    "$cases"/claim-exits-without-key.c "$cases"/claim-exits-no-code.c "$cases"/claim-exits-end-no-code.c "$cases"/claim-exits-less.c \
    "$cases"/claim-source-*.c "$cases"/claim-taskstats-*.c; do
    verdict ACCEPTED "$case" "$@"
done
for case in "$cases"/claim-rule-*.c; do
    verdict 'ANOTHER MESSAGE' "$case" "$@"
    grep -Eq "error: .*'fold_[a-z0-9_]+_[A-Z]+'" "$work/output" ||
        fail "$case: not refused for the missing fold function"
done

# Lock 2 disabled: the missing function is another one's name.
CHECK_FLAGS=-Dfold_peak_ns_SUM=fold_peak_ns_MAX
verdict ACCEPTED "$cases/function-widened-rules.c" "$@"
CHECK_FLAGS=-Dfold_gauge_bytes_MAX=fold_gauge_count_MAX
verdict ACCEPTED "$cases/function-new-type.c" "$@"

# Lock 3 disabled: pointers of any kind, then bare numbers in place of the wrappers.
CHECK_FLAGS='-Wno-incompatible-pointer-types -Wno-int-conversion'
verdict ACCEPTED "$cases/use-pointer-to-other-kind.c" "$@"
verdict ACCEPTED "$cases/use-integer-as-pointer.c" "$@"
unset CHECK_FLAGS
for case in use-raw-integer use-into-raw-integer use-other-kind use-less-than; do
    sed -E 's/struct (counter|peak)_[a-z]+/uint64_t/g; s/\.v\>//g' "$cases/$case.c" >"$work/$case.c"
    verdict ACCEPTED "$work/$case.c" "$@"
done
mkdir "$work/measure"
# Rates keep their types.
sed -E '/^struct|struct rate_/!s/struct (sum|counter|level)_[a-z]+(_[a-z]+)*/double/g; /user\.v|100 \* wait\.v/!s/([a-z])\.v\>/\1/g
    s/metric_sum\(([a-z]+), /(\1 + /
    s/^(#define INPUT_SUM\(id_\)).*/\1 ((double)in->cells[METRIC_##id_].number)/
    s/^(#define INPUT_INSIDE\(id_\)).*/\1 ((double)without_before(in, METRIC_##id_, in->cells[METRIC_##id_].number))/
    s/^(#define INPUT_ROUNDED\(id_\)).*/\1 ((double)rounded_rate(in, METRIC_##id_))/
    s/^(#define INPUT_LIFE\(id_\)).*/\1 ((double)living_part(in, METRIC_##id_))/' \
    "$source/measure/derive.c" >"$work/measure/derive.c"
for case in swapped-inputs over-peak other-unit; do
    verdict ACCEPTED "$cases/use-derived-$case.c" "$work" "$@"
done

# Lock 4 disabled: a value is stored and fetched without regard to its type.
mkdir -p "$work/ctprof/metric"
sed 's/(sample_)->id_ = (__VA_ARGS__)/(void)(__VA_ARGS__)/
    s/\*(ret_) = (sample_)->id_/(void)(ret_)/' "$source/../include/ctprof/metric/sample.h" >"$work/ctprof/metric/sample.h"
for case in set-other-kind set-raw-integer get-other-kind; do
    verdict ACCEPTED "$cases/presence-$case.c" "$work" "$@"
done

echo "$checks verdicts as expected"
