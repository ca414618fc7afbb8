#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Shows every lint script a broken copy of the tree and sees it fail for the right reason. A script that cannot
# fail proves nothing.
#
#   self-test.sh ROOT CTPROF [METRICS_PAGE]
set -eu
[ $# -eq 2 ] || [ $# -eq 3 ] || { echo "Usage: self-test.sh ROOT CTPROF [METRICS_PAGE]" >&2; exit 2; }
root=$1
ctprof=$2
page=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
tree=$tmp/tree
cases=0
failures=0

# A fresh copy of what the scripts look at.
fresh() {
    rm -rf "$tree"
    mkdir -p "$tree/tests" "$tree/bench"
    cp -R "$root/include" "$root/src" "$root/registry" "$root/man" "$tree/"
    cp -R "$root/tests/lint" "$root/tests/unit" "$tree/tests/"
    cp "$root/.clang-format" "$root/.clang-tidy" "$root/meson.build" "$tree/"
}

# A file of the copy, made anew from standard input, or with standard input behind what it has.
put() {
    mkdir -p "$(dirname "$tree/$1")"
    cat >"$tree/$1"
}
append() {
    cat >>"$tree/$1"
}

# fails REASON SCRIPT ARGUMENT...: the script must fail and print the reason, an extended regular expression.
fails() {
    reason=$1
    script=$2
    shift 2
    cases=$((cases + 1))
    set +e
    case $script in
    *.py) python3 -B "$here/$script" "$@" ;;
    *) "$here/$script" "$@" ;;
    esac >"$tmp/output" 2>&1
    status=$?
    set -e
    if [ "$status" -eq 77 ]; then
        echo "not tested: $script: $(cat "$tmp/output")"
    elif [ "$status" -ne 1 ] && [ "$script" != format.sh ] && [ "$script" != shellcheck.sh ]; then
        echo "$script: status $status where 1 was expected: $reason"
        failures=$((failures + 1))
    elif [ "$status" -eq 0 ] || ! grep -Eq -- "$reason" "$tmp/output"; then
        echo "$script: did not complain about: $reason"
        sed 's/^/    /' "$tmp/output"
        failures=$((failures + 1))
    fi
}

# A ctprof whose help and list of metrics are edited by a sed script.
fake() {
    printf '#!/bin/sh\n"%s" "$@" | sed "%s"\n' "$ctprof" "$1" >"$tmp/fake"
    chmod +x "$tmp/fake"
}

