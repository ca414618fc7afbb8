// SPDX-License-Identifier: GPL-2.0-or-later
/* The line about sums of windows: from when to when their windows are, in local time, as ranges of a recording are given. */
#include "base/clock.h"
#include "report-overview.h"
#include "when/local-time.h"

static bool is_sum(const struct snapshot_info *info)
{
	return info->kind == KIND_window && info->window.seen[WINDOW_windows] &&
	       info->window.seen[WINDOW_begin_unix_ns] && info->captured_at_unix_ns > 0;
}

/* "2026-11-23 10:00:00 to 10:05:01 CET (31 windows)" */
static void add_bounds(const struct snapshot_info *info, struct strbuf *out)
{
	time_t begin = (time_t)(info->window.numbers[WINDOW_begin_unix_ns] / NS_PER_SECOND);
	time_t end = (time_t)(info->captured_at_unix_ns / NS_PER_SECOND);
	uint64_t windows = info->window.numbers[WINDOW_windows];

	local_time_add_span(begin, end, out);
	strbuf_addf(out, " (%llu window%s)", (unsigned long long)windows, windows == 1 ? "" : "s");
}

bool overview_bounds_of(const struct report *report, unsigned side, struct strbuf *out)
{
	if (!is_sum(report->sides[side].info))
		return false;
	if (report->rows->sides == SIDE_MAX)
		strbuf_add_str(out, side == SIDE_BASELINE ? "baseline " : "candidate ");
	strbuf_add_str(out, "from ");
	add_bounds(report->sides[side].info, out);
	return true;
}
