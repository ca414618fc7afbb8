// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "axis.h"
#include "base/clock.h"
#include "base/markup.h"
#include "base/text.h"
#include "picture.h"

enum {
	WIDTH_LEAST = 200,
	WIDTH_DEFAULT = 900,
	SIZE_MOST = 20000,
	PANEL_DEFAULT = 170, /* pixels, with the heading */
	PANEL_LEAST = 60,
	HEAD = 52,
	FOOT = 34,
	LEFT = 76,
	RIGHT = 20,
	HEADING = 24,
	PIXELS_PER_LABEL = 90,
	PIXELS_PER_STEP = 36,
	CHARACTER = 7, /* pixels; of the texts in the mean */
	RECORDS_MOST = 4000,
};

static const char *const line_colors[PANEL_LINES] = {"#0b62a4", "#d1641c", "#2e8540", "#7a4fb0"};

struct svg {
	const struct plot *plot;
	struct picture picture;
	unsigned width, panel_height;
	struct strbuf *out;
};

/* A field of the picture, in pixels; y grows downwards. */
struct field {
	double left, right, top, bottom;
	struct axis axis;
};

static void add_text(const struct svg *svg, double x, double y, const char *attributes,
                     const struct strbuf *text)
{
	size_t room = (size_t)((svg->width - x) / CHARACTER);

	strbuf_addf(svg->out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
	markup_add(svg->out, strbuf_str(text),
	           text_prefix_escaped(strbuf_str(text), text->len, room));
	strbuf_add_str(svg->out, "</text>\n");
}

static double x_at(const struct svg *svg, const struct field *field, int64_t time_ns)
{
	double seconds = (double)time_ns / (double)NS_PER_SECOND;

	return field->left + (field->right - field->left) * seconds / svg->picture.seconds;
}

static double y_at(const struct field *field, double value)
{
	return field->bottom - (field->bottom - field->top) * value / field->axis.top;
}

static void add_line(const struct svg *svg, const struct field *field, enum series_id id,
                     unsigned line)
{
	const struct picture *picture = &svg->picture;
	bool is_drawn = false;

	strbuf_addf(svg->out,
	            "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" "
	            "stroke-linecap=\"round\" d=\"",
	            line_colors[line], line == 0 ? "2" : "1.5");
	for (size_t i = 0; i < picture->count; i++) {
		const struct series_record *record = &picture->records[i];
		double to = x_at(svg, field, record->time_ns);
		double from = i > 0 ? x_at(svg, field, record[-1].time_ns) : to;
		double y = y_at(field, record->values[id]);

		if (isnan(record->values[id])) {
			is_drawn = false;
			continue;
		}
		strbuf_addf(svg->out, "%c%.1f %.1fH%.1f", is_drawn ? 'L' : 'M', from, y, to);
		is_drawn = true;
	}
	strbuf_add_str(svg->out, "\"/>\n");
}

/* Each process by itself, faintly. */
static void add_processes(const struct svg *svg, const struct field *field, bool is_cpu,
                          unsigned line)
{
	const struct series *series = svg->plot->series;

	strbuf_addf(svg->out,
	            "<g fill=\"none\" stroke=\"%s\" stroke-width=\"0.8\" stroke-opacity=\"0.45\" "
	            "stroke-dasharray=\"2 2\">\n",
	            line_colors[line]);
	for (size_t i = 0; i < series->process_count; i++) {
		const struct series_process *process = &series->processes[i];
		bool is_drawn = false;

		/* A single point has no line. */
		for (size_t k = 0; process->count > 1 && k < process->count; k++) {
			const struct series_point *point = &process->points[k];
			double value = is_cpu ? point->cpu : point->rss;

			if (isnan(value))
				continue;
			strbuf_addf(svg->out, "%s%.1f %.1f", is_drawn ? "L" : "<path d=\"M",
			            x_at(svg, field, point->time_ns), y_at(field, value));
			is_drawn = true;
		}
		if (is_drawn)
			strbuf_add_str(svg->out, "\"/>\n");
	}
	strbuf_add_str(svg->out, "</g>\n");
}

static void add_legend(const struct svg *svg, const struct panel *panel, double y)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	double x = LEFT;

	strbuf_add_str(&text, series_panels[panel->id].heading);
	add_text(svg, x, y, "font-weight=\"bold\"", &text);
	x += (double)text.len * (CHARACTER + 1) + 14;
	for (unsigned i = 0; i < panel->count; i++) {
		strbuf_clear(&text);
		picture_add_label(&svg->picture, panel->lines[i], LABEL_FULL, &text);
		strbuf_addf(svg->out,
		            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
		            "stroke-width=\"3\"/>\n",
		            x, y - 4, x + 18, y - 4, line_colors[i]);
		add_text(svg, x + 24, y, "", &text);
		x += (double)text.len * CHARACTER + 44;
	}
	strbuf_clear(&text);
	picture_add_limit(svg->plot, panel->id, &text);
	if (text.len > 0 && x + (double)text.len * CHARACTER <= svg->width)
		add_text(svg, x, y, "fill=\"#666\"", &text);
}

