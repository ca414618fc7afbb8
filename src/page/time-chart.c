// SPDX-License-Identifier: GPL-2.0-or-later
#include "time-chart.h"

#include <math.h>
#include <time.h>

#include "base/clock.h"
#include "ctprof/base/macro.h"

/* Each level is so many times the one below. */
static const double level_factor = 3;

static uint64_t first_ns(const struct history *history)
{
	return history->columns[0].begin_ns;
}

static uint64_t last_ns(const struct history *history)
{
	uint64_t last = 0;

	for (size_t i = 0; i < history->column_count; i++)
		if (history->columns[i].end_ns > last)
			last = history->columns[i].end_ns;
	return last;
}

double time_chart_place(const struct history *history, uint64_t unix_ns)
{
	uint64_t begin = first_ns(history), end = last_ns(history);

	if (unix_ns <= begin || end <= begin)
		return 0;
	return fmin(1, (double)(unix_ns - begin) / (double)(end - begin)) * TIME_WIDTH;
}

void time_chart_begin(const char *classes, unsigned height, struct strbuf *out)
{
	strbuf_addf(out,
	            "<svg class=\"time %s\" width=\"100%%\" height=\"%u\" viewBox=\"0 0 %d %u\" "
	            "preserveAspectRatio=\"none\">",
	            classes, height, TIME_WIDTH, height);
}

void time_chart_end(struct strbuf *out)
{
	strbuf_add_str(out, "</svg>");
}

void time_chart_add_gaps(const struct history *history, unsigned height, struct strbuf *out)
{
	size_t start = out->len, begun;

	strbuf_add_str(out, "<path class=\"gap\" d=\"");
	begun = out->len;
	for (size_t i = 1; i < history->column_count; i++) {
		const struct history_column *column = &history->columns[i];
		double from = time_chart_place(history, column[-1].end_ns);
		double to = time_chart_place(history, column->begin_ns);

		if (column->begin_ns > column[-1].end_ns)
			strbuf_addf(out, "M%.2f 0H%.2fV%uH%.2fz", from, fmax(to, from + 0.5),
			            height, from);
	}
	if (out->len == begun)
		strbuf_cut(out, start);
	else
		strbuf_add_str(out, "\"/>");
}

/* Appends the steps of the columns from @first to the end, or to one that has no value or begins behind a gap. Returns that one. */
static size_t add_steps(const struct history *history, const double *values, double top,
                        size_t first, bool area, struct strbuf *out)
{
	size_t i = first;
	double end = 0;

	for (; i < history->column_count && !isnan(values[i]); i++) {
		const struct history_column *column = &history->columns[i];
		double share = top > 0 ? fmin(1, values[i] / top) : 0;
		double y = LINE_HEIGHT - 1 - share * (LINE_HEIGHT - 3);
		double begin = time_chart_place(history, column->begin_ns);

		if (i > first && column->begin_ns > column[-1].end_ns)
			break;
		if (i > first)
			strbuf_addf(out, "H%.2fV%.1f", begin, y);
		else if (area)
			strbuf_addf(out, "M%.2f %dV%.1f", begin, LINE_HEIGHT, y);
		else
			strbuf_addf(out, "M%.2f %.1f", begin, y);
		end = time_chart_place(history, column->end_ns);
	}
	if (i > first)
		strbuf_addf(out, "H%.2f", end);
	if (i > first && area)
		strbuf_addf(out, "V%dz", LINE_HEIGHT);
	return i > first ? i : first + 1;
}

void time_chart_add_line(const struct history *history, const double *values, double top,
                         unsigned number, struct strbuf *out)
{
	for (unsigned area = number == 0; area < 2; area--) {
		strbuf_addf(out, "<path class=\"%s%u\" d=\"", area ? "area" : "line", number);
		for (size_t i = 0; i < history->column_count;)
			i = add_steps(history, values, top, i, area, out);
		strbuf_add_str(out, "\"/>");
	}
}

double time_chart_least(unsigned level, double largest)
{
	return largest / pow(level_factor, CELL_LEVELS + 1 - level);
}

unsigned time_chart_level(double amount, double largest)
{
	unsigned level = CELL_LEVELS;

	if (!(amount > 0) || !(largest > 0))
		return 0;
	while (level > 1 && amount < time_chart_least(level, largest))
		level--;
	return level;
}

