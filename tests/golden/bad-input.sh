#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# bad-input.sh CTPROF: files that are no snapshots, or damaged ones. Each is refused with one line on stderr and
# exit status 1, in bounded time and memory, and nothing reaches stdout. The sentences themselves are in the
# cases bad-*.
set -euo pipefail

for program in jq zstd perl; do
    if ! command -v "$program" >/dev/null; then
        echo "skipped: no $program"
        exit 77
    fi
done
CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
export CTPROF FIXTURES=$here/../fixtures SNAPSHOTS=$here/snapshots
# shellcheck source=/dev/null
source "$here/lib.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
good=good.zst
cp "$here/snapshots/v1-baseline.ctprof.zst" "$good"
size=$(stat -c %s "$good")

# Allocations are bounded too, unless the binary is instrumented and reserves terabytes.
kib=400000
if ! (ulimit -v "$kib" && "$CTPROF" --version) >/dev/null 2>&1; then
    echo "note: memory is not bounded here, the binary does not start with 400 MB of address space"
    kib=unlimited
fi

checks=0
fail() {
    echo "bad-input.sh: $*"
    [ ! -s err ] || cat -v err
    exit 1
}

# run ARGUMENT...: ctprof within the limits; its status in $status, its lines on stderr in $lines.
run() {
    status=0
    (ulimit -v "$kib" && exec timeout 20 "$CTPROF" "$@") >out 2>err || status=$?
    mapfile -t lines <err
}

# refused WHAT ARGUMENT...: the file bad.zst in these arguments is refused.
refused() {
    local what=$1

    shift
    run "$@"
    [ "$status" -eq 1 ] || fail "$what: '$*' ended with status $status, not 1"
    [ ! -s out ] || fail "$what: '$*' printed to stdout"
    [ "${#lines[@]}" -eq 1 ] || fail "$what: '$*' does not give one line on stderr"
    [[ ${lines[0]} =~ ^ctprof:\ (bad\.zst|standard\ input):\ . ]] || fail "$what: '$*' does not name itself and the file"
    checks=$((checks + 1))
}

# bad WHAT [ARGUMENT...]: bad.zst is refused by show and on either side of compare.
bad() {
    local what=$1

    shift
    refused "$what" show "$@" bad.zst
    refused "$what" compare "$@" "$good" bad.zst
    refused "$what" compare "$@" bad.zst "$good"
}

# accepted WHAT ARGUMENT...: the counterpart, so that a refusal is for the reason meant.
accepted() {
    local what=$1

    shift
    run "$@"
    if [ "$status" -ne 0 ] || [ ! -s out ] || [ -s err ]; then
        fail "$what: '$*' ended with status $status"
    fi
    checks=$((checks + 1))
}

accepted "the snapshot the bad ones are made of" show "$good"

bad "a missing file"
mkdir bad.zst
bad "a directory"
rmdir bad.zst
: >bad.zst
bad "an empty file"
echo "tid pcomm comm" >bad.zst
bad "plain text"
zstd -dc "$good" >bad.zst
bad "a snapshot that is not compressed"
if [ "$(id -u)" -ne 0 ]; then
    cp "$good" bad.zst
    chmod 0 bad.zst
    bad "a file without read permission"
    rm -f bad.zst
fi
refused "nothing on standard input" show - </dev/null

for length in 1 3 4 5 8 12 17 100 1000 $((size / 2)) $((size - 5)) $((size - 4)) $((size - 1)); do
    head -c "$length" "$good" >bad.zst
    bad "the first $length bytes"
done

# flip OFFSET: all bits of one byte the other way round.
flip() {
    perl -e 'local $/; open(F, "<", $ARGV[0]) or die; $_ = <F>; substr($_, $ARGV[1], 1) ^= "\xff"; print' \
        "$good" "$1" >bad.zst
}
for ((offset = 0; offset < size; offset += 97)); do
    flip "$offset"
    refused "byte $offset flipped" show bad.zst
done
flip $((size - 1))
bad "the last byte flipped"

printf 'hello\n' | pack >bad.zst
bad "no JSON"
head -c 100000 /dev/urandom | pack >bad.zst
bad "no text"
pack </dev/null >bad.zst
bad "a frame of nothing"
(cat "$good" && printf x) >bad.zst
bad "a byte behind the frame"
(zstd -dc "$good" && printf '{}') | pack >bad.zst
bad "a second document"
# A frame that wants half a gigabyte of memory before it gives a byte.
zstd -dc "$good" | zstd -q -c --long=29 --no-check >bad.zst
if zstd -lv bad.zst 2>/dev/null | grep -q "Window Size.*512 MiB"; then
    bad "a frame with a window of 512 MiB"
fi

empty='{"format":"ctprof","version":1,"kind":"lifetime","captured_at_unix_ns":1,"host":{},"threads":[],"parse_summary":{},"sources":{}}'
printf '%s' "$empty" | pack >bad.zst
accepted "the smallest snapshot" show bad.zst
for shape in '[]' '{}' '[{"format":"ctprof"}]' '"ctprof"' 'null' 'true' '12' \
    "${empty/ctprof/else}" "${empty/\"ctprof\"/1}" "${empty/:1,/:2,}" "${empty/:1,/:0,}" \
    "${empty/:1,/:-1,}" "${empty/:1,/:1.5,}" "${empty/:1,/:\"1\",}" "${empty/:1,/:null,}" \
    "${empty/lifetime/window}" "${empty/\"lifetime\"/[]}" "${empty/\"kind\":\"lifetime\",/}" \
    "${empty/\"threads\":[]/\"threads\":{\}}" "${empty/\"threads\":[]/\"threads\":null}" \
    "${empty/\"threads\":[]/\"threads\":[1]}" "${empty/\"threads\":[]/\"threads\":[[]]}" \
    "${empty/\"threads\":[],/}" "${empty/\"host\":{\}/\"host\":[]}" \
    "${empty/\"sources\":{\}/\"sources\":1}" "${empty%\}}" "${empty}x" "${empty/:/=}"; do
    [ "$shape" != "$empty" ] || fail "a shape is not bad: $shape"
    printf '%s' "$shape" | pack >bad.zst
    refused "the document $shape" show bad.zst
