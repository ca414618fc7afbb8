#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Who may include whom: base <- metric <- {source, model}; {source, model} <- capture; {base, metric, model}
# <- report; everything <- cli and tools, and the tools of the build see cli's tables. Headers of other libraries stay in the files that wrap them, and each
# public header compiles alone.
#
#   includes.sh ROOT
#
# LINT_COMPILERS in the environment names the compilers, "gcc clang" where it is not set.
set -eu
[ $# -eq 1 ] || { echo "Usage: includes.sh ROOT" >&2; exit 2; }
cd "$1"

files=$(find src include/ctprof -name '*.[ch]' | LC_ALL=C sort)
[ -n "$files" ] || { echo "includes.sh: no sources in $1" >&2; exit 1; }
status=0

# shellcheck disable=SC2086 # The names have no blanks.
awk '
BEGIN {
    # Which public header belongs to which folder.
    belongs["base"] = "clock edit-distance error fd glob hash helper helper-guard json-memory json-read json-write keyed-values macro mem output regular-file scan strbuf stream strmap text"
    belongs["metric"] = "cgroup-stats fold host metric outcome probe psi sample units"
    belongs["source"] = "cgroup cgroup-files cgroup-id cgroup-mount host-read jemalloc kernel-config maps memory-probe mount-systems process-identity source taskstats taskstats-exits thread-end thread-pointer thread-values"
    belongs["model"] = "cgroup-key cgroup-path cgroup-rates doctor exit-log fact-derive fact-groups fact-rows group group-by group-filter measure normalise rates reference rename-match rows snapshot spread thread-store where window"
    belongs["capture"] = "capture doctor-probe"
    belongs["report"] = "columns metric-list report report-doctor table"
    for (folder in belongs) {
        n = split(belongs[folder], names, " ")
        for (i = 1; i <= n; i++)
            folder_of[names[i] ".h"] = folder
    }

    # Whose headers a folder may include.
    may["base"] = "base"
    may["metric"] = "base metric"
    may["source"] = "base metric source"
    may["model"] = "base metric model"
    may["capture"] = "base metric source model capture"
    may["report"] = "base metric model report"
    may["cli"] = may["tools"] = "base metric source model capture report"

    # Files that may see less than their folder. A table knows no metric.
    may["src/base/table.c"] = may["src/base/table.h"] = "base table.h"

    # Headers of other libraries, or folders of such, and the only files that have them.
    wraps["zstd.h"] = wraps["zstd_errors.h"] = "^src/model/zstd-stream[.]c$"
    wraps["netlink/"] = "^src/source/taskstats(-exits)?[.]c$"
    wraps["bpf/"] = "^src/source/((bpf-load|thread-ends|thread-pointers|thread-values|bpf/.*[.]bpf)[.]c|bpf/kernel[.]h)$"
    wraps["zlib.h"] = "^src/source/(kernel-config|debug-file)[.]c$"
    wraps["libelf.h"] = wraps["gelf.h"] = "^src/source/elf-file[.]c$"
    wraps["dwarf.h"] = wraps["elfutils/"] = "^src/source/tsd-members[.]c$"
    wraps["unicorn/"] = "^src/source/ctl-call[.]c$"
    wraps["libcgroup.h"] = "^src/source/cgroup-mount[.]c$"
    wraps["jansson.h"] = "^src/(base/json-memory|model/snapshot-(meta|probe|tree)|report/metric-list(-facts)?-json|metric/registry-print.*|tools/.*)[.]c$"
}

function complain(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    failed = 1
}

function is_in(word, list) {
    return index(" " list " ", " " word " ") > 0
}

FNR == 1 {
    n = split(FILENAME, parts, "/")
    public = parts[1] == "include"
    here = public ? folder_of[parts[n]] : parts[2]
    if (here == "" || !(here in may))
        complain(public ? "this header is not in the table of includes.sh" : "an unknown folder")
    allowed = (FILENAME in may) ? may[FILENAME] : may[here]
}

/^[ \t]*#[ \t]*include[ \t]/ {
    what = $0
    sub(/^[ \t]*#[ \t]*include[ \t]*/, "", what)
    sub(/[ \t]*$/, "", what)
    quote = substr(what, 1, 1)
    name = substr(what, 2, length(what) - 2)
    if (quote == "<") {
        wrapped = (name in wraps) ? name : substr(name, 1, index(name, "/"))
        if ((wrapped in wraps) && FILENAME !~ wraps[wrapped])
            complain("<" name "> is wrapped elsewhere and may not be included here")
    } else if (quote != "\"" || name ~ /[.]def$/) {
        # A row file of the registry, by its name or by a macro that holds it.
        if (here == "base")
            complain("base knows no metric, so it may not expand " what)
    } else if (name ~ /^ctprof\//) {
        header = substr(name, 8)
        if (!(header in folder_of))
            complain(name " is not in the table of includes.sh")
        else if (!is_in(folder_of[header], allowed) && !is_in(header, allowed))
            complain("this file may not include " name ", which belongs to " folder_of[header])
    } else if (here == "tools" && name ~ /^cli\/[^\/]*$/) {
        path = "src/" name
        if ((getline line < path) < 0)
            complain(path " does not exist")
        close(path)
    } else if (public || name ~ /\//) {
        complain("\"" name "\" is neither a public header nor one of this folder")
    } else {
        # Programs of BPF have a folder of their own in the one that loads them.
        path = FILENAME
        sub(/[^\/]*$/, name, path)
        if ((getline line < path) < 0)
            complain(path " does not exist; only the folder itself has its private headers")
        close(path)
    }
}

END { exit failed }
' $files || status=1

for compiler in ${LINT_COMPILERS-gcc clang}; do
    command -v "$compiler" >/dev/null || { echo "no $compiler: headers are not compiled with it"; continue; }
    for header in include/ctprof/*.h; do
        [ -e "$header" ] || continue
        printf '#include "ctprof/%s"\n' "${header##*/}" |
            "$compiler" -std=gnu17 -D_GNU_SOURCE -DCTPROF_VERSION='""' -Wall -Wextra -Werror \
                -Iinclude -Iregistry -fsyntax-only -x c - ||
            { echo "$header: does not compile alone with $compiler"; status=1; }
    done
done
exit $status