test_includes() {
    # Compiling is left out where it does not matter, for it takes long.
    export LINT_COMPILERS=
    fresh
    echo '#include "ctprof/metric/sample.h"' | append src/base/mem.c
    fails 'src/base/mem.c:[0-9]+: this file may not include ctprof/metric/sample.h: base does not link metric' includes.sh "$tree"
    fresh
    echo '#include "ctprof/snapshot/snapshot.h"' | append src/procfs/io.c
    fails 'src/procfs/io.c:[0-9]+: this file may not include ctprof/snapshot/snapshot.h' includes.sh "$tree"
    fresh
    echo '#include "procfs/procfs.h"' | append src/group/group.c
    fails 'src/group/group.c:[0-9]+: this file may not include procfs/procfs.h' includes.sh "$tree"
    fresh
    echo '#include "report/report.h"' | append src/compare/rows.c
    fails 'src/compare/rows.c:[0-9]+: this file may not include report/report.h' includes.sh "$tree"
    fresh
    sed -i 's/\[base_lib\]/[metric_lib, base_lib]/' "$tree/src/json/meson.build"
    fails 'src/json/meson.build:[0-9]+: json links metric and includes none' includes.sh "$tree"
    fresh
    echo '#include "zstd-stream.h"' | append src/machine/report-csv.c
    fails 'src/machine/zstd-stream.h does not exist' includes.sh "$tree"
    fresh
    echo '#include "../compression/zstd-stream.h"' | append src/input/load.c
    fails 'is no header of a room' includes.sh "$tree"
    fresh
    echo '#include "cli/novel.h"' | append src/tools/completion.c
    fails '"cli/novel.h" is no header of a room' includes.sh "$tree"
    fresh
    echo '#include "snapshot/snapshot-meta.h"' | append src/window/window.c
    fails 'snapshot-meta.h: is private in .*, and a contract in src/window/window.c' includes.sh "$tree"
    fresh
    echo '#include <zstd.h>' | append src/cli/main.c
    fails 'src/cli/main.c:[0-9]+: <zstd.h> is wrapped elsewhere' includes.sh "$tree"
    fresh
    echo '#include <jansson.h>' | append src/machine/report-json.c
    fails 'src/machine/report-json.c:[0-9]+: <jansson.h> is wrapped' includes.sh "$tree"
    fresh
    echo '#include <netlink/attr.h>' | append src/capture/capture.c
    fails 'src/capture/capture.c:[0-9]+: <netlink/attr.h> is wrapped' includes.sh "$tree"
    fresh
    echo '#include <bpf/libbpf.h>' | append src/taskstats/taskstats.c
    fails 'src/taskstats/taskstats.c:[0-9]+: <bpf/libbpf.h> is wrapped' includes.sh "$tree"
    fresh
    echo '#include "metrics.def"' | append src/base/text.c
    fails 'base knows no metric' includes.sh "$tree"
    fresh
    echo 'int novel;' | put src/novel/novel.c
    fails 'src/novel/novel.c:1: no room, for it has no meson.build' includes.sh "$tree"
    fresh
    unset LINT_COMPILERS
    mkdir -p "$tmp/alone/src/base" "$tmp/alone/include"
    echo 'size_t needs_stddef(void);' >"$tmp/alone/src/base/stream.h"
    : >"$tmp/alone/src/base/meson.build"
    fails 'src/base/stream.h: does not compile alone' includes.sh "$tmp/alone"
    mkdir "$tmp/empty"
    fails 'no sources' includes.sh "$tmp/empty"
}

test_circles() {
    mkdir "$tmp/circle"
    echo 'int one(void); int two(void); int one(void) { return two(); }' >"$tmp/circle/one.c"
    echo 'int one(void); int two(void); int two(void) { return one(); }' >"$tmp/circle/two.c"
    for name in one two; do
        "${CC:-cc}" -c "$tmp/circle/$name.c" -o "$tmp/circle/$name.c.o"
    done
    ar rcs "$tmp/circle/libcircle.a" "$tmp/circle/one.c.o" "$tmp/circle/two.c.o"
    fails 'in a circle, two.c uses one of one.c' circles.sh "$tmp/circle/libcircle.a"
    ar rcs "$tmp/circle/libempty.a"
    fails 'no names' circles.sh "$tmp/circle/libempty.a"
    mkdir -p "$tmp/circle/build/src/room"
    cp "$tmp/circle/libcircle.a" "$tmp/circle/build/src/room/libroom.a"
    fails 'in a circle, two.c uses one of one.c' circles.sh "$tmp/circle"
}

test_untested() {
    fresh
    echo 'int novel;' | put src/base/novel.c
    fails 'src/base/novel.c: no tests/unit/base/test-novel.c' untested.sh "$tree"
    fresh
    echo 'src/base/novel.c nothing' | append tests/lint/untested
    fails 'src/base/novel.c: no source needs this line' untested.sh "$tree"
    fresh
    echo 'int novel;' | put tests/unit/novel/test-novel.c
    fails 'tests/unit/novel/test-novel.c: is in no folder of a room' untested.sh "$tree"
    fails 'no sources' untested.sh "$tmp/empty"
}

test_value_escape() {
    fresh
    echo 'int leak(struct counter_ns *c) { return c->v + (*c).v; }' | append src/group/group.c
    fails 'src/group/group.c:[0-9]+: takes a value out' value-escape.sh "$tree"
    fresh
    sed -i 's/[.]v\b/.w/g' "$tree/src/procfs/affinity.c"
    fails 'src/procfs/affinity.c: is an exception' value-escape.sh "$tree"
    mkdir -p "$tmp/no-values/src"
    fails 'no use at all' value-escape.sh "$tmp/no-values"
}

