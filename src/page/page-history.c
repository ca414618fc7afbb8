// SPDX-License-Identifier: GPL-2.0-or-later
#include "page/page-history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/markup.h"
#include "base/mem.h"
#include "heat.h"
#include "metric/units.h"
#include "page-history-part.h"
#include "page-section.h"
#include "report/overview-table.h"
#include "report/report-text.h"
#include "time-chart.h"

enum { SVG_NAME = 240, SVG_CHART = 900, SVG_GAP = 8 };

static void add_amount(unsigned aspect, double amount, struct strbuf *out)
{
	const struct overview window = {.kind = OVERVIEW_WINDOW};
	size_t start = out->len;

	if (isnan(amount)) {
		strbuf_add_char(out, '-');
		return;
	}
	overview_add_amount(&window, aspect, amount, out);
	if (out->len == start)
		strbuf_add_char(out, '0');
}

static void add_marks(unsigned marks, struct strbuf *out)
{
	strbuf_add_str(out, marks & HISTORY_PARTIAL ? "*" : "");
	strbuf_add_str(out, marks & HISTORY_BEGAN_BEFORE ? report_began_before_mark : "");
}

/* Appends a value with its marks. */
static void add_marked(unsigned aspect, double amount, unsigned marks, struct strbuf *out)
{
	add_amount(aspect, amount, out);
	if (!isnan(amount))
		add_marks(marks, out);
}

static double *host_of(const struct history *history, unsigned aspect)
{
	double *values = mem_calloc(history->column_count + 1, sizeof(values[0]));

	for (size_t i = 0; i < history->column_count; i++) {
		const struct overview_value *value = &history->columns[i].host[aspect];

		values[i] = value->seen ? value->amount : NAN;
	}
	return values;
}

static double *pressure_of(const struct history *history, unsigned resource)
{
	double *values = mem_calloc(history->column_count + 1, sizeof(values[0]));

	for (size_t i = 0; i < history->column_count; i++)
		values[i] = history->columns[i].pressure[resource];
	return values;
}

/* A panel of lines: up to three. */
struct panel {
	const char *heading;
	unsigned aspect; /* of its unit; ASPECT_COUNT: percent */
	double *lines[3];
	double means[3];
	unsigned means_marks[3];
	unsigned aspects[3]; /* ASPECT_COUNT: pressure */
	const char *names[3];
	unsigned count;
	double top;
};

static void panel_add(const struct history *history, struct panel *panel, double *values,
                      const char *name)
{
	struct extent extent = extent_of(history, values);

	/* Pressure that was zero all the time is a line of words: no command has a row of it. */
	if (isnan(extent.most) || (panel->aspect == ASPECT_COUNT && extent.most <= 0)) {
		free(values);
		return;
	}
	panel->lines[panel->count] = values;
	panel->means[panel->count] = extent.mean;
	panel->aspects[panel->count] = ASPECT_COUNT;
	panel->names[panel->count++] = name;
	panel->top = fmax(panel->top, extent.most);
}

static void panel_add_host(const struct history *history, struct panel *panel, unsigned aspect)
{
	unsigned at = panel->count;

	panel_add(history, panel, host_of(history, aspect), aspect_table[aspect].heading);
	if (panel->count == at)
		return;
	panel->aspects[at] = aspect;
	panel->means_marks[at] = history->means_marks[aspect];
	if (history->has_means)
		panel->means[at] = history->means[aspect];
}

static void panel_add_pressure(const struct history *history, struct panel *panel,
                               unsigned resource, const char *name)
{
	unsigned at = panel->count;

	panel_add(history, panel, pressure_of(history, resource), name);
	if (panel->count > at && history->has_means)
		panel->means[at] = history->pressure_means[resource];
}

static void panel_done(struct panel *panel)
{
	for (unsigned i = 0; i < panel->count; i++)
		free(panel->lines[i]);
}

