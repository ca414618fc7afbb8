// SPDX-License-Identifier: GPL-2.0-or-later
#include "page/page-job.h"

#include <math.h>
#include <stdlib.h>

#include "bands.h"
#include "base/markup.h"
#include "base/mem.h"
#include "page-section.h"
#include "time-chart.h"

enum { LINES_MOST = 4, SVG_NAME = 300, SVG_CHART = 900, SVG_GAP = 8 };

static const struct {
	const char *id;
	enum series_use_kind kind;
	enum series_unit unit;
} stacks[] = {{"bands-cpu", SERIES_USE_CPU, SERIES_UNIT_percent},
              {"bands-memory", SERIES_USE_RSS, SERIES_UNIT_bytes}};

static enum series_use_kind kind_of(const struct plot *plot, size_t which)
{
	return which == 0 ? series_use_of_cpu(plot->series) : stacks[which].kind;
}

static void add_band_name(const struct bands *bands, unsigned band, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;

	bands_add_name(bands, band, &name);
	markup_add_str(out, strbuf_str(&name));
}

static void add_axis(const struct history *columns, struct strbuf *out)
{
	strbuf_addf(out, "<svg class=\"bar\" width=\"100%%\" height=\"%d\" aria-hidden=\"true\">",
	            AXIS_HEIGHT);
	time_chart_add_axis(columns, out);
	strbuf_add_str(out, "</svg>\n");
}

/* Says what the height is. */
static void add_height(const struct plot *plot, enum series_use_kind kind, struct strbuf *out)
{
	strbuf_add_str(out, "<p>All bands together are ");
	plot_add_processes_total(plot->series, kind, out);
	strbuf_add_str(out, kind == SERIES_USE_TIME
	                            ? ". A band is the CPU time of a process in a record by the "
	                              "record's length. No sample saw what processes "
	                              "used between their last one and their end.</p>\n"
	                            : ". A record has the most of each process since the record "
	                              "before, which need not be of one moment: where these add "
	                              "up to more, the sum is divided in proportion to "
	                              "them.</p>\n");
}

static void add_stack(const struct plot *plot, const struct history *columns, size_t which,
                      const char *command, struct strbuf *out)
{
	enum series_use_kind kind = kind_of(plot, which);
	struct bands bands;

	bands_init(&bands, plot->series, columns, kind);
	if (bands.count > 0) {
		page_add_heading(stacks[which].id, plot_processes_titles[which], command,
		                 " --by process", out);
		add_height(plot, kind, out);
		strbuf_add_str(out, "<ul class=\"processes\">\n");
		for (unsigned i = 0; i < bands.count; i++) {
			strbuf_addf(out,
			            "<li><svg class=\"key\" width=\"14\" height=\"12\" "
			            "aria-hidden=\"true\"><rect class=\"s%u\" width=\"14\" "
			            "height=\"12\"/></svg> ",
			            bands_colour(&bands, i));
			add_band_name(&bands, i, out);
			if (bands.entries[i].label)
				plot_add_process_most(stacks[which].unit, bands.entries[i].most,
				                      out);
			strbuf_add_str(out, "</li>\n");
		}
		strbuf_add_str(out, "</ul>\n");
		page_add_command("Values of all records:", command, " -f csv --by process", out);
		time_chart_begin("bands titled", BANDS_HEIGHT, out);
		bands_add(&bands, columns, stacks[which].unit, out);
		time_chart_end(out);
		add_axis(columns, out);
	}
	bands_done(&bands);
}

/* A panel: the lines of one unit. */
struct lines {
	enum series_id ids[LINES_MOST];
	double *values[LINES_MOST];
	double most[LINES_MOST];
	unsigned count;
	double top;
};

static void lines_init(const struct plot *plot, const struct history *columns, unsigned panel,
                       struct lines *ret)
{
	*ret = (struct lines){.count = 0};
	for (unsigned i = 0; i < SERIES_COUNT && ret->count < LINES_MOST; i++) {
		double *values, most = NAN;

		if (series_rows[i].panel != panel || !plot->shown[i] ||
		    !series_has(plot->series, (enum series_id)i))
			continue;
		values = mem_calloc(columns->column_count + 1, sizeof(values[0]));
		bands_series_values(plot->series, columns, (enum series_id)i, values);
		for (size_t k = 0; k < plot->series->count; k++)
			most = fmax(most, plot->series->records[k].values[i]);
		ret->ids[ret->count] = (enum series_id)i;
		ret->values[ret->count] = values;
		ret->most[ret->count++] = most;
		ret->top = fmax(ret->top, most);
	}
}

static void lines_done(struct lines *lines)
{
	for (unsigned i = 0; i < lines->count; i++)
		free(lines->values[i]);
}

static void add_panel(const struct plot *plot, const struct history *columns, unsigned panel,
                      struct strbuf *out)
{
	struct lines lines;