test_hash() {
    fresh
    echo 'unsigned mix(unsigned tid) { return tid * UINT32_C(0x9e3779b1); }' | append src/group/group.c
    fails 'src/group/group.c:|this looks like a hash function' hash.sh "$tree"
    fresh
    printf 'unsigned at(unsigned tid)\n{\n\tunsigned slot = tid & (slot_count - 1);\n\treturn slot;\n}\n' |
        append src/compare/rows.c
    fails 'src/compare/rows.c:[0-9]+: a slot that does not' hash.sh "$tree"
    mkdir -p "$tmp/no-hash/src"
    fails 'no sources' hash.sh "$tmp/no-hash"
}

test_one_way() {
    fresh
    echo 'static void look(void) { (void)rights_raise(); }' | append src/duct/duct-config.c
    fails 'src/duct/duct-config.c:[0-9]+: rights are raised for reading processes' one-way.sh "$tree"
    fresh
    echo 'static void look(void) { setfsuid(0); }' | append src/duct/duct-config.c
    fails 'src/duct/duct-config.c:[0-9]+: src/base/rights.h changes' one-way.sh "$tree"
    fresh
    printf '\tcsv_print_text(file, name, false);\n' | append src/runs/run-list.c
    fails 'src/runs/run-list.c:[0-9]+: the user decides with --csv-raw' one-way.sh "$tree"
    fresh
    echo 'enum { NS_PER_SECOND = 1000000000 };' | append src/group/group.c
    fails 'src/group/group.c:[0-9]+: a unit of time' one-way.sh "$tree"
    fresh
    printf 'static bool own(int r)\n{\n\treturn r == -ENFILE;\n}\n' | append src/capture/walk.c
    fails 'src/capture/walk.c:[0-9]+: error_is_own' one-way.sh "$tree"
    fresh
    printf 'static bool no(int r)\n{\n\treturn r == -EPERM || r == -EACCES;\n}\n' | append src/capture/walk.c
    fails 'src/capture/walk.c:[0-9]+: error_is_denied' one-way.sh "$tree"
    fresh
    printf '\tcase EPERM:\n\tcase EACCES:\n\t\treturn 1;\n' | append src/procfs/io.c
    fails 'src/procfs/io.c:[0-9]+: error_is_denied' one-way.sh "$tree"
    fresh
    printf '\tcase EPERM:\n\tcase EACCES:\n\t\treturn OUTCOME_denied;\n' | append src/procfs/io.c
    fails 'src/procfs/io.c:[0-9]+: outcome_of_error' one-way.sh "$tree"
    fresh
    printf '\tif (__builtin_add_overflow(a, b, &a))\n\t\ta = UINT64_MAX;\n' | append src/compare/rows.c
    fails 'src/compare/rows.c:[0-9]+: include/ctprof/base/macro.h has' one-way.sh "$tree"
    fresh
    printf '\tlist = mem_realloc(list, 2 * capacity, sizeof(*list));\n' | append src/compare/rows.c
    fails 'src/compare/rows.c:[0-9]+: array_add' one-way.sh "$tree"
    mkdir -p "$tmp/no-sources/src"
    fails 'no sources' one-way.sh "$tmp/no-sources"
}

test_prose() {
    for line in '/* What the counters of a thread are. */' '/* Whether it is there. */' '/* Where it is not there, 0. */' \
        '/* The file of the group. Where there is none, NULL. */' '/* As fork(2), into a cgroup. */'; do
        fresh
        echo "$line" | append src/group/group.c
        fails 'src/group/group.c:[0-9]+: a sentence begins' prose.sh "$tree"
    done
    for line in 'What cannot be read is left out.' 'Rows are cut. Of the others there are none.' '	As in *ctprof*(1).'; do
        fresh
        echo "$line" | append man/ctprof-show.1.scd
        fails 'man/ctprof-show.1.scd:[0-9]+: a sentence begins' prose.sh "$tree"
    done
    fresh
    echo '# What the others share.' | append tests/unit/meson.build
    fails 'tests/unit/meson.build:[0-9]+: a sentence begins' prose.sh "$tree"
    fresh
    echo 'static bool was_told;' | append src/group/group.c
    fails 'src/group/group.c:[0-9]+: an older word' prose.sh "$tree"
    fresh
    printf 'static void take_name(void)\n{\n}\n' | append src/group/group.c
    fails 'src/group/group.c:[0-9]+: a function is called by' prose.sh "$tree"
    fresh
    echo '/* Header. */' | append src/group/group-parts.h
    fails 'src/group/group-parts.h:1: a header is called by' prose.sh "$tree"
    fails 'no sources' prose.sh "$tmp/no-sources"
}

