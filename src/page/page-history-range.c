// SPDX-License-Identifier: GPL-2.0-or-later
/* The times of the columns of a history, as ranges that commands take. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "page-history-part.h"

enum { DAY_SECONDS = 24 * 3600 };

/* Returns the time in whole milliseconds: a window is longer. */
static uint64_t begin_ms(const struct history_column *column)
{
	return column->begin_ns / NS_PER_MS + (column->begin_ns % NS_PER_MS > 0);
}

static uint64_t end_ms(const struct history_column *column)
{
	return column->end_ns / NS_PER_MS;
}

/* Appends "2026-11-23T10:00:00.25Z", or the time of day alone. */
static void add_time(uint64_t ms, bool with_day, struct strbuf *out)
{
	time_t seconds = (time_t)(ms / 1000);
	char text[32];
	struct tm fields;

	gmtime_r(&seconds, &fields);
	strftime(text, sizeof(text), with_day ? "%Y-%m-%dT%H:%M:%S" : "%H:%M:%S", &fields);
	strbuf_add_str(out, text);
	if (ms % 1000 > 0)
		strbuf_addf(out, ".%03u", (unsigned)(ms % 1000));
	strbuf_add_char(out, 'Z');
}

void page_begin_peak(const struct history *history, const struct extent *extent, struct strbuf *out)
{
	const struct history_column *column = &history->columns[extent->at];

	strbuf_addf(out, "<span class=\"peak\" data-at=\"%zu\" data-range=\"", extent->at);
	add_time(begin_ms(column), true, out);
	strbuf_add_str(out, "..");
	add_time(end_ms(column), true, out);
	strbuf_add_str(out, "\">");
}

void page_add_range(const struct history *history, const struct extent *extent, struct strbuf *out)
{
	const struct history_column *column = &history->columns[extent->at];
	uint64_t begin = begin_ms(column), end = end_ms(column);

	if (isnan(extent->most))
		return;
	add_time(begin, true, out);
	strbuf_add_str(out, "..");
	add_time(end, begin / 1000 / DAY_SECONDS != end / 1000 / DAY_SECONDS, out);
}