done
# Each value of a row in turn is of another type; a row needs all of its identity.
# shellcheck disable=SC2016
zstd -dc "$good" | jq -c '. as $document | ["tid", "comm", "state", "nice", "run_time_ns", "ext_enabled"] as $some
    | (.threads[1] | keys[] | [., null]), ($some[] | [., {a: [1]}], [., [["x"]]]) | . as [$key, $other]
    | "\($key) is \($other)", ($document | .threads[1][$key] = $other)' >rows
while read -r what && read -r document; do
    printf '%s' "$document" | pack >bad.zst
    refused "$what" show bad.zst
done <rows
for key in tid tgid pcomm comm start_time_clock_ticks; do
    zstd -dc "$good" | jq -c "del(.threads[1].$key)" | pack >bad.zst
    refused "no $key" show bad.zst
done

# Bombs, as frames of blocks that stand for 128 KiB of one byte each.
# bomb BYTE BLOCKS BEFORE AFTER
bomb() {
    perl -e '
        my ($byte, $blocks, $before, $after) = @ARGV;
        sub header { my ($size, $type, $last) = @_; substr(pack("V", $size << 3 | $type << 1 | $last), 0, 3) }
        print pack("VCC", 0xfd2fb528, 0, 7 << 3), header(length $before, 0, 0), $before;
        print header(131072, 1, 0), chr $byte for 1 .. $blocks;
        print header(length $after, 0, 1), $after' "$@" >bad.zst
}
bomb 32 8 '{' "${empty#\{}"
accepted "a snapshot with a megabyte of blanks" show bad.zst
[ "$(zstd -dc bad.zst | wc -c)" -eq $((1048576 + ${#empty})) ] || fail "a bomb is of another size"
bomb 0 32768 '' ''
bad "4 GiB of zeros"
refused "4 GiB of zeros from a pipe" show - < <(cat bad.zst)
bomb 32 32768 '{' "${empty#\{}"
bad "4 GiB of blanks in a snapshot" --read-limit bytes=64M
bomb 97 32768 '{"' "\":1,${empty#\{}"
bad "a key of 4 GiB"
bomb 97 32768 '{"new":"' "\",${empty#\{}"
bad "a string of 4 GiB"
bomb 97 16 '{"host":{"new":"' "\"},${empty#\{}"
bad "a host of more than 1 MiB" --read-limit string=64M
if grep -q -e --read-limit err; then fail "a limit that no option moves names one"; fi
bomb 48 32768 '{"new":1' ",${empty#\{}"
bad "a number of 4 GiB"
bomb 91 32768 '{"new":' ''
bad "4 Gi open brackets"
bomb 97 16 '{"new":"' "\",${empty#\{}"
bad "a string of 2 MiB"
accepted "a string of 2 MiB where that is allowed" show --read-limit string=4M bad.zst
bomb 97 16 '{"format":"ctprof","version":1,"kind":"lifetime","threads":[{"tid":1,"tgid":1,"pcomm":"a","comm":"' '"}]}'
bad "a comm of 2 MiB"
# The windows of a recording have the limit in bytes together, if they compress as no windows of ctprof's do.
recording rec
mapfile -t windows < <(zstd -dc rec/20260101T000000Z.ctprof.zst)
pack <<<"${windows[0]}" >all.zst
for window in "${windows[@]:1:3}"; do
    bomb 32 240 "${window%\}}" '}'
    cat bad.zst >>all.zst
done
mv all.zst bad.zst
accepted "a recording of three windows with 30 MB of blanks each" show bad.zst
accepted "the same with a limit above all" show --read-limit bytes=100M bad.zst
bad "a recording whose windows together are over the limit" --read-limit bytes=80M
bad "a recording with a window over the limit" --read-limit bytes=20M
nest() {
    printf '{"new":%s%s,%s' "$(printf "%$1s" '' | tr ' ' '[')" "$(printf "%$1s" '' | tr ' ' ']')" "${empty#\{}" | pack >bad.zst
}
nest 40
accepted "arrays 40 deep" show bad.zst
nest 100
bad "arrays 100 deep"
nest 100000
bad "arrays 100,000 deep"
bad "arrays 100,000 deep where that is allowed by half" --read-limit depth=50000

# The windows of an experiment have names that a stranger wrote. A FIFO is not waited for.
experiment strange
accepted "an experiment" ab-report strange
rm strange/A-1.zst
mkfifo strange/A-1.zst
expect_window() {
    run "$@"
    [ "$status" -eq 1 ] || fail "'$*' ended with status $status, not 1"
    [ "$(cat err)" = "ctprof: strange/A-1.zst: it is no regular file" ] || fail "'$*' does not say that a window is a FIFO"
    checks=$((checks + 1))
}
expect_window ab-report strange
expect_window compare 'A=strange/A-*.zst' 'B=strange/B-*.zst'

echo "$checks calls were refused or accepted as they should be"