static void add_value(const struct panel *panel, double value, struct strbuf *out)
{
	if (panel->aspect < ASPECT_COUNT)
		add_amount(panel->aspect, value, out);
	else if (isnan(value))
		strbuf_add_char(out, '-');
	else { /* time of each second, as the table of pressure has it */
		units_format(UNIT_ns, quantity_real(value * NS_PER_SECOND / 100), false, out);
		strbuf_add_str(out, "/s");
	}
}

enum { PANELS = 5 };

static void panel_init(const struct history *history, unsigned which, struct panel *ret)
{
	static const unsigned aspects[PANELS] = {ASPECT_cpu, ASPECT_wait, ASPECT_blocked,
	                                         ASPECT_COUNT, ASPECT_read};
	unsigned aspect = aspects[which];

	*ret = (struct panel){.aspect = aspect};
	if (aspect == ASPECT_COUNT) {
		ret->heading = "pressure (some)";
		panel_add_pressure(history, ret, PSI_cpu, "cpu");
		panel_add_pressure(history, ret, PSI_memory, "memory");
		panel_add_pressure(history, ret, PSI_io, "io");
	} else if (aspect == ASPECT_read) {
		ret->heading = "storage";
		panel_add_host(history, ret, ASPECT_read);
		panel_add_host(history, ret, ASPECT_write);
	} else if (history->seen[aspect]) {
		ret->heading = aspect_table[aspect].heading;
		panel_add_host(history, ret, aspect);
	}
	/* The whole machine is the end where that is known and used. */
	if (aspect == ASPECT_cpu && history->capacity[aspect] > 0)
		ret->top = history->capacity[aspect];
}

static void add_panel_chart(const struct history *history, const struct panel *panel,
                            struct strbuf *out)
{
	time_chart_begin("lines", LINE_HEIGHT, out);
	time_chart_add_gaps(history, LINE_HEIGHT, out);
	for (unsigned i = 0; i < panel->count; i++)
		time_chart_add_line(history, panel->lines[i], panel->top, i, out);
	time_chart_end(out);
}

static void add_key(unsigned line, const char *name, struct strbuf *out)
{
	strbuf_addf(
	        out,
	        "<br><span><svg class=\"key\" width=\"18\" height=\"8\" aria-hidden=\"true\"><path "
	        "class=\"line%u\" d=\"M0 4H18\"/></svg>&#160;%s</span>",
	        line, name);
}

static void add_panel_cell(const struct history *history, const struct panel *panel,
                           unsigned column, const struct extent *extent, struct strbuf *out)
{
	if (column == 0) {
		add_value(panel, extent->mean, out);
		add_marks(extent->mean_marks, out);
	} else if (column == 1) {
		page_begin_peak(history, extent, out);
		add_value(panel, extent->most, out);
		add_marks(extent->most_marks, out);
		strbuf_add_str(out, "</span>");
	} else {
		page_add_range(history, extent, out);
	}
}

static struct extent panel_extent(const struct history *history, const struct panel *panel,
                                  unsigned line)
{
	struct extent extent = extent_of(history, panel->lines[line]);
	unsigned aspect = panel->aspects[line];

	extent.mean = panel->means[line];
	extent.mean_marks = panel->means_marks[line];
	extent.most_marks =
	        aspect < ASPECT_COUNT ? history_host_marks(history, aspect, extent.at) : 0;
	for (size_t i = 0; aspect < ASPECT_COUNT && i < history->column_count; i++)
		if (panel->lines[line][i] == 0 && history->columns[i].host[aspect].partial)
			extent_mark_zero(&extent, i);
	return extent;
}

