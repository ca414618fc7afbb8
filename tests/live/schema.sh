#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# schema.sh CTPROF SCHEMA: the JSON Schema of snapshots, as the build makes it, takes what ctprof writes, by the word
# of an independent validator, and refuses what it does not write.
set -euo pipefail

validator=/usr/bin/jsonschema
if [ ! -f "${2-}" ]; then
    echo "skipped: this build makes no JSON Schema"
    exit 77
fi
if [ ! -x "$validator" ] || ! PATH=/usr/bin:$PATH "$validator" --version >/dev/null 2>&1; then
    echo "skipped: no $validator (Debian: python3-jsonschema)"
    exit 77
fi
for program in jq zstd; do
    if ! command -v "$program" >/dev/null; then
        echo "skipped: no $program"
        exit 77
    fi
done
CTPROF=$(realpath "$1")
schema=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
export CTPROF FIXTURES=$here/../fixtures
# shellcheck source=/dev/null
source "$here/lib.sh"
# shellcheck source=/dev/null
source "$here/../golden/lib.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TREES=$scratch/trees
cd "$scratch"

# Other Pythons that come first in PATH may lack the module.
validate() {
    local file instances=()

    for file in "$@"; do
        instances+=(-i "$file")
    done
    PATH=/usr/bin:$PATH "$validator" "${instances[@]}" "$schema" 2>/dev/null
}

mkdir taken
"$CTPROF" capture -q -o - | zstd -dc >taken/live.json
"$CTPROF" capture -q --anonymous -o - | zstd -dc >taken/anonymous.json
for tree in "$FIXTURES"/*/; do
    tree=$(basename "$tree")
    capture_fixture "$tree" -q -o - | zstd -dc >"taken/$tree.json"
done
# The stored files are older than some names, which the schema of this version does not have.
new_names='if .parse_summary then .parse_summary |= with_entries(.key |=
    if test("^tgids_(walked|gone|denied)$") then sub("tgids"; "processes")
    elif test("^tids_(walked|gone|unreadable)$") then sub("tids"; "threads") else . end) else . end'
for file in "$here"/../golden/snapshots/*.zst; do
    zstd -dc "$file" | jq -c "$new_names" >"taken/$(basename "$file").json"
done
for file in taken/*.json; do
    jq -e '.threads | length > 0' "$file" >/dev/null || fail "$file holds no thread"
    checks=$((checks + 1))
done
if ! validate taken/*.json >messages; then
    cut -c 1-600 messages | head -n 20
    fail "the schema does not take what ctprof writes"
fi
echo "$(find taken -name '*.json' | wc -l) snapshots are taken"

# Each of these is wrong in one place only.
refused=0
while IFS= read -r edit; do
    jq -c "$edit" taken/v1-baseline.ctprof.zst.json >broken.json
    if cmp -s broken.json <(jq -c . taken/v1-baseline.ctprof.zst.json); then
        fail "$edit changes nothing"
    fi
    if validate broken.json >/dev/null; then
        fail "the schema takes a snapshot with $edit"
    fi
    refused=$((refused + 1))
done <<'EDITS'
.format = "other"
.version = "1"
del(.threads)
.threads[0].tid = "7"
del(.threads[0].tgid)
.threads[0].rchar = -1
.threads[0].state = 7
.threads[0].cpu_affinity = "0-1"
.host.uptime_ns = "long"
EDITS
echo "$refused broken ones are refused"
[ "$refused" -ge 9 ] || fail "not all were tried"
