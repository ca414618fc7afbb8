// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "axis.h"
#include "base/text.h"
#include "canvas.h"
#include "picture.h"

enum {
	COLUMNS_LEAST = 40,
	COLUMNS_MOST = 1000,
	ROWS_LEAST = 2, /* of a panel */
	ROWS_MOST = 100,
	FIXED_LINES = 4,    /* two above the panels and two below */
	LABEL_COLUMNS = 8,  /* before the axis */
	ROWS_PER_LABEL = 3, /* at least */
	COLUMNS_PER_LABEL = 12,
	SIGN_COLUMNS = 3, /* of a line in the legend, with a blank */
};

struct text_plot {
	const struct plot *plot;
	struct picture picture;
	unsigned columns; /* of the field */
	unsigned rows;    /* of each panel */
	struct strbuf *out;
};

static void add_cut(const struct text_plot *text, const struct strbuf *line)
{
	size_t width = text->columns + LABEL_COLUMNS + 1, len = line->len;
	bool fits = text_width(strbuf_str(line), line->len) <= width;

	if (!fits)
		len = text_prefix_escaped(strbuf_str(line), line->len, width - 1);
	strbuf_add(text->out, strbuf_str(line), len);
	strbuf_addf(text->out, "%s\n", fits ? "" : text->plot->ascii ? "~" : "\u2026");
}

static long x_of(const struct text_plot *text, const struct canvas *canvas, double seconds)
{
	return lround(seconds / text->picture.seconds * (canvas->width - 1));
}

static long y_of(const struct canvas *canvas, const struct axis *axis, double value)
{
	return lround(value / axis->top * (canvas->height - 1));
}

/* A record is a step from the one before to its own time. */
static void draw_line(const struct text_plot *text, const struct axis *axis, unsigned line,
                      enum series_id id, struct canvas *canvas)
{
	const struct series_record *records = text->picture.records;
	long before = -1;

	for (size_t i = 0; i < text->picture.count; i++) {
		const struct series_record *record = &records[i];
		long from, to, y;

		if (isnan(record->values[id])) {
			before = -1;
			continue;
		}
		to = x_of(text, canvas, picture_seconds(record));
		from = i > 0 ? x_of(text, canvas, picture_seconds(record - 1)) : to;
		y = y_of(canvas, axis, record->values[id]);
		if (before >= 0)
			canvas_line(canvas, line, from, before, from, y);
		canvas_line(canvas, line, from, y, to, y);
		before = y;
	}
}

/* Appends the legend of a panel, and the limit of the host if there is room. Returns the columns. */
static size_t add_legend(const struct text_plot *text, const struct panel *panel,
                         enum label_form form, struct strbuf *out)
{
	const struct plot *plot = text->plot;
	const char *heading = series_panels[panel->id].heading;
	size_t used = strlen(heading), width = text->columns + LABEL_COLUMNS + 1;
	cleanup_(strbuf_done) struct strbuf label = STRBUF_INIT;

	strbuf_add_str(out, heading);
	for (unsigned i = 0; i < panel->count; i++) {
		strbuf_clear(&label);
		picture_add_label(&text->picture, panel->lines[i], form, &label);
		strbuf_add_str(out, "  ");
		canvas_add_legend(plot->ascii, plot->color, i, strbuf_str(&label), out);
		used += 2 + SIGN_COLUMNS + label.len;
	}
	strbuf_clear(&label);
	picture_add_limit(plot, panel->id, &label);
	if (label.len > 0 && used + 2 + label.len <= width)
		strbuf_addf(out, "  %s", strbuf_str(&label));
	return used;
}

/* The longest form that fits. */
static void add_heading(const struct text_plot *text, const struct panel *panel)
{
	cleanup_(strbuf_done) struct strbuf line = STRBUF_INIT;
	size_t width = text->columns + LABEL_COLUMNS + 1, used = width + 1;

	for (unsigned form = 0; form < LABEL_FORMS && used > width; form++) {
		strbuf_clear(&line);
		used = add_legend(text, panel, (enum label_form)form, &line);
	}
	/* The names of four lines fit into 60 columns. */
	if (used > width) {
		strbuf_clear(&line);
		strbuf_add_str(&line, series_panels[panel->id].heading);
	}
	strbuf_addf(text->out, "%s\n", strbuf_str(&line));
}