static void add_panel(const struct history *history, unsigned which, struct strbuf *out)
{
	struct panel panel;

	panel_init(history, which, &panel);
	if (panel.count > 0) {
		strbuf_addf(out, "<tr><th scope=\"row\">%s", panel.heading);
		for (unsigned i = 0; panel.count > 1 && i < panel.count; i++)
			add_key(i, panel.names[i], out);
		strbuf_add_str(out, "</th><td class=\"bars\">");
		add_panel_chart(history, &panel, out);
		for (unsigned column = 0; column < 3; column++) {
			strbuf_add_str(out, "</td><td>");
			/* Each number is beside its name, below the heading. */
			for (unsigned i = 0; i < panel.count; i++) {
				struct extent extent = panel_extent(history, &panel, i);

				strbuf_add_str(out, panel.count > 1 ? "<br>" : "");
				add_panel_cell(history, &panel, column, &extent, out);
			}
		}
		strbuf_add_str(out, "</td></tr>\n");
	}
	panel_done(&panel);
}

static void add_table_begin(const char *first, const char *aspect, struct strbuf *out)
{
	strbuf_addf(
	        out,
	        "<div class=\"wide\">\n<table class=\"history\" data-aspect=\"%s\">\n<thead><tr>"
	        "<th scope=\"col\">%s</th><th scope=\"col\" class=\"bars\">time (UTC)</th>"
	        "<th scope=\"col\">mean</th><th scope=\"col\">most</th><th scope=\"col\">range</th>"
	        "</tr></thead>\n<tbody>\n",
	        aspect, first);
}

static void add_table_end(const struct history *history, struct strbuf *out)
{
	strbuf_addf(out,
	            "<tr class=\"axes\"><th scope=\"row\"></th><td class=\"bars\"><svg "
	            "class=\"bar\" width=\"100%%\" height=\"%d\" aria-hidden=\"true\">",
	            AXIS_HEIGHT);
	time_chart_add_axis(history, out);
	strbuf_add_str(out,
	               "</svg></td><td></td><td></td><td></td></tr>\n</tbody>\n</table>\n</div>\n");
}

/* Appends the text of a row: "postgres, mean 12, most 300 at 2026-11-23 10:00:00 UTC". */
static void add_title(const struct history *history, const char *name, unsigned aspect,
                      const struct extent *extent, struct strbuf *out)
{
	strbuf_add_str(out, "<title>");
	markup_add_str(out, name);
	if (strcmp(name, heat_others) == 0) {
		strbuf_addf(out, "\n%s</title>", aspect_table[aspect].heading);
		return;
	}
	strbuf_addf(out, "\n%s: mean ", aspect_table[aspect].heading);
	add_marked(aspect, extent->mean, extent->mean_marks, out);
	strbuf_add_str(out, ", most ");
	add_marked(aspect, extent->most, extent->most_marks, out);
	if (!isnan(extent->most)) {
		strbuf_add_str(out, " from ");
		time_chart_add_time(history->columns[extent->at].begin_ns, out);
		strbuf_add_str(out, " on");
	}
	strbuf_add_str(out, "</title>");
}

/* Appends the least value of a level of colour; nothing if the level below has the same text. */
static void add_level(const struct heat *heat, unsigned level, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf below = STRBUF_INIT, from = STRBUF_INIT;

	if (level == 1) {
		strbuf_add_str(out, "&#160;more than 0");
		return;
	}
	if (level == 2)
		strbuf_add_char(&below, '0');
	else
		add_amount(heat->aspect, time_chart_least(level - 1, heat->largest), &below);
	add_amount(heat->aspect, time_chart_least(level, heat->largest), &from);
	if (strcmp(strbuf_str(&below), strbuf_str(&from)) != 0)
		strbuf_addf(out, "&#160;from %s", strbuf_str(&from));
}

static void add_levels(const struct heat *heat, struct strbuf *out)
{
	strbuf_add_str(out, "<p class=\"keys\">");
	for (unsigned level = 1; level <= CELL_LEVELS; level++) {
		strbuf_addf(
		        out,
		        "<span><svg class=\"key\" width=\"14\" height=\"12\" aria-hidden=\"true\">"
		        "<path class=\"h%u\" d=\"M0 0H14V12H0z\"/></svg>",
		        level);
		add_level(heat, level, out);
		strbuf_add_str(out, "</span>\n");
	}
	strbuf_add_str(
	        out, "<span><svg class=\"key\" width=\"14\" height=\"12\" aria-hidden=\"true\">"
	             "<path class=\"hu\" d=\"M0 0H14V12H0z\"/></svg>&#160;not known</span>\n"
	             "<span><svg class=\"key\" width=\"14\" height=\"12\" aria-hidden=\"true\">"
	             "<path class=\"gap\" d=\"M0 0H14V12H0z\"/></svg>&#160;no window</span></p>\n");
}