test_writing_opens() {
    for line in 'int fd = open(path, O_WRONLY | O_CLOEXEC);' 'fd = openat(dir, name, O_CREAT);' \
        '	*ret_fd = open(path, O_RDWR);' '	        O_RDONLY | O_TRUNC);' 'int fd = creat(path, 0666);' \
        'FILE *f = fopen(path, "we");' 'FILE *f = fopen(path, mode);' 'FILE *f = fopen(path,' 'f = fdopen(fd, "r+");' \
        'int fd = open(path, O_APPEND); /* kept */' 'f = fopen64(path, "a");'; do
        fresh
        echo "$line" | append src/group/group.c
        fails 'src/group/group.c:[0-9]+: opens for writing' writing-opens.sh "$tree"
    done
    for line in 'r = renameat(a, b, c, d);' 'if (unlink(path) < 0)' 'fchmod(fd, 0666);' 'mkdir(path, 0777);' \
        'return system(command);' 'r = sqlite3_open(path, &handle);'; do
        fresh
        echo "$line" | append src/input/load.c
        fails 'src/input/load.c:[0-9]+: changes a file' writing-opens.sh "$tree"
    done
    # Comments, reading and other names are no complaint.
    fresh
    printf '%s\n' '/* O_WRONLY, and unlink(path) */' ' * fopen(path, "w")' 'f = fopen(path, "re");' 'NOT_O_RDWR' \
        'row_rename(set);' 'strbuf_link(a);' | append src/group/group.c
    cases=$((cases + 1))
    if ! "$here/writing-opens.sh" "$tree" >"$tmp/output" 2>&1; then
        echo "writing-opens.sh: complained about what writes nothing"
        sed 's/^/    /' "$tmp/output"
        failures=$((failures + 1))
    fi
    sed -i 's/O_WRONLY/O_RDONLY/' "$tree/src/doctor/doctor-probe.c"
    fails 'src/doctor/doctor-probe.c: is an exception' writing-opens.sh "$tree"
    fresh
    : >"$tree/src/base/output.c"
    fails 'not even output.c' writing-opens.sh "$tree"
    mkdir -p "$tmp/empty"
    fails 'no sources' writing-opens.sh "$tmp/empty"
}

test_process_identity() {
    fresh
    printf 'bool same(const struct thread_key *a, const struct thread_key *b)\n{\n\treturn a->tgid == b->tgid;\n}\n' |
        append src/group/group.c
    fails 'src/group/group.c:[0-9]+: same\(\) compares a bare tgid' process-identity.sh "$tree"
    fresh
    printf 'bool same(const struct thread_key *a, uint32_t wanted)\n{\n\treturn wanted != a->tgid;\n}\n' |
        append src/capture/walk.c
    fails 'src/capture/walk.c:[0-9]+: same\(\) compares a bare tgid' process-identity.sh "$tree"
    fresh
    sed -i 's/sample->tgid != rows->tgid/true/' "$tree/src/snapshot/snapshot-reference.c"
    fails 'reference_row_finish compares no tgid any more' process-identity.sh "$tree"
    fresh
    echo 'src/group/group.c nothing' | append tests/lint/process-identity-exceptions
    fails 'no reason: src/group/group.c nothing' process-identity.sh "$tree"
    mkdir -p "$tmp/no-identity/src"
    echo 'int none;' >"$tmp/no-identity/src/none.c"
    fails 'no comparison at all' process-identity.sh "$tmp/no-identity"
}

