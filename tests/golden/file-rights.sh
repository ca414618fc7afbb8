#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# file-rights.sh CTPROF: the capabilities of the program file, and set-id bits, are for reading processes. A user without rights
# cannot open by them what only root may read. Needs root, to be two users.
set -euo pipefail

if [ "$(id -u)" -ne 0 ]; then
    echo "skipped: only root can be two users"
    exit 77
fi
for program in setcap setpriv zstd findmnt; do
    command -v "$program" >/dev/null || { echo "skipped: no $program"; exit 77; }
done
CTPROF=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
cd "$scratch"
umask 022
cp "$CTPROF" ctprof
mkdir -m 700 secret
mkdir -m 777 own

checks=0
fail() {
    echo "file-rights.sh: $*"
    exit 1
}
ok() {
    checks=$((checks + 1))
}
nobody() {
    setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$@"
}

# Files that only root may read.
"$CTPROF" capture --proc-root "$here/../fixtures/6.12-schedstats/proc" -q -o secret/a.zst --label word=TopSecret
cp secret/a.zst secret/b.zst
printf 'password=TopSecret\n' >secret/my.cnf
printf 'TopSecret\n' >secret/word
printf '[commands]\nTopSecret = true\n' >secret/plan
"$CTPROF" duct -q -p secret/x_ --message TopSecret -- true
"$CTPROF" db --db secret/fleet.db add secret/a.zst >/dev/null
printf '#!/bin/sh\necho TopSecret\n' >secret/program
chmod 600 secret/*
chmod 755 secret/program
# A tree of processes that is the user's, with links to files of root's.
cp -R "$here/../fixtures/6.12-schedstats/proc" own/proc
for file in own/proc/[0-9]*/comm own/proc/[0-9]*/task/*/comm own/proc/[0-9]*/cgroup own/proc/[0-9]*/task/*/cgroup; do
    [ ! -e "$file" ] || ln -sfn "$scratch/secret/word" "$file"
done

# refused WHAT COMMAND...: says nothing of the secret, whatever it does.
refused() {
    what=$1
    shift
    nobody "$@" >out 2>&1 </dev/null && status=0 || status=$?
    ! grep -aq TopSecret out || fail "$mode: $what: $(grep -a TopSecret out | head -3)"
    [ "$status" -lt 128 ] || fail "$mode: $what: status $status"
    ok
}

readers() {
    refused "duct reads a file of variables" env DUCT_CONFIG_PATHS="$scratch/secret/my.cnf" ./ctprof duct -q -p own/x_ --clobber -- env
    for command in show plot list report; do
        for file in a.zst my.cnf x_info.json x_usage.jsonl; do
            refused "$command $file" ./ctprof "$command" "secret/$file"
        done
    done
    refused "compare" ./ctprof compare -l secret/a.zst secret/b.zst
    refused "window" ./ctprof window secret/a.zst secret/b.zst -o own/w.zst
    refused "merge" ./ctprof merge secret/a.zst -o own/m.zst
    refused "export" ./ctprof export secret/a.zst
    refused "db query" ./ctprof db --db secret/fleet.db query hosts
    refused "db add" ./ctprof db --db own/fleet.db add secret/a.zst
    refused "ab" ./ctprof ab -n secret/plan
    refused "ab-report" ./ctprof ab-report secret
    refused "capture of a tree" ./ctprof capture --proc-root own/proc -q -o own/c.zst
    [ ! -s own/c.zst ] || ! zstd -dcq own/c.zst | grep -aq TopSecret || fail "$mode: a tree of the user's leads to root's file"
    nobody ./ctprof capture --proc-root "$here/../fixtures/6.12-schedstats/proc" -q -o secret/new.zst >out 2>&1 || true
    [ ! -e secret/new.zst ] || fail "$mode: a snapshot is written where only root may write"
    ok
}

# Commands have the rights of the user alone, also those that run in the middle of a window. A shell with -p keeps the ids that it has.
commands() {
    for options in "run" "run -o own/window.zst" "duct -q -p own/y_ --clobber" "duct -q -p own/y_ --clobber --mode current-session"; do
        # shellcheck disable=SC2086 # the options are several words
        refused "$options: a command reads" ./ctprof $options -- bash -p -c 'cat secret/word; id -u >own/uid'
        [ "$(cat own/uid)" = 65534 ] || fail "$mode: $options: a command runs as user $(cat own/uid)"
        # shellcheck disable=SC2086
        refused "$options: a program of root's" ./ctprof $options -- secret/program
    done
    refused "run writes records" ./ctprof run -o own/window.zst --records secret/r_ -- true
    [ -z "$(find secret -name 'r_*')" ] || fail "$mode: run --records writes where only root may"
    printf '#!/bin/sh -p\ncat secret/word >own/gpu; id -u >own/uid\n' >own/nvidia-smi
    chmod 755 own/nvidia-smi
    refused "duct's nvidia-smi" env PATH="$scratch/own:$PATH" ./ctprof duct -q -p own/y_ --clobber -- sleep 0.3
    [ ! -s own/gpu ] || fail "$mode: nvidia-smi of the user's reads root's files"
    rm -f own/gpu own/uid
}

# The user reads no such file, and root does.
mode=plain
nobody cat secret/word 2>/dev/null && fail "nobody can read it anyway"
./ctprof show secret/a.zst -s labels 2>/dev/null | grep -q TopSecret || "$CTPROF" show -f json secret/a.zst | grep -q TopSecret ||
    fail "root does not find the secret"
readers
commands
if setcap cap_dac_read_search,cap_dac_override,cap_sys_ptrace,cap_net_admin+ep ctprof 2>/dev/null && nobody ./ctprof --version >/dev/null 2>&1; then
    mode="file capabilities"
    readers
    commands
    # They do what they are for: files of root's processes.
    sleep 60 &
    nobody ./ctprof capture --source procfs --pid "$!" -q -o own/rights.zst 2>out || fail "capture: $(cat out)"
    kill "$!"
    if [ -r /proc/self/io ] && ! findmnt -nro OPTIONS -T . | grep -q nosuid; then
        zstd -dcq own/rights.zst | grep -q '"rchar"' || fail "a capture has not the rights that the file has"
    fi
    ok
    setcap -r ctprof
fi
chmod 4755 ctprof
mode="set-user-id"
readers
commands
chgrp root ctprof
chmod 2755 ctprof
mode="set-group-id"
chmod 750 secret
chmod 640 secret/word
readers
commands
echo "$checks checks"