static void add_heat_chart(const struct heat *heat, size_t row, struct strbuf *out)
{
	struct extent extent = heat_extent(heat, row);

	time_chart_begin("heat", CELL_HEIGHT, out);
	add_title(heat->history, heat_name(heat, row), heat->aspect, &extent, out);
	time_chart_add_gaps(heat->history, CELL_HEIGHT, out);
	time_chart_add_cells(heat->history, heat->values[row], heat->largest, out);
	time_chart_end(out);
}

/* Returns whether the row is left out. A group of which only zeros were seen has one if threads are missing in them. */
static bool did_nothing(const struct heat *heat, size_t row, const struct extent *extent)
{
	bool has_mark =
	        row < heat->groups && ((extent->most_marks | extent->mean_marks) & HISTORY_PARTIAL);

	return !isnan(extent->most) && extent->most <= 0 && !has_mark;
}

static void add_heat_row(const struct heat *heat, size_t row, struct strbuf *out)
{
	struct extent extent = heat_extent(heat, row);

	if (did_nothing(heat, row, &extent))
		return;
	strbuf_addf(out, "<tr data-row=\"%zu\"><th scope=\"row\">", row);
	markup_add_str(out, heat_name(heat, row));
	strbuf_add_str(out, "</th><td class=\"bars\">");
	add_heat_chart(heat, row, out);
	/* No command prints what the others are together. */
	if (row == heat->groups) {
		strbuf_add_str(out, "</td><td></td><td></td><td></td></tr>\n");
		return;
	}
	strbuf_add_str(out, "</td><td>");
	add_marked(heat->aspect, extent.mean, extent.mean_marks, out);
	strbuf_add_str(out, "</td><td>");
	page_begin_peak(heat->history, &extent, out);
	add_marked(heat->aspect, extent.most, extent.most_marks, out);
	strbuf_add_str(out, "</span></td><td>");
	page_add_range(heat->history, &extent, out);
	strbuf_add_str(out, "</td></tr>\n");
}

static void add_heat(const struct history *history, unsigned aspect, bool open,
                     const struct page_history_commands *commands, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf id = STRBUF_INIT, options = STRBUF_INIT;
	struct heat heat;

	heat_init(history, aspect, &heat);
	if (heat.largest > 0) {
		strbuf_addf(&id, "heat-%s", aspect_table[aspect].name);
		strbuf_addf(&options, " --sort-by %s --limit 0 --self", aspect_table[aspect].name);
		strbuf_addf(out, "<details%s>\n<summary>%s: %s</summary>\n", open ? " open" : "",
		            aspect_table[aspect].heading, aspect_table[aspect].description);
		page_add_heading(strbuf_str(&id), aspect_table[aspect].heading, commands->whole,
		                 strbuf_str(&options), out);
		page_add_command("The most, with the range of its column as RANGE:",
		                 commands->range, strbuf_str(&options), out);
		add_levels(&heat, out);
		add_table_begin("group", aspect_table[aspect].name, out);
		for (size_t row = 0; row <= heat.groups; row++)
			add_heat_row(&heat, row, out);
		add_table_end(history, out);
		strbuf_add_str(out, "</details>\n");
	}
	heat_done(&heat);
}

/* Returns the marks that there are: no group has one that the host has not. */
static unsigned all_marks(const struct history *history)
{
	unsigned marks = 0;

	for (size_t i = 0; i < history->column_count; i++)
		for (unsigned a = 0; a < ASPECT_COUNT; a++)
			marks |= history_host_marks(history, a, i);
	return marks;
}