test_open() {
    fresh
    echo 'int peek(const char *path) { return open(path, 0); }' | append src/jemalloc/file-look.c
    fails 'src/jemalloc/file-look.c: 1 calls that open files, 0 are allowed' open.sh "$tree"
    fresh
    echo 'void *peek(const char *path) { return fopen(path, "r"); }' | append src/procfs/proc-text.c
    fails 'src/procfs/proc-text.c: 2 calls that open files, 1 are allowed' open.sh "$tree"
    fresh
    sed -i 's/opendir(/open_directory(/' "$tree/src/doctor/doctor-cgroup.c"
    fails 'src/doctor/doctor-cgroup.c: is an exception' open.sh "$tree"
    for room in procfs taskstats cgroup host bpf jemalloc capture doctor; do
        mkdir -p "$tmp/no-opens/src/$room"
    done
    fails 'no use at all' open.sh "$tmp/no-opens"
}

test_trust() {
    fresh
    echo 'static bool is_own(const struct stat *status) { return status->st_uid == geteuid(); }' | append src/knob/journal.c
    fails 'src/knob/journal.c: 1 comparisons of owners, 0 are allowed' trust.sh "$tree"
    fresh
    echo 'static bool is_open(const struct stat *status) { return status->st_mode & S_IWOTH; }' | append src/base/own-directory.c
    fails 'src/base/own-directory.c: 2 comparisons of owners, 1 are allowed' trust.sh "$tree"
    fresh
    sed -i 's/st_uid == owner/st_uid/' "$tree/src/recording/recording-sums.c"
    sed -i '/S_IWGRP/d' "$tree/src/recording/recording-sums.c"
    fails 'src/recording/recording-sums.c: is an exception' trust.sh "$tree"
    mkdir -p "$tmp/no-owners/src"
    fails 'no use at all' trust.sh "$tmp/no-owners"
}

test_spdx() {
    for file in src/base/new.c registry/new.def man/new.sh src/new/meson.build man/new.1.scd; do
        fresh
        echo 'nothing' | put "$file"
        fails "$file: no SPDX-License-Identifier" spdx.sh "$tree"
    done
    fresh
    printf '#!/bin/sh\ntrue\n' | put bench/tool
    fails 'bench/tool: no SPDX-License-Identifier' spdx.sh "$tree"
    fails 'no files' spdx.sh "$tmp/empty"
}

function_of() {
    printf '\n%s\nstatic int sample(int a,\n                  int b)\n{\n' "$1"
    seq "$2" | sed 's/.*/\ta += b;/'
    printf '\treturn a;\n}\n'
}

test_size() {
    fresh
    seq 601 | sed 's/^/int a/; s/$/;/' | put src/base/long.c
    fails 'src/base/long.c: 601 lines' size.sh "$tree"
    fresh
    function_of '/* A sample. */' 76 | append src/base/mem.c
    fails 'static int sample' size.sh "$tree"
    fails 'is 81 lines long' size.sh "$tree"
    fails 'no sources' size.sh "$tmp/empty"

    # One line less, or a reason, is no complaint.
    fresh
    function_of '/* A sample. */' 75 | append src/base/mem.c
    function_of '/* A table of cases; longer than 80 lines for there are 90. */' 90 | append src/base/fd.c
    cases=$((cases + 1))
    if "$here/size.sh" "$tree" >"$tmp/output" 2>&1 || ! grep -q 'static int sample' "$tmp/output"; then
        return
    fi
    echo "size.sh: complained about a function that is short enough or has a reason"
    sed 's/^/    /' "$tmp/output"
    failures=$((failures + 1))
}

test_format() {
    fresh
    echo 'int   misshapen ( void ) ;' | append src/base/mem.c
    fails 'src/base/mem.c:[0-9]+.*clang-format' format.sh "$tree"
}

test_shellcheck() {
    fresh
    # shellcheck disable=SC2016 # Nothing is to be expanded here.
    printf '#!/bin/sh\nrm $1\n' | put bench/careless
    fails 'bench/careless|SC2086' shellcheck.sh "$tree"
    fails 'no scripts' shellcheck.sh "$tmp/empty"
}

