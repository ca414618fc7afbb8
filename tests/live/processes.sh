#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# processes.sh CTPROF WORKLOAD: the executable and the user of every process are those that readlink and ps tell of, for root
# and for somebody who is denied other users' executables; a process that may not be dumped, one whose effective user
# is not its real one and one whose executable is gone are among them.
# shellcheck disable=SC2154 # lib.sh counts the checks.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
source "$here/lib.sh"
needs getent jq ps setpriv zstd
scratch=$(mktemp -d)
sleepers=()
trap 'kill "${sleepers[@]}" 2>/dev/null || true; rm -rf "$scratch"' EXIT
# Anybody can run what is here: the build may be in a place that is root's alone.
chmod 755 "$scratch"
cp "$1" "$scratch/ctprof"
cp "$2" "$scratch/workload"
cp "$(command -v sleep)" "$scratch/gone"
cp "$(command -v sleep)" "$scratch/two
lines"
cp "$(command -v sleep)" "$scratch/"$'not-utf8-\xff'
chmod 755 "$scratch"/*
mkdir -m 777 "$scratch/place"
cd "$scratch/place"

is_root=false
[ "$(id -u)" -ne 0 ] || is_root=true
# Runs a command as a user without rights, if we can, and else as ourselves.
somebody=(env)
! $is_root || somebody=(setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all)
if ! "${somebody[@]}" true 2>/dev/null; then
    echo "skipped: root cannot become somebody else here"
    exit 77
fi

# launch COMMAND...: a process that sleeps; $launched is its id once it does.
launch() {
    "$@" 600 &
    launched=$!
    sleepers+=("$launched")
    for ((i = 0; i < 6000; i++)); do
        [ "$(readlink "/proc/$launched/exe")" != "${!#}" ] || return 0
        sleep 0.01
    done
    fail "$* does not sleep"
}
launch "$scratch/gone"
gone=$launched
launch "${somebody[@]}" "$scratch/two
lines"
launch "$scratch/"$'not-utf8-\xff'
not_utf8=$launched
if $is_root; then
    # Nobody has a name for this one.
    launch setpriv --euid=4242424 "$scratch/gone"
    effective=$launched
fi
mkfifo hold
"${somebody[@]}" "$scratch/workload" undumpable undumpable <hold >ready &
undumpable=$!
sleepers+=("$undumpable")
exec 9>hold
await ready READY
same "the owner of what may not be dumped" 0 "$(stat -c %u "/proc/$undumpable/maps")"
rm "$scratch/gone"

# exes: "pid link" in hexadecimal for every process that shows it, by id, with the link's last newline.
exes() {
    local dir link

    for dir in /proc/[0-9]*; do
        link=$(readlink "$dir/exe" 2>/dev/null | od -An -v -tx1 | tr -d ' \n') || continue
        [ -z "$link" ] || echo "${dir#/proc/} ${link%0a}"
    done | sort
}
exes_captured() {
    zstd -dc "$1" | jq -r '.threads[] | select(.tid == .tgid and has("exe") and .exe != "")
        | "\(.tgid) \(.exe_hex // (.exe | @json))"' |
        while read -r pid text; do
            case $text in
            \"*) echo "$pid $(jq -j . <<<"$text" | od -An -v -tx1 | tr -d ' \n')" ;;
            *) echo "$pid $text" ;;
            esac
        done | sort
}
# ps prints ids from 2^31 on as negative numbers.
users() {
    ps -eo pid=,euid=,euser:64= | awk '{ printf "%s %.0f %s\n", $1, $2 < 0 ? $2 + 4294967296 : $2, $3 }' | sort
}
# A user without a name is a number to ps.
users_captured() {
    zstd -dc "$1" | jq -r '.host.users as $names | .threads[] | select(.tid == .tgid)
        | "\(.tgid) \(.uid) \($names["\(.uid)"] // .uid)"' | sort
}
# steady WHAT FILE: processes that come and go, or run something else meanwhile, are in only one of the readings.
steady() {
    comm -12 "$1.before" "$1.after" >"$1.steady"
    missed=$(comm -23 "$1.steady" "$1.captured")
    [ -z "$missed" ] || fail "$1: these were there all the time and are not in the capture: $(head -n 3 <<<"$missed")"
    # The capture of a process that was steady is exact.
    join -j 1 <(cut -d ' ' -f 1 "$1.steady" | sort) <(sort -k 1,1 "$1.captured") | sort >"$1.same"
    cmp -s "$1.steady" "$1.same" || fail "$1: $(diff "$1.steady" "$1.same" | head -n 4)"
    [ -s "$1.steady" ] || fail "$1: there was no process to compare"
    checks=$((checks + 3))
    echo "$1: $(wc -l <"$1.steady") processes"
}
# compare_all FILE COMMAND...: a capture by COMMAND between two readings of the same kind.
compare_all() {
    "${@:2}" bash -c "$(declare -f exes); exes" >exe.before
    users >user.before
    "${@:2}" "$scratch/ctprof" capture -q -o "$1"
    "${@:2}" bash -c "$(declare -f exes); exes" >exe.after
    users >user.after
    exes_captured "$1" >exe.captured
    users_captured "$1" >user.captured
    steady exe
    steady user
    zstd -dc "$1" >"$1.json"
    # Every row of a process has what its leader has.
    jq -e '[.threads | group_by(.tgid)[] | map([.exe, .exe_hex, .uid]) | unique | length] | all(. == 1)' \
        "$1.json" >/dev/null || fail "threads of one process differ"
    jq -e '.sources.exe as $exe | [.threads[].tgid] | unique | length >= ([$exe | del(.rule)[]] | add)' \
        "$1.json" >/dev/null || fail "more executables than processes were counted"
    same "executables read" "$(wc -l <exe.captured)" "$(jq .sources.exe.read "$1.json")"
}
# of PID FILTER FILE
of() {
    jq -r --argjson pid "$1" ".threads[] | select(.tid == \$pid) | $2" "$3"
}

echo "# as $(id -un)"
compare_all own.zst env
same "an executable that is gone" "$scratch/gone (deleted)" "$(of "$gone" .exe own.zst.json)"
[[ $(of "$not_utf8" .exe_hex own.zst.json) == *2dff ]] || fail "the bytes that are not UTF-8 are missing"
if $is_root; then
    same "the user of what may not be dumped" 65534 "$(of "$undumpable" .uid own.zst.json)"
    same "an effective user" 4242424 "$(of "$effective" .uid own.zst.json)"
    same "the name of a user without one" null "$(jq -r '.host.users["4242424"]' own.zst.json)"
    same "the name of root" "$(getent passwd 0 | cut -d : -f 1)" "$(jq -r '.host.users["0"]' own.zst.json)"
    echo "# as somebody without rights"
    compare_all other.zst "${somebody[@]}"
fi
file=own.zst.json
! $is_root || file=other.zst.json
# Not to be dumped, so not to be looked at either, even for its own user.
same "the executable of what may not be dumped" denied "$(of "$undumpable" '.missing.exe // .exe' "$file")"
# Kernel threads have none: nothing is denied there.
awk '{ pid = $1; sub(/^.*[)] /, ""); if (int($7 / 2097152) % 2) print pid }' /proc/[0-9]*/stat 2>/dev/null >kernel || true
same "kernel threads with a reason" 0 "$(jq --slurpfile kernel kernel \
    '[.threads[] | select(.tid == .tgid and IN(.tgid; $kernel[]) and (.missing.exe or .exe != ""))] | length' "$file")"

"$scratch/ctprof" capture -q --anonymous -o anonymous.zst
zstd -dc anonymous.zst >anonymous.json
same "executables with --anonymous" 0 "$(jq '[.threads[] | select(has("exe"))] | length' anonymous.json)"
same "the reason" skipped "$(jq -r .sources.exe.rule anonymous.json)"
same "names of users with --anonymous" null "$(jq .host.users anonymous.json)"
# A procfs that is named is one all the same, but users may be another system's.
"$scratch/ctprof" capture -q --proc-root /proc -o named.zst
zstd -dc named.zst >named.json
same "our own user by --proc-root" "$(id -u)" "$(jq --argjson pid "$$" '.threads[] | select(.tid == $pid) | .uid' named.json)"
same "names of users by --proc-root" null "$(jq .host.users named.json)"
echo "$checks checks"