/* Appends the numbers of what is drawn and of what is not. */
static void add_notes(const struct history *history, struct strbuf *out)
{
	uint64_t windows = 0, gaps = 0, gap_ns = 0, longest_ns = 0;
	unsigned marks = all_marks(history);
	size_t left_out =
	        history->group_count > HISTORY_GROUPS ? history->group_count - HISTORY_GROUPS : 0;

	for (size_t i = 0; i < history->column_count; i++) {
		const struct history_column *column = &history->columns[i];

		windows += column->windows;
		gaps += column->gaps;
		gap_ns += column->gap_ns;
		longest_ns = column->length_ns > longest_ns ? column->length_ns : longest_ns;
		if (i > 0 && column->begin_ns > column[-1].end_ns) {
			gaps++;
			gap_ns += column->begin_ns - column[-1].end_ns;
		}
	}
	strbuf_addf(out, "<p class=\"drawn\">%llu window%s in %zu column%s of at most ",
	            (unsigned long long)windows, windows == 1 ? "" : "s", history->column_count,
	            history->column_count == 1 ? "" : "s");
	units_format(UNIT_ns, quantity_integer(longest_ns), false, out);
	strbuf_add_str(out, ", each with the mean of its windows: a shorter range shows more. ");
	if (marks & HISTORY_PARTIAL)
		strbuf_add_str(out, "A * marks a value that some of the threads are not in. ");
	if (marks & HISTORY_BEGAN_BEFORE)
		strbuf_add_str(out,
		               "A § marks waits that began before the column, or before all the "
		               "time; their part in it counts. ");
	if (gaps > 0) {
		strbuf_addf(out, "%llu %s ", (unsigned long long)gaps,
		            gaps == 1 ? "gap of" : "gaps of together");
		units_format(UNIT_ns, quantity_integer(gap_ns), false, out);
		strbuf_add_str(out, gaps == 1 ? " has no window; " : " have no window; ");
		strbuf_add_str(out, "columns with one inside have a mark at the axis. ");
	} else {
		strbuf_add_str(out, "There is no gap. ");
	}
	if (left_out > 0)
		strbuf_addf(out, "%zu groups have no row of their own.", left_out);
	if (history->cut > 0)
		strbuf_addf(out, " Columns with more than %d groups have those that did most.",
		            HISTORY_CELLS);
	strbuf_add_str(out, "</p>\n");
}

/* Names the resources for which no task ever waited. */
static void add_no_pressure(const struct history *history, struct strbuf *out)
{
	static const char *const names[] = {
	        [PSI_cpu] = "cpu", [PSI_memory] = "memory", [PSI_io] = "io"};
	cleanup_(strbuf_done) struct strbuf none = STRBUF_INIT;

	for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
		double *values = pressure_of(history, i);

		if (names[i] && extent_of(history, values).most <= 0)
			strbuf_addf(&none, "%s%s", none.len > 0 ? ", " : "", names[i]);
		free(values);
	}
	if (none.len > 0)
		strbuf_addf(out, "<p>Zero all the time: pressure of %s.</p>\n", strbuf_str(&none));
}

void page_add_history(const struct history *history, const struct page_history_commands *commands,
                      struct strbuf *out)
{
	static const char of_host[] = " --sort-by cpu --limit 0 --self";
	static const char of_pressure[] = " --sections host-pressure";

	if (history->column_count == 0)
		return;
	page_add_heading("time", "Over time", commands->whole_host, of_host, out);
	page_add_command("Pressure:", commands->whole, of_pressure, out);
	add_notes(history, out);
	strbuf_add_str(out, "<div id=\"picked\"></div>\n");
	add_table_begin("host", "", out);
	for (unsigned i = 0; i < PANELS; i++)
		add_panel(history, i, out);
	add_table_end(history, out);
	add_no_pressure(history, out);
	page_add_command("The most, with the range of its column as RANGE:", commands->range_host,
	                 of_host, out);
	page_add_command("Pressure:", commands->range, of_pressure, out);
	for (size_t i = 0; i < HEAT_ASPECTS; i++)
		add_heat(history, heat_aspects[i], i == 0, commands, out);
	page_add_history_data(history, commands, out);
}

