// SPDX-License-Identifier: GPL-2.0-or-later
/* The line about sums of windows: from when to when their windows are, in local time, as ranges of a recording are given. */
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "report-overview.h"

enum { TIME_BYTES = 64 };

static bool is_sum(const struct snapshot_info *info)
{
	return info->kind == KIND_window && info->window.seen[WINDOW_windows] &&
	       info->window.seen[WINDOW_begin_unix_ns] && info->captured_at_unix_ns > 0;
}

/* "2026-11-23 10:00:00 CET", without the date or the zone where they are said elsewhere. */
static void add_time(time_t seconds, bool with_date, bool with_zone, struct strbuf *out)
{
	char text[TIME_BYTES];
	struct tm local;

	if (!localtime_r(&seconds, &local))
		return;
	if (with_date && strftime(text, sizeof(text), "%Y-%m-%d ", &local) > 0)
		strbuf_add_str(out, text);
	if (strftime(text, sizeof(text), "%H:%M:%S", &local) > 0)
		strbuf_add_str(out, text);
	if (with_zone && strftime(text, sizeof(text), " %Z", &local) > 0)
		strbuf_add_str(out, text);
}

static bool is_same_day(time_t a, time_t b)
{
	struct tm first, last;

	return localtime_r(&a, &first) && localtime_r(&b, &last) && first.tm_yday == last.tm_yday &&
	       first.tm_year == last.tm_year && first.tm_gmtoff == last.tm_gmtoff;
}

/* "2026-11-23 10:00:00 to 10:05:01 CET (31 windows)" */
static void add_bounds(const struct snapshot_info *info, struct strbuf *out)
{
	time_t begin = (time_t)(info->window.numbers[WINDOW_begin_unix_ns] / NS_PER_SECOND);
	time_t end = (time_t)(info->captured_at_unix_ns / NS_PER_SECOND);
	uint64_t windows = info->window.numbers[WINDOW_windows];
	bool same = is_same_day(begin, end);

	add_time(begin, true, !same, out);
	strbuf_add_str(out, " to ");
	add_time(end, !same, true, out);
	strbuf_addf(out, " (%llu window%s)", (unsigned long long)windows, windows == 1 ? "" : "s");
}

void overview_add_bounds(const struct report *report, struct strbuf *out)
{
	for (unsigned side = 0; side < report->rows->sides; side++) {
		cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;

		if (!is_sum(report->sides[side].info))
			continue;
		if (report->rows->sides == SIDE_MAX)
			strbuf_add_str(&line, side == SIDE_BASELINE ? "baseline " : "candidate ");
		strbuf_add_str(&line, "from ");
		add_bounds(report->sides[side].info, &line);
		overview_add_line(report, &line, out);
	}
}
