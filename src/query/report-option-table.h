/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* report-option-table - the options that show and compare have in common, for the file that parses them. Private to this
 * room. */
#include "query/report-options.h"

enum {
	OPT_GROUP_BY = OPT_REPORT_FIRST,
	OPT_NO_THREAD_NORMALIZE,
	OPT_NO_CG_NORMALIZE,
	OPT_CGROUP_FLATTEN,
	OPT_SECTIONS,
	OPT_METRICS,
	OPT_SETTINGS,
	OPT_WHERE,
	OPT_TOP,
	OPT_SORT_BY,
	OPT_LIMIT,
	OPT_PER,
	OPT_SPREAD,
	OPT_EXPLAIN,
	OPT_CSV_RAW,
	OPT_COLOR,
	OPT_WRAP,
	OPT_NO_PAGER,
	OPT_READ_LIMIT,
	OPT_LONG,
	OPT_ALL_METRICS,
	OPT_VERBOSE,
	OPT_SELF,
	OPT_ROLLUP,
	OPT_TREE,
	OPT_SELECTION, /* and the next ones, see query/selection-options.h */
};

/* Words of --per, in the order of enum measure_per; NULL is the last one. */
extern const char *const report_pers[];