test_hardening() {
    # Options that the distribution's compiler sets by itself are switched off.
    echo 'int main(void) { return 0; }' >"$tmp/soft.c"
    if ! "${CC:-cc}" -O2 -no-pie -fno-stack-protector -Wl,-z,norelro -Wl,-z,lazy -Wl,-z,execstack \
        -Wl,-rpath,/nowhere "$tmp/soft.c" -o "$tmp/soft" 2>/dev/null ||
        ! "${CC:-cc}" -c -fcf-protection=none "$tmp/soft.c" -o "$tmp/soft.o" 2>/dev/null; then
        echo "not tested: hardening.sh: this compiler makes no binary without hardening"
        return
    fi
    ar rcs "$tmp/soft.a" "$tmp/soft.o"
    for reason in 'not a position-independent' 'no segment that is read-only' 'symbols are bound late' \
        'the stack is executable' 'in a path of its own' 'no function checks its stack' 'fortified as snprintf' \
        'soft.a: 0 of 1 objects'; do
        fails "$reason" hardening.sh "$tmp/soft" 3 "$tmp/soft.a"
    done
}

test_analyze() {
    for tool in gcc clang-tidy cppcheck; do
        fresh
        put src/base/broken.c <<'EOT'
#include <stddef.h>
int broken(void);
int broken(void)
{
	int *p = NULL;

	return *p;
}
EOT
        put compile_commands.json <<EOT
[{"directory": "$tree", "command": "cc -O2 -o x.o -c src/base/broken.c", "file": "src/base/broken.c",
  "output": "src/base/libbase.a.p/broken.c.o"}]
EOT
        fails 'src/base/broken.c:7: .*([Dd]ereference|NULL)' analyze.py "$tool" "$tree" "$tree"
        echo "$tool broken src/base/broken.c" | append tests/lint/analyzer-exceptions
        fails "analyzer-exceptions:[0-9]+: not 'tool check file reason'" analyze.py "$tool" "$tree" "$tree"
        echo '[]' | put compile_commands.json
        fails 'no sources of the tool' analyze.py "$tool" "$tree" "$tree"
    done
}

test_help_screen() {
    fake 's/^Usage.*/&                                                                        too wide/'
    fails 'line 1 has [0-9]+ columns' help-screen.sh "$tree" "$tmp/fake"
    fake 's/^Usage.*/&\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n/'
    fails 'ctprof --help: [0-9]+ lines' help-screen.sh "$tree" "$tmp/fake"
    fake '/^  [a-z]/d'
    fails 'lists no command' help-screen.sh "$tree" "$tmp/fake"
}

test_options() {
    fresh
    fake 's/--quiet  /--silent /'
    fails 'ctprof-capture.1.scd does not document: -q, --silent' options.sh "$tree" "$tmp/fake"
    fails 'ctprof capture --help does not list: -q, --quiet' options.sh "$tree" "$tmp/fake"
    fake 's/--output FILE/--output PATH/'
    fails 'does not document: -o, --output PATH' options.sh "$tree" "$tmp/fake"
    sed -i '/^[*]-u[*], /d' "$tree/man/ctprof-compare.1.scd"
    fails 'ctprof-compare.1.scd does not document: -u, --unchanged' options.sh "$tree" "$ctprof"
    fresh
    sed -i 's/^[*]show[*]/show/' "$tree/man/ctprof.1.scd"
    fails 'no paragraph for show' options.sh "$tree" "$ctprof"
    fresh
    mv "$tree/man/ctprof-show.1.scd" "$tree/man/ctprof-shwo.1.scd"
    fails 'ctprof-show.1.scd is missing' options.sh "$tree" "$ctprof"
    fails 'there is no command shwo' options.sh "$tree" "$ctprof"
    fresh
    if [ -z "$page" ]; then
        echo "not tested: options.sh: ctprof-metrics.7 was not built"
        return
    fi
    sed 's/wait_max/wait_most/; s/avg_wait_ns/average/' "$page" >"$tmp/ctprof-metrics.7"
    fails 'does not name the metric wait_max' options.sh "$tree" "$ctprof" "$tmp/ctprof-metrics.7"
    fails 'does not name the metric avg_wait_ns' options.sh "$tree" "$ctprof" "$tmp/ctprof-metrics.7"
}

test_includes
test_circles
test_untested
test_hash
test_one_way
test_prose
test_value_escape
test_writing_opens
test_open
test_trust
test_process_identity
test_spdx
test_size
test_format
test_shellcheck
test_hardening
test_analyze
test_help_screen
test_options
echo "$cases broken trees, $failures not found out"
[ "$failures" -eq 0 ]
