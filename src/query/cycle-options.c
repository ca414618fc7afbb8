// SPDX-License-Identifier: GPL-2.0-or-later
#include "query/cycle-options.h"

#include <string.h>

#include "base/clock.h"
#include "base/duration.h"
#include "base/scan.h"
#include "report-option-table.h"
#include "rollup-options.h"

#define EVERY_MIN_NS (100 * NS_PER_MS)
#define EVERY_MAX_NS (3600 * NS_PER_SECOND)

const char *const cycle_formats[] = {"table", "csv", "json", NULL};

const struct cli_option cycle_option_table[] = {
        {OPT_BATCH, 'b', "batch", NULL, "print windows one below the other", TAKES(NOTHING)},
        {OPT_DELAYS, 0, "delays", NULL, "the delays of each group and the host, as getdelays",
         TAKES(NOTHING)},
        {OPT_EVERY, 'e', "every", "TIME", "length of a window: 500ms, 5s (default), 1m",
         TAKES(TEXT)},
        {OPT_CYCLES, 0, "count", "N", "end after N windows", TAKES(NUMBER)},
        {OPT_GROUP_BY, 'g', "group-by", "KEYS", "pcomm (default), comm, cgroup, user, all, ...",
         TAKES(GROUP_KEYS)},
        {OPT_ROLLUP, 0, "rollup", "LIST", "a tree by cwd, exe, cgroup, parent; depth=N,share=%",
         TAKES_WORDS(report_rollup_words)},
        {OPT_NO_THREAD_NORMALIZE, 0, "no-thread-normalize", NULL,
         "keep worker-1 and worker-2 apart", TAKES(NOTHING)},
        {OPT_NO_CG_NORMALIZE, 0, "no-cg-normalize", NULL, "keep cgroups a@1 and a@2 apart",
         TAKES(NOTHING)},
        {OPT_METRICS, 'm', "metrics", "LIST", "only these; names or globs: 'cpu_*,wait_*'",
         TAKES(METRICS)},
        {OPT_SORT_BY, 's', "sort-by", "LIST", "rank groups by METRIC[:asc|desc],..., or a column",
         TAKES(SORT_KEYS)},
        {OPT_LIMIT, 'n', "limit", "N", "at most N rows, 0 for all (15; machines: all)",
         TAKES(NUMBER)},
        {OPT_CYCLE_FORMAT, 'f', "format", "FORMAT", "table, csv, json", TAKES_WORD(cycle_formats)},
        {OPT_COLOR, 0, "color", "WHEN", "auto (default), always or never",
         TAKES_WORD(report_colors)},
        {OPT_SELF, 0, "self", NULL, "rank ctprof itself in the overview", TAKES(NOTHING)},
        {0},
};

bool cycle_has_option(int id)
{
	return id == OPT_BATCH || id == OPT_EVERY || id == OPT_CYCLES;
}

static int parse_every(const struct option_parser *parser, uint64_t *ret_ns)
{
	if (!duration_parse(parser->value, ret_ns))
		return options_error(parser, "'%s' is not a time such as 500ms, 5s or 1m",
		                     parser->value);
	if (*ret_ns < EVERY_MIN_NS || *ret_ns > EVERY_MAX_NS)
		return options_error(parser, "a cycle is between 100ms and 1h long, not '%s'",
		                     parser->value);
	return 0;
}

int cycle_parse(const struct option_parser *parser, int id, struct cycle_choice *ret)
{
	switch (id) {
	case OPT_BATCH:
		ret->batch = true;
		return 0;
	case OPT_EVERY:
		return parse_every(parser, &ret->every_ns);
	default:
		if (scan_u64(parser->value, strlen(parser->value), &ret->count) && ret->count > 0)
			return 0;
		return options_error(parser, "'%s' is not a number of cycles", parser->value);
	}
}