static void add_value_axis(const struct svg *svg, const struct field *field, enum series_unit unit)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	for (unsigned i = 0; i * field->axis.step <= field->axis.top * (1 + 1e-9); i++) {
		double y = y_at(field, i * field->axis.step);

		strbuf_addf(
		        svg->out,
		        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n",
		        field->left, y, field->right, y, i == 0 ? "#888" : "#ddd");
		strbuf_clear(&text);
		axis_add_label(unit, &field->axis, i * field->axis.step, &text);
		add_text(svg, field->left - 6, y + 4, "text-anchor=\"end\" fill=\"#444\"", &text);
	}
}

static void add_panel(const struct svg *svg, const struct panel *panel, double top)
{
	enum series_unit unit = series_panels[panel->id].unit;
	double height = (double)svg->panel_height - HEADING - 10;
	struct field field = {
	        .left = LEFT,
	        .right = (double)svg->width - RIGHT,
	        .top = top + HEADING,
	        .bottom = top + HEADING + height,
	        .axis = axis_of_values(unit, panel->most, (unsigned)(height / PIXELS_PER_STEP)),
	};

	add_legend(svg, panel, top + HEADING - 9);
	add_value_axis(svg, &field, unit);
	for (unsigned i = 0; i < panel->count; i++)
		if (panel->lines[i] == SERIES_cpu_max || panel->lines[i] == SERIES_rss_max)
			add_processes(svg, &field, panel->lines[i] == SERIES_cpu_max, i);
	for (unsigned i = panel->count; i-- > 0;)
		add_line(svg, &field, panel->lines[i], i);
}

static void add_time_axis(const struct svg *svg, double top, double bottom)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	const struct field field = {.left = LEFT, .right = (double)svg->width - RIGHT};
	double seconds = svg->picture.seconds;
	uint64_t step = axis_time_step(seconds, (svg->width - LEFT) / PIXELS_PER_LABEL);

	for (uint64_t time = 0; (double)time <= seconds; time += step) {
		double x = x_at(svg, &field, (int64_t)(time * NS_PER_SECOND));

		strbuf_addf(svg->out,
		            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
		            "stroke=\"#bbb\" stroke-dasharray=\"1 4\"/>\n",
		            x, top, x, bottom);
		strbuf_clear(&text);
		axis_add_time(time, &text);
		add_text(svg, x - 3, bottom + 18, "fill=\"#444\"", &text);
	}
}

static void size_init(struct svg *svg)
{
	const struct plot *plot = svg->plot;
	unsigned panels = svg->picture.panel_count;

	svg->width = plot->width == 0 ? WIDTH_DEFAULT : plot->width;
	svg->width = svg->width < WIDTH_LEAST ? WIDTH_LEAST : svg->width;
	svg->width = svg->width > SIZE_MOST ? SIZE_MOST : svg->width;
	svg->panel_height = PANEL_DEFAULT;
	if (plot->height > 0 && panels > 0)
		svg->panel_height =
		        (plot->height > HEAD + FOOT ? plot->height - HEAD - FOOT : 0) / panels;
	if (svg->panel_height < PANEL_LEAST)
		svg->panel_height = PANEL_LEAST;
	if (svg->panel_height > SIZE_MOST)
		svg->panel_height = SIZE_MOST;
}

void plot_svg(const struct plot *plot, struct strbuf *out)
{
	struct svg svg = {.plot = plot, .out = out};
	unsigned height;

	picture_init(&svg.picture, plot, RECORDS_MOST);
	size_init(&svg);
	height = HEAD + FOOT + svg.panel_height * svg.picture.panel_count;
	strbuf_addf(out,
	            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
	            "viewBox=\"0 0 %u %u\" font-family=\"sans-serif\" font-size=\"12\">\n<title>",
	            svg.width, height, svg.width, height);
	markup_add(out, strbuf_str(&svg.picture.title), svg.picture.title.len);
	strbuf_add_str(out, "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
	add_text(&svg, 12, 20, "font-size=\"15\" font-weight=\"bold\"", &svg.picture.title);
	add_text(&svg, 12, 38, "fill=\"#444\"", &svg.picture.facts);
	add_time_axis(&svg, HEAD + HEADING,
	              HEAD + (double)svg.panel_height * svg.picture.panel_count - 10);
	for (unsigned i = 0; i < svg.picture.panel_count; i++)
		add_panel(&svg, &svg.picture.panels[i], HEAD + (double)svg.panel_height * i);
	strbuf_add_str(out, "</svg>\n");
	picture_done(&svg.picture);
}