/* Returns whether the row has a label, and its value. */
static bool label_of_row(const struct canvas *canvas, const struct axis *axis, unsigned row,
                         double *ret)
{
	unsigned dots = canvas->height / canvas->rows;

	for (unsigned i = 0; i * axis->step <= axis->top * (1 + 1e-9); i++) {
		long y = y_of(canvas, axis, i * axis->step);

		*ret = i * axis->step;
		if ((canvas->height - 1 - (unsigned)y) / dots == row)
			return true;
	}
	return false;
}

static void add_panel(const struct text_plot *text, const struct panel *panel)
{
	enum series_unit unit = series_panels[panel->id].unit;
	struct axis axis = axis_of_values(unit, panel->most, (text->rows + 1) / ROWS_PER_LABEL);
	cleanup_(strbuf_done) struct strbuf label = STRBUF_INIT;
	cleanup_(canvas_done) struct canvas canvas;
	double value;

	add_heading(text, panel);
	canvas_init(&canvas, text->columns, text->rows, text->plot->ascii, text->plot->color);
	for (unsigned i = panel->count; i-- > 0;)
		draw_line(text, &axis, i, panel->lines[i], &canvas);
	for (unsigned row = 0; row < text->rows; row++) {
		bool has_label = label_of_row(&canvas, &axis, row, &value);

		strbuf_clear(&label);
		if (has_label)
			axis_add_label(unit, &axis, value, &label);
		strbuf_addf(text->out, "%*s%s", LABEL_COLUMNS, strbuf_str(&label),
		            text->plot->ascii ? "|"
		            : has_label       ? "\u2524"
		                              : "\u2502");
		canvas_add_row(&canvas, row, text->out);
		strbuf_add_char(text->out, '\n');
	}
}

static void pad_to(struct strbuf *out, size_t column)
{
	while (out->len < column)
		strbuf_add_char(out, ' ');
}

static void add_time_axis(const struct text_plot *text)
{
	const struct picture *picture = &text->picture;
	cleanup_(strbuf_done) struct strbuf labels = STRBUF_INIT, label = STRBUF_INIT;
	uint64_t step = axis_time_step(picture->seconds, text->columns / COLUMNS_PER_LABEL);
	bool ascii = text->plot->ascii;
	size_t next = 0;

	strbuf_addf(text->out, "%*s%s", LABEL_COLUMNS, "", ascii ? "+" : "\u2514");
	for (uint64_t time = 0; (double)time <= picture->seconds; time += step) {
		size_t at = (size_t)lround((double)time / picture->seconds * (text->columns - 1));

		for (; next < at; next++)
			strbuf_add_str(text->out, ascii ? "-" : "\u2500");
		strbuf_add_str(text->out, ascii ? "+" : "\u2534");
		next++;
		strbuf_clear(&label);
		axis_add_time(time, &label);
		at += LABEL_COLUMNS + 1;
		if (at + label.len > text->columns + LABEL_COLUMNS + 1)
			at = text->columns + LABEL_COLUMNS + 1 - label.len;
		if (labels.len > 0 && at <= labels.len)
			continue;
		pad_to(&labels, at);
		strbuf_add(&labels, strbuf_str(&label), label.len);
	}
	for (; next < text->columns; next++)
		strbuf_add_str(text->out, ascii ? "-" : "\u2500");
	strbuf_addf(text->out, "\n%s\n", strbuf_str(&labels));
}

static unsigned rows_of_panels(const struct plot *plot, unsigned panels)
{
	unsigned fixed = FIXED_LINES + panels, rows = 0;

	if (panels > 0 && plot->height > fixed)
		rows = (plot->height - fixed) / panels;
	return rows < ROWS_LEAST ? ROWS_LEAST : rows > ROWS_MOST ? ROWS_MOST : rows;
}

void plot_text(const struct plot *plot, struct strbuf *out)
{
	unsigned width = plot->width < COLUMNS_LEAST  ? COLUMNS_LEAST
	                 : plot->width > COLUMNS_MOST ? COLUMNS_MOST
	                                              : plot->width;
	struct text_plot text = {.plot = plot, .columns = width - LABEL_COLUMNS - 1, .out = out};

	picture_init(&text.picture, plot, (size_t)COLUMNS_MOST * 4);
	text.rows = rows_of_panels(plot, text.picture.panel_count);
	if (plot->ascii) {
		text_make_ascii(&text.picture.title);
		text_make_ascii(&text.picture.facts);
	}
	add_cut(&text, &text.picture.title);
	add_cut(&text, &text.picture.facts);
	for (unsigned i = 0; i < text.picture.panel_count; i++)
		add_panel(&text, &text.picture.panels[i]);
	add_time_axis(&text);
	picture_done(&text.picture);
}
