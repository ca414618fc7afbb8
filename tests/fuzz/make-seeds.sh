#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes the first seeds of the targets of whole commands from the golden snapshots and the fixture trees:
#   tests/fuzz/make-seeds.sh DIRECTORY
# Snapshots are decompressed, options are chosen by bytes in front (see command-words.c), and trees are cut down to a few
# processes (see input-tree.h).
set -euo pipefail
out=$(realpath "$1")
cd "$(dirname "$0")/.."

# The JSON of a snapshot with a few of its threads and cgroups.
json() {
    case $1 in
    *.zst) zstd -dcq "$1" ;;
    *) cat "$1" ;;
    esac | python3 -c '
import json, sys
streams = [open(fd, mode, encoding="utf-8", errors="surrogateescape") for fd, mode in ((0, "r"), (1, "w"))]
snapshot = json.load(streams[0])
for key, few in ("threads", 4), ("cgroup_stats", 3), ("cgroup_v1_stats", 2):
    part = snapshot.get(key)
    if isinstance(part, list):
        snapshot[key] = part[:few]
    elif isinstance(part, dict):
        snapshot[key] = dict(list(part.items())[:few])
json.dump(snapshot, streams[1], ensure_ascii=False, separators=(",", ":"))
'
}

# The bytes that choose options; 0 chooses few.
options() {
    local byte
    for ((byte = 0; byte < 24; byte++)); do
        # shellcheck disable=SC2059 # the format is the byte
        printf "\\x$(printf %02x $(((byte * 7 + 5) * $1 % 16)))"
    done
}

mkdir -p "$out"/{show,compare,command-window,capture}
number=0
for file in golden/snapshots/*.zst golden/snapshots/{window,ktstr}*.json; do
    name=$(basename "$file")
    name=${name%%.*}
    { printf j; options $number; json "$file"; } >"$out/show/$name"
    number=$((number + 1))
done
{ printf z; options 1; cat golden/snapshots/v1-baseline.ctprof.zst; } >"$out/show/frame"
{ printf z; options 0; cat golden/snapshots/v1-hostile.ctprof.zst; } >"$out/show/frame-hostile"

# pair TARGET NAME OPTIONS FIRST LAST
pair() {
    { [ "$3" = - ] || options "$3"; json "golden/snapshots/$4"; printf '\0'; json "golden/snapshots/$5"; } >"$out/$1/$2"
}
pair compare kernels 0 v1-baseline.ctprof.zst v1-candidate.ctprof.zst
pair compare facts 2 v1-facts-baseline.ctprof.zst v1-facts-candidate.ctprof.zst
pair compare hostile 3 v1-facts-hostile.ctprof.zst v1-facts-hostile-later.ctprof.zst
pair compare windows 4 window-baseline.json window-candidate.json
pair compare ktstr 1 ktstr-base.json ktstr-newer.json
for name in baseline candidate hostile no-schedstats; do
    pair command-window "$name" - "v1-$name.ctprof.zst" "v1-$name.ctprof.zst"
done
pair command-window kernels - v1-baseline.ctprof.zst v1-candidate.ctprof.zst
pair command-window hostile-later - v1-facts-hostile.ctprof.zst v1-facts-hostile-later.ctprof.zst

trees=$(mktemp -d)
trap 'rm -rf "$trees"' EXIT

# pack TREE: the host's files and the first processes of a tree.
pack() {
    local file
    (cd "$trees/$1" && find proc sys cgroup \( -type f -o -type l \) ! -name '*.gz' ! -name .keep 2>/dev/null |
        LC_ALL=C sort) | awk -F/ '$1 == "proc" && $2 ~ /^[0-9]+$/ { if (!($2 in seen)) { seen[$2] = ++n } if (seen[$2] > 2) next }
            { print }' |
        while IFS= read -r file; do
            if [ -L "$trees/$1/$file" ]; then
                printf '%s -> /nowhere/%s\0' "$file" "$(basename "$(readlink "$trees/$1/$file")")"
            else
                printf '%s\n' "$file"
                head -c 6000 "$trees/$1/$file" | tr -d '\0'
                printf '\0'
            fi
        done | head -c 60000
}
number=0
for tree in fixtures/*/; do
    tree=$(basename "$tree")
    fixtures/tree.sh "$tree" "$trees/$tree"
    # shellcheck disable=SC2059 # the format is the byte
    { printf "\\x$(printf %02x $((number % 16)))"; pack "$tree"; } >"$out/capture/$tree"
    number=$((number + 1))
done