	lines_init(plot, columns, panel, &lines);
	if (lines.count > 0) {
		strbuf_addf(out, "<tr><th scope=\"row\">%s", series_panels[panel].heading);
		for (unsigned i = 0; i < lines.count; i++)
			strbuf_addf(out,
			            "<br><span><svg class=\"key\" width=\"18\" height=\"8\" "
			            "aria-hidden=\"true\"><path class=\"line%u\" d=\"M0 "
			            "4H18\"/></svg>&#160;%s</span>",
			            i, series_rows[lines.ids[i]].label);
		strbuf_add_str(out, "</th><td class=\"bars\">");
		time_chart_begin("lines", LINE_HEIGHT, out);
		for (unsigned i = 0; i < lines.count; i++)
			time_chart_add_line(columns, lines.values[i], lines.top, i, out);
		time_chart_end(out);
		strbuf_add_str(out, "</td><td>");
		for (unsigned i = 0; i < lines.count; i++) {
			strbuf_add_str(out, "<br>");
			plot_add_value(series_panels[panel].unit, lines.most[i], out);
		}
		strbuf_add_str(out, "</td></tr>\n");
	}
	lines_done(&lines);
}

static void add_series(const struct plot *plot, const struct history *columns, const char *command,
                       struct strbuf *out)
{
	page_add_heading("series", "Series", command, "", out);
	if (plot->series->count > BAND_COLUMNS)
		strbuf_addf(out,
		            "<p class=\"drawn\">%zu records in %zu columns, each with the most of "
		            "its records.</p>\n",
		            plot->series->count, columns->column_count);
	strbuf_add_str(out, "<div class=\"wide\">\n<table class=\"history\">\n<thead><tr>"
	                    "<th scope=\"col\">series</th><th scope=\"col\" class=\"bars\">time "
	                    "since the first record</th><th scope=\"col\">max</th></tr></thead>\n"
	                    "<tbody>\n");
	for (unsigned i = 0; i < SERIES_PANEL_COUNT; i++)
		add_panel(plot, columns, i, out);
	strbuf_add_str(out, "<tr class=\"axes\"><th scope=\"row\"></th><td class=\"bars\">");
	add_axis(columns, out);
	strbuf_add_str(out, "</td><td></td></tr>\n</tbody>\n</table>\n</div>\n");
}

void page_add_job(const struct plot *plot, const char *command, struct strbuf *out)
{
	cleanup_(history_done) struct history columns = {0};
	cleanup_(strbuf_done) struct strbuf head = STRBUF_INIT;

	bands_make_columns(plot->series, &columns);
	plot_add_head(plot, &head);
	page_begin_text(strbuf_str(&head), false, out);
	add_series(plot, &columns, command, out);
	for (size_t i = 0; i < ARRAY_SIZE(stacks); i++)
		add_stack(plot, &columns, i, command, out);
	if (plot->series->too_many_points)
		strbuf_addf(out,
		            "<p class=\"drawn\">The processes are not drawn: they have more than "
		            "%d points.</p>\n",
		            SERIES_POINTS_MAX);
	page_end(out);
}

static void draw_svg(const char *name, unsigned y, unsigned height, struct strbuf *out)
{
	strbuf_addf(out, "<text x=\"4\" y=\"%u\">%s</text>\n", y + 12, name);
	strbuf_addf(out, "<svg x=\"%d\" y=\"%u\" width=\"%d\" height=\"%u\">", SVG_NAME, y,
	            SVG_CHART, height);
}

static unsigned draw_stack(const struct bands *bands, const struct history *columns, size_t which,
                           unsigned y, struct strbuf *out)
{
	enum { STEP = 16, SQUARE = 10 };

	draw_svg(plot_processes_titles[which], y, BANDS_HEIGHT, out);
	time_chart_begin("bands", BANDS_HEIGHT, out);
	bands_add(bands, columns, stacks[which].unit, out);
	time_chart_end(out);
	strbuf_add_str(out, "</svg>\n");
	for (unsigned i = 0; i < bands->count; i++) {
		unsigned line = y + STEP * (i + 1);

		strbuf_addf(out,
		            "<rect class=\"s%u\" x=\"4\" y=\"%u\" width=\"%d\" height=\"%d\"/>"
		            "<svg x=\"20\" y=\"%u\" width=\"%d\" height=\"%d\"><text y=\"12\">",
		            bands_colour(bands, i), line + 3, SQUARE, SQUARE, line, SVG_NAME - 24,
		            STEP);
		add_band_name(bands, i, out);
		strbuf_add_str(out, "</text></svg>\n");
	}
	return y + BANDS_HEIGHT + SVG_GAP;
}

bool page_add_processes_svg(const struct plot *plot, struct strbuf *out)
{
	cleanup_(history_done) struct history columns = {0};
	cleanup_(strbuf_done) struct strbuf rows = STRBUF_INIT;
	unsigned y = SVG_GAP;

	bands_make_columns(plot->series, &columns);
	for (size_t i = 0; i < ARRAY_SIZE(stacks); i++) {
		struct bands bands;

		bands_init(&bands, plot->series, &columns, kind_of(plot, i));
		if (bands.count > 0)
			y = draw_stack(&bands, &columns, i, y, &rows);
		bands_done(&bands);
	}
	if (y == SVG_GAP)
		return false;
	draw_svg("time since the first record", y, AXIS_HEIGHT, &rows);
	time_chart_add_axis(&columns, &rows);
	strbuf_add_str(&rows, "</svg>\n");
	page_begin_svg(SVG_NAME + SVG_CHART + SVG_GAP, y + AXIS_HEIGHT, out);
	strbuf_add(out, rows.data, rows.len);
	strbuf_add_str(out, "</svg>\n");
	return true;
}