/* A row of a chart by itself: a name, and a chart behind it. */
static void draw_name(const char *name, unsigned y, unsigned height, struct strbuf *out)
{
	strbuf_addf(out, "<svg y=\"%u\" width=\"%d\" height=\"%u\"><text x=\"4\" y=\"11\">", y,
	            SVG_NAME - SVG_GAP, height);
	markup_add_str(out, name);
	strbuf_addf(out, "</text></svg>\n<svg x=\"%d\" y=\"%u\" width=\"%d\" height=\"%u\">",
	            SVG_NAME, y, SVG_CHART, height);
}

static unsigned draw_axis(const struct history *history, unsigned y, struct strbuf *out)
{
	draw_name("time (UTC)", y, AXIS_HEIGHT, out);
	time_chart_add_axis(history, out);
	strbuf_add_str(out, "</svg>\n");
	return y + AXIS_HEIGHT;
}

static void finish(const struct strbuf *rows, unsigned height, struct strbuf *out)
{
	page_begin_svg(SVG_NAME + SVG_CHART + SVG_GAP, height + SVG_GAP, out);
	strbuf_add(out, rows->data, rows->len);
	strbuf_add_str(out, "</svg>\n");
}

/* The key of a panel of several lines, below its name. */
static void draw_key(const struct panel *panel, unsigned y, struct strbuf *out)
{
	enum { LINE = 20, STEP = 76, BELOW = 28 };

	for (unsigned i = 0; panel->count > 1 && i < panel->count; i++)
		strbuf_addf(
		        out,
		        "<svg class=\"key\" x=\"%u\" y=\"%u\" width=\"%d\" height=\"16\"><path "
		        "class=\"line%u\" d=\"M0 8H16\"/><text x=\"%d\" y=\"12\">%s</text></svg>\n",
		        4 + STEP * i, y + BELOW - 12, STEP, i, LINE, panel->names[i]);
}

void page_add_lines_svg(const struct history *history, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf rows = STRBUF_INIT;
	unsigned y = SVG_GAP;

	for (unsigned i = 0; i < PANELS; i++) {
		cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;
		struct panel panel;

		panel_init(history, i, &panel);
		if (panel.count > 0) {
			strbuf_addf(&name, "%s, to ", panel.heading);
			add_value(&panel, panel.top, &name);
			draw_key(&panel, y, &rows);
			draw_name(strbuf_str(&name), y, LINE_HEIGHT, &rows);
			add_panel_chart(history, &panel, &rows);
			strbuf_add_str(&rows, "</svg>\n");
			y += LINE_HEIGHT + SVG_GAP;
		}
		panel_done(&panel);
	}
	y = draw_axis(history, y, &rows);
	finish(&rows, y, out);
}

bool page_add_heat_svg(const struct history *history, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf rows = STRBUF_INIT;
	unsigned y = SVG_GAP;
	struct heat heat;
	bool is_known;

	heat_init(history, ASPECT_cpu, &heat);
	is_known = heat.largest > 0;
	for (size_t row = 0; is_known && row <= heat.groups; row++) {
		struct extent extent = heat_extent(&heat, row);

		if (did_nothing(&heat, row, &extent))
			continue;
		draw_name(heat_name(&heat, row), y, CELL_HEIGHT, &rows);
		add_heat_chart(&heat, row, &rows);
		strbuf_add_str(&rows, "</svg>\n");
		y += CELL_HEIGHT + 2;
	}
	heat_done(&heat);
	if (!is_known)
		return false;
	y = draw_axis(history, y, &rows);
	finish(&rows, y, out);
	return true;
}
