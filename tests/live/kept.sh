#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# kept.sh CTPROF: the BPF program that root's captures keep in /run/ctprof. It is made once, used afterwards, made anew where it
# does not fit, and never used where others can write. Works on a /run of its own.
#
# shellcheck disable=SC2154 # lib.sh sets it.
set -euo pipefail

CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
source "$here/lib.sh"
needs unshare strace zstd jq
if [ -z "${kept_is_inside:-}" ]; then
    [ "$(id -u)" = 0 ] || { echo "skipped: only root's programs are kept"; exit 77; }
    exec env kept_is_inside=yes unshare --mount --propagation private "$0" "$CTPROF"
fi
mount -t tmpfs -o mode=755 tmpfs /run
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
kept=/run/ctprof/task_record

if ! "$CTPROF" capture -q --source bpf -o try.zst 2>err; then
    echo "skipped: $(cat err)"
    exit 77
fi
[ -e "$kept" ] || { echo "skipped: this kernel does not say what a program is attached to (Linux 6.0)"; exit 77; }
same "the file's owner and mode" "0 600" "$(stat -c '%u %a' "$kept")"
same "the directory's owner and mode" "0 700" "$(stat -c '%u %a' /run/ctprof)"

# way [NAME=VALUE]: how a capture loads the program: light and libbpf give the kernel types as well. The capture must work.
way() {
    env "$@" strace -f -qq -e trace=bpf -o calls "$CTPROF" capture -q --source bpf -o way.zst || fail "a capture: status $?"
    same "source" bpf "$(zstd -dc way.zst | jq -r .host.source)"
    if grep -q 'BPF_PROG_TYPE_TRACING.*prog_name="task_record"' calls; then
        if grep -q BPF_BTF_LOAD calls; then echo libbpf; else echo kept; fi
    else
        echo light
    fi
}
same "a second capture" kept "$(way A=)"
same "CTPROF_BPF_LOADER=light" light "$(way CTPROF_BPF_LOADER=light)"
same "CTPROF_BPF_LOADER=libbpf" libbpf "$(way CTPROF_BPF_LOADER=libbpf)"

cp "$kept" good
size=$(stat -c %s good)
# damage DESCRIPTION: the file in its place does not fit, so that the program is loaded by libbpf and kept again.
damage() {
    same "$1" libbpf "$(way A=)"
    cmp -s good "$kept" || fail "$1: the program was not kept again"
    same "$1, once more" kept "$(way A=)"
}
truncate -s $((size - 8)) "$kept"
damage "a short file"
: >"$kept"
damage "an empty file"
for at in 3 20 60 70 80 $((size / 2)) $((size - 1)); do
    printf '\377' | dd of="$kept" bs=1 seek="$at" conv=notrunc status=none
    damage "byte $at is another one"
done
cat good good >"$kept"
damage "a long file"

# Nobody else decides what the kernel is given. The file of a place that others can write is neither used nor made.
refused() {
    same "$1" light "$(way A=)"
}
chmod 777 /run/ctprof
refused "others can write the directory"
chmod 700 /run/ctprof
chown 65534 /run/ctprof
refused "the directory is another user's"
chown 0 /run/ctprof
chmod 1777 /run
refused "others can write /run"
chmod 755 /run
same "as before" kept "$(way A=)"
mv /run/ctprof /run/elsewhere
ln -s elsewhere /run/ctprof
refused "the directory is a link"
rm /run/ctprof
mount -t tmpfs -o ro,mode=700 tmpfs "$(mkdir /run/ctprof && echo /run/ctprof)"
refused "nothing can be written"
umount /run/ctprof

# The rows are those of the other ways: kernel threads that sleep have the same names and births.
"$CTPROF" capture -q --source bpf -o kept.zst
CTPROF_BPF_LOADER=light "$CTPROF" capture -q --source bpf -o light.zst
of() {
    zstd -dc "$1" | jq -cS '.threads[] | [.tgid, .tid, .start_time_clock_ticks, .comm, .cgroup]' | sort
}
of kept.zst >kept.rows
of light.zst >light.rows
same "threads in both" "$(comm -12 kept.rows light.rows | awk 'END { print (NR >= 10) }')" 1
[ "$(comm -3 kept.rows light.rows | wc -l)" -le $(($(wc -l <kept.rows) / 2)) ] || fail "the rows differ: $(comm -3 kept.rows light.rows | head -5)"
echo "OK, $checks checks"
