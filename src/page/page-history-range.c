// SPDX-License-Identifier: GPL-2.0-or-later
/* The times of the columns of a history, as ranges that commands take. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "page-history-part.h"
#include "time-chart.h"

/* Appends "2026-11-23T10:00:00.25Z", in whole milliseconds: a window is longer. */
static void add_range_end(uint64_t unix_ns, bool up, struct strbuf *out)
{
	uint64_t ms = unix_ns / NS_PER_MS + (up && unix_ns % NS_PER_MS > 0);
	time_t seconds = (time_t)(ms / 1000);
	char text[32];
	struct tm fields;

	gmtime_r(&seconds, &fields);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &fields);
	strbuf_add_str(out, text);
	if (ms % 1000 > 0)
		strbuf_addf(out, ".%03u", (unsigned)(ms % 1000));
	strbuf_add_char(out, 'Z');
}

void page_begin_peak(const struct history *history, const struct extent *extent, struct strbuf *out)
{
	const struct history_column *column = &history->columns[extent->at];

	strbuf_addf(out, "<span class=\"peak\" data-at=\"%zu\" data-range=\"", extent->at);
	add_range_end(column->begin_ns, true, out);
	strbuf_add_str(out, "..");
	add_range_end(column->end_ns, false, out);
	strbuf_add_str(out, "\">");
}

void page_add_begin(const struct history *history, const struct extent *extent, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	enum { DAY_SECONDS = 24 * 3600, CLOCK = 11 };
	uint64_t begin_ns = history->columns[0].begin_ns;
	uint64_t end_ns = history->columns[history->column_count - 1].end_ns;

	if (isnan(extent->most))
		return;
	time_chart_add_time(history->columns[extent->at].begin_ns, &text);
	strbuf_add_str(out, strbuf_str(&text) +
	                            (end_ns - begin_ns <= DAY_SECONDS * NS_PER_SECOND ? CLOCK : 5));
}
