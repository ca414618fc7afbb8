#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks which file includes which. A room includes headers of the rooms in its link line, as "room/header.h", and all rooms of
# its link line are needed. A header that its own room includes by its bare name is private to the room; one that is
# included as "room/header.h" is a contract, and so is "ctprof/room/header.h", which stands in include/ and includes only
# such headers. Programs, which no room links, may include headers of all rooms. Headers of other libraries stay in the
# files that wrap them, and each header of ours compiles alone.
#
#   includes.sh ROOT
#
# LINT_COMPILERS in the environment names the compilers, "gcc clang" where it is not set.
set -eu
[ $# -eq 1 ] || { echo "Usage: includes.sh ROOT" >&2; exit 2; }
cd "$1"

files=$(find src include -name '*.[ch]' | LC_ALL=C sort)
[ -n "$files" ] || { echo "includes.sh: no sources in $1" >&2; exit 1; }
builds=$(find src -mindepth 2 -name meson.build | LC_ALL=C sort)
[ -n "$builds" ] || { echo "includes.sh: no rooms in $1" >&2; exit 1; }
status=0

# shellcheck disable=SC2086 # The names have no blanks.
awk '
BEGIN {
    # Headers of other libraries, or folders of such, and the only files that have them.
    wraps["zstd.h"] = wraps["zstd_errors.h"] = "^src/compression/zstd-stream[.]c$"
    wraps["netlink/"] = "^src/taskstats/taskstats(-exits)?[.]c$"
    wraps["bpf/"] = "^src/bpf/(.*[.]c|kernel[.]h)$"
    wraps["Rmath.h"] = "^src/statistics/distribution[.]c$"
    wraps["zlib.h"] = "^src/(host/kernel-config|jemalloc/debug-file)[.]c$"
    wraps["libelf.h"] = wraps["gelf.h"] = "^src/jemalloc/elf-file[.]c$"
    wraps["dwarf.h"] = wraps["elfutils/"] = "^src/jemalloc/tsd-members[.]c$"
    wraps["unicorn/"] = "^src/jemalloc/ctl-call[.]c$"
    wraps["pcp/"] = "^src/fleet/pcp-archive[.]c$"
    wraps["curl/"] = "^src/shards/http[.]c$"
    wraps["libcgroup.h"] = "^src/cgroup/cgroup-mount[.]c$"
    wraps["jansson.h"] = "^src/(json/json-tree|host/host-containers|effect/trial-read|experiment/record-json|snapshot/snapshot-(labels|meta|probe|settings)|listing/.*|series/(job-info|python-json|series-record)|tools/.*)[.]c$"
}

function complain(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    failed = 1
}

function exists(path) {
    if (!(path in there)) {
        there[path] = (getline line < path) >= 0
        close(path)
    }
    return there[path]
}

FNR == 1 {
    is_public = FILENAME ~ /^include\/ctprof\//
    split(FILENAME, parts, "/")
    here = parts[is_public ? 3 : 2]
}

# The link line of a room: static_library() and what is in its parentheses.
FILENAME ~ /meson[.]build$/ {
    if (index($0, "static_library(\047" here "\047"))
        is_library[here] = inside = 1
    if (inside) {
        rest = $0
        while (match(rest, /[a-z]+_lib[],]/)) {
            room = substr(rest, RSTART, RLENGTH - 5)
            rest = substr(rest, RSTART + RLENGTH)
            if (room != here)
                links[here, room] = FILENAME ":" FNR
        }
        if ($0 ~ /\)$/)
            inside = 0
    }
    is_room[here] = 1
    next
}

FNR == 1 && !(here in is_room) {
    complain("no room, for it has no meson.build")
}

/^[ \t]*#[ \t]*include[ \t]/ {
    what = $0
    sub(/^[ \t]*#[ \t]*include[ \t]*/, "", what)
    sub(/[ \t]*$/, "", what)
    quote = substr(what, 1, 1)
    name = substr(what, 2, length(what) - 2)
    path = name ~ /^ctprof\// ? "include/" name : "src/" name
    room = name
    sub(/^ctprof\//, "", room)
    split(room, words, "/")
    if (quote == "<") {
        wrapped = (name in wraps) ? name : words[1] "/"
        if ((wrapped in wraps) && FILENAME !~ wraps[wrapped])
            complain("<" name "> is wrapped elsewhere and may not be included here")
    } else if (quote != "\"" || name ~ /[.]def$/) {
        # A row file of the registry, by its name or by a macro that holds it.
        if (here == "base" || here == "json")
            complain(here " knows no metric, so it may not expand " what)
    } else if (name !~ /\//) {
        path = "src/" here "/" name
        if (is_public || !exists(path))
            complain(path " does not exist; a header of another room is included as \"room/header.h\"")
        is_private[path] = FILENAME ":" FNR
    } else if (room !~ /^[a-z]+\/[^\/]+$/ || !exists(path)) {
        complain("\"" name "\" is no header of a room")
    } else if (is_public && name !~ /^ctprof\//) {
        complain("a header of include/ctprof includes others of include/ctprof only, and not " name)
    } else {
        is_contract[path] = FILENAME ":" FNR
        if (words[1] != here && (here in is_library) && FILENAME != "src/cli/main.c") {
            if (!((here, words[1]) in links))
                complain("this file may not include " name ": " here " does not link " words[1])
            needed[here, words[1]] = 1
        }
    }
}

END {
    for (path in is_private)
        if (path in is_contract) {
            printf "%s: is private in %s, and a contract in %s\n", path, is_private[path], is_contract[path]
            failed = 1
        }
    for (pair in links)
        if (!(pair in needed)) {
            split(pair, words, SUBSEP)
            printf "%s: %s links %s and includes none of its headers\n", links[pair], words[1], words[2]
            failed = 1
        }
    exit failed
}' $builds $files || status=1

for compiler in ${LINT_COMPILERS-gcc clang}; do
    command -v "$compiler" >/dev/null || { echo "no $compiler: headers are not compiled with it"; continue; }
    for header in src/*/*.h include/ctprof/*/*.h; do
        # Headers that a BPF program is compiled with are not for this target.
        [ "$header" != src/bpf/kernel.h ] || continue
        name=${header#src/}
        printf '#include "%s"\n' "${name#include/}" |
            "$compiler" -std=gnu17 -D_GNU_SOURCE -DCTPROF_VERSION='""' -Wall -Wextra -Werror \
                -Iinclude -Isrc -Iregistry -fsyntax-only -x c - ||
            { echo "$header: does not compile alone with $compiler"; status=1; }
    done
done
exit $status