/* The class of a cell: a level, or one above for what is not known. */
static unsigned class_of(double amount, double largest)
{
	return isnan(amount) ? CELL_LEVELS + 1 : time_chart_level(amount, largest);
}

/* Neighbours of one level are one rectangle, all of a level are one path. */
static void add_level(const struct history *history, const double *values, double largest,
                      unsigned level, struct strbuf *out)
{
	size_t start = out->len, begun;

	strbuf_addf(out,
	            level > CELL_LEVELS ? "<path class=\"hu\" d=\"" : "<path class=\"h%u\" d=\"",
	            level);
	begun = out->len;
	for (size_t i = 0; i < history->column_count; i++) {
		const struct history_column *columns = history->columns;
		size_t last = i;
		double from, to;

		if (class_of(values[i], largest) != level)
			continue;
		while (last + 1 < history->column_count &&
		       class_of(values[last + 1], largest) == level &&
		       columns[last + 1].begin_ns <= columns[last].end_ns)
			last++;
		from = time_chart_place(history, columns[i].begin_ns);
		to = time_chart_place(history, columns[last].end_ns);
		strbuf_addf(out, "M%.1f 0H%.1fV%dH%.1fz", from, fmax(to, from), CELL_HEIGHT, from);
		i = last;
	}
	if (out->len == begun)
		strbuf_cut(out, start);
	else
		strbuf_add_str(out, "\"/>");
}

void time_chart_add_cells(const struct history *history, const double *values, double largest,
                          struct strbuf *out)
{
	for (unsigned level = 1; level <= CELL_LEVELS + 1; level++)
		add_level(history, values, largest, level, out);
}

void time_chart_add_time(uint64_t unix_ns, struct strbuf *out)
{
	time_t seconds = (time_t)(unix_ns / NS_PER_SECOND);
	char text[32];
	struct tm fields;

	gmtime_r(&seconds, &fields);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &fields);
	strbuf_add_str(out, text);
}

/* Returns the seconds between labels. */
static uint64_t step_of(uint64_t seconds)
{
	static const uint64_t steps[] = {1,     2,     5,     10,    15,     30,    60,
	                                 120,   300,   600,   900,   1800,   3600,  7200,
	                                 10800, 21600, 43200, 86400, 172800, 604800};
	enum { LABELS = 8 };

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (seconds / steps[i] <= LABELS)
			return steps[i];
	return 2592000;
}

static void add_label(const struct history *history, uint64_t second, uint64_t step,
                      struct strbuf *out)
{
	time_t time = (time_t)second;
	double at = time_chart_place(history, second * NS_PER_SECOND) / TIME_WIDTH * 100;
	char text[32];
	struct tm fields;

	gmtime_r(&time, &fields);
	strftime(text, sizeof(text),
	         step >= 86400   ? "%m-%d"
	         : step % 60 > 0 ? "%H:%M:%S"
	                         : "%H:%M",
	         &fields);
	strbuf_addf(out,
	            "<line class=\"axis\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" y2=\"6\"/>"
	            "<text class=\"tick\" x=\"%.2f%%\" y=\"18\" text-anchor=\"%s\">%s</text>",
	            at, at, at,
	            at < 4    ? "start"
	            : at > 96 ? "end"
	                      : "middle",
	            text);
}

void time_chart_add_axis(const struct history *history, struct strbuf *out)
{
	uint64_t begin = first_ns(history) / NS_PER_SECOND, end = last_ns(history) / NS_PER_SECOND;
	uint64_t step = step_of(end - begin);

	for (uint64_t second = (begin + step) / step * step; second <= end; second += step)
		add_label(history, second, step, out);
	for (size_t i = 0; i < history->column_count; i++)
		if (history->columns[i].gaps > 0)
			strbuf_addf(out,
			            "<circle class=\"gapmark\" cx=\"%.2f%%\" cy=\"25\" r=\"2.5\"/>",
			            (time_chart_place(history, history->columns[i].begin_ns) +
			             time_chart_place(history, history->columns[i].end_ns)) /
			                    2 / TIME_WIDTH * 100);
}
