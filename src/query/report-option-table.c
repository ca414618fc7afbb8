// SPDX-License-Identifier: GPL-2.0-or-later
#include "report-option-table.h"
#include "query/selection-options.h"
#include "rollup-options.h"

const char *const report_orders[] = {"impact", "delta", "percent", "name", NULL};
const char *const report_show_orders[] = {"impact", "delta", "name", NULL};
const char *const report_colors[] = {"auto", "always", "never", NULL};
const char *const report_formats[] = {"table", "csv", "json", "ndjson", "markdown", NULL};
const char *const report_show_formats[] = {"table",    "csv",        "json",        "ndjson",
                                           "markdown", "prometheus", "openmetrics", NULL};
/* In the order of enum measure_per. */
const char *const report_pers[] = {"total", "second", "thread", "cpu-second", NULL};
const char *const report_displays[] = {
#define COLUMN(id_, name_, heading_, commands_, leaves_, text_)
#define DISPLAY(name_, text_, ...) name_,
#include "columns.def"
#undef COLUMN
#undef DISPLAY
        NULL};

/* clang-format off */
#define IN_SHOW_BOTH(name_) name_,
#define IN_SHOW_SHOW(name_) name_,
#define IN_SHOW_COMPARE(name_)
#define IN_COMPARE_BOTH(name_) name_,
#define IN_COMPARE_SHOW(name_)
#define IN_COMPARE_COMPARE(name_) name_,
#define DISPLAY(name_, text_, ...)
const char *const report_show_columns[] = {
#define COLUMN(id_, name_, heading_, commands_, leaves_, text_) IN_SHOW_##commands_(name_)
#include "columns.def"
#undef COLUMN
	NULL};
const char *const report_compare_columns[] = {
#define COLUMN(id_, name_, heading_, commands_, leaves_, text_) IN_COMPARE_##commands_(name_)
#include "columns.def"
#undef COLUMN
	NULL};
#undef DISPLAY
/* clang-format on */

const struct cli_option report_option_table[] = {
        {OPT_GROUP_BY, 'g', "group-by", "KEYS", "pcomm (default), comm, cgroup, user, all, ...",
         TAKES(GROUP_KEYS)},
        {OPT_LONG, 'l', "long", NULL, "list metrics; so do options about rows and columns",
         TAKES(NOTHING)},
        {OPT_ALL_METRICS, 'a', "all-metrics", NULL, "list metrics that repeat others as well",
         TAKES(NOTHING)},
        {OPT_NO_THREAD_NORMALIZE, 0, "no-thread-normalize", NULL,
         "keep worker-1 and worker-2 apart", TAKES(NOTHING)},
        {OPT_NO_CG_NORMALIZE, 0, "no-cg-normalize", NULL, "keep cgroups a@1 and a@2 apart",
         TAKES(NOTHING)},
        {OPT_CGROUP_FLATTEN, 0, "cgroup-flatten", "GLOB",
         "one group for the cgroups like GLOB; repeatable", TAKES(TEXT)},
        {OPT_SECTIONS, 0, "sections", "LIST", "only these; names or globs", TAKES(SECTIONS)},
        {OPT_METRICS, 'm', "metrics", "LIST", "only these; names or globs: 'cpu_*,wait_*'",
         TAKES(METRICS)},
        {OPT_SETTINGS, 0, "settings", "GLOB", "only how the host is set: 'vm.*', '*sched*', '*'",
         TAKES(TEXT)},
        {OPT_WHERE, 'w', "where", "EXPR", "only rows like \"threads > 3 and group ~ 'ng*'\"",
         TAKES(TEXT)},
        SELECTION_OPTIONS(OPT_SELECTION),
        {OPT_TOP, 't', "top", "N", "only the N groups that come first", TAKES(NUMBER)},
        {OPT_SORT_BY, 's', "sort-by", "LIST", "rank groups by METRIC[:asc|desc],..., or a column",
         TAKES(SORT_KEYS)},
        {OPT_LIMIT, 'n', "limit", "N", "at most N rows, 0 for all (15; machines: all)",
         TAKES(NUMBER)},
        {OPT_PER, 0, "per", "WORD", "second (windows), total (else), thread, cpu-second",
         TAKES_WORD(report_pers)},
        {OPT_SPREAD, 0, "spread", NULL, "add percentiles over the threads of each group",
         TAKES(NOTHING)},
        {OPT_EXPLAIN, 'e', "explain", "GROUP[:M]", "the threads of a group, for metrics like M",
         TAKES(TEXT)},
        {OPT_ROLLUP, 0, "rollup", "LIST", "a tree by cwd, exe, cgroup, parent; depth=N,share=%",
         TAKES_WORDS(report_rollup_words)},
        {OPT_TREE, 0, "tree", NULL, "processes below their parents, as --rollup parent",
         TAKES(NOTHING)},
        {OPT_CSV_RAW, 0, "csv-raw", NULL, "in csv, leave what looks like a formula as it is",
         TAKES(NOTHING)},
        {OPT_COLOR, 0, "color", "WHEN", "auto (default), always or never",
         TAKES_WORD(report_colors)},
        {OPT_WRAP, 0, "wrap", NULL, "continue what is too wide in lines below", TAKES(NOTHING)},
        {OPT_NO_PAGER, 0, "no-pager", NULL, "leave what is taller than the terminal to it",
         TAKES(NOTHING)},
        {OPT_SELF, 0, "self", NULL, "rank ctprof itself in the overview", TAKES(NOTHING)},
        {OPT_VERBOSE, 'v', "verbose", NULL, "say also how the snapshots were made", TAKES(NOTHING)},
        {OPT_READ_LIMIT, 0, "read-limit", "LIST", "caps on reading: bytes=16G,threads=4M,...",
         TAKES_WORDS(report_caps)},
        {0},
};
