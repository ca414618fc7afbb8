// SPDX-License-Identifier: GPL-2.0-or-later
#include "page/page-experiment.h"

#include <math.h>

#include "base/markup.h"
#include "dumbbell.h"
#include "findings/findings-list.h"
#include "page-section.h"
#include "page-strip.h"

enum {
	ROWS_MOST = 1000, /* of all rows, behind a line that opens */
	STRIPS_MOST = 24, /* rows whose units are drawn */
	MOVED_MOST = 200, /* rows that moved, in the first table */
	SVG_NAME = 420,   /* pixels of a chart by itself */
	SVG_CHART = 560,
	SVG_GAP = 8,
};

/* The number that a column is sorted by; NaN: its text. */
static double number_of(const struct effect *effect, enum findings_column column)
{
	bool has_percent = effect_has_percent(effect);

	switch (column) {
	case FINDINGS_A:
	case FINDINGS_B:
		return effect->means[column == FINDINGS_B];
	case FINDINGS_CHANGE:
		return has_percent ? fabs(effect_percent(effect, effect->test.mean)) : -1;
	case FINDINGS_INTERVAL:
		return has_percent && effect->has_interval
		               ? effect_percent(effect, effect->ci95.high) -
		                         effect_percent(effect, effect->ci95.low)
		               : -1;
	case FINDINGS_P:
		return effect->p.is_defined ? effect->p.p : 2;
	case FINDINGS_SHARE:
		return isfinite(effect->share) ? fabs(effect->share) : -1;
	default:
		return NAN;
	}
}

static void add_cell(const struct effect *effect, enum findings_column column, struct strbuf *out)
{
	static const char *const classes[] = {
	        [COLOR_MORE] = " class=\"more\"", [COLOR_LESS] = " class=\"less\""};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	enum table_color color = findings_add_cell(effect, column, &text);
	double number = number_of(effect, column);

	strbuf_add_str(out, "<td");
	if (!findings_columns[column].right)
		strbuf_add_str(out, " class=\"text\"");
	else if (color < ARRAY_SIZE(classes) && classes[color])
		strbuf_add_str(out, classes[color]);
	if (!isnan(number))
		strbuf_addf(out, " data-v=\"%.9g\"", number);
	strbuf_add_char(out, '>');
	markup_add_str(out, strbuf_str(&text));
	strbuf_add_str(out, "</td>");
}

static void add_chart(const struct dumbbell_axis *axis, const struct effect *effect,
                      struct strbuf *out)
{
	strbuf_addf(out,
	            "<td class=\"bars\"><svg class=\"bar titled\" width=\"100%%\" height=\"%d\">",
	            DUMBBELL_HEIGHT);
	dumbbell_add_row(axis, effect, out);
	strbuf_add_str(out, "</svg></td>");
}

/* The share of the host is in the table of all rows, as it is in the text. */
static bool has_column(unsigned column, bool all)
{
	return column != FINDINGS_SHARE || all;
}

static void add_row(const struct dumbbell_axis *axis, const struct effect *effect, bool all,
                    struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf metric = STRBUF_INIT;

	findings_add_cell(effect, FINDINGS_METRIC, &metric);
	strbuf_add_str(out, "<tr><th scope=\"row\">");
	markup_add_str(out, strbuf_str(&metric));
	strbuf_add_str(out, "</th>");
	add_cell(effect, FINDINGS_GROUP, out);
	add_chart(axis, effect, out);
	for (unsigned i = FINDINGS_A; i < FINDINGS_SPREAD; i++)
		if (has_column(i, all))
			add_cell(effect, (enum findings_column)i, out);
	strbuf_add_str(out, "</tr>\n");
}

static void add_heads(const struct dumbbell_axis *axis, bool all, struct strbuf *out)
{
	strbuf_add_str(out, "<table class=\"effects sorted\">\n<thead><tr>");
	for (unsigned i = 0; i < FINDINGS_SPREAD; i++) {
		if (i == FINDINGS_A) {
			strbuf_add_str(out, "<th scope=\"col\" class=\"bars\"><svg class=\"bar\" "
			                    "width=\"100%\" height=\"15\" role=\"img\" "
			                    "aria-label=\"change in percent\">");
			dumbbell_add_labels(axis, out);
			strbuf_add_str(out, "</svg></th>");
		}
		if (!has_column(i, all))
			continue;
		strbuf_addf(out, "<th scope=\"col\"%s>%s</th>",
		            findings_columns[i].right ? "" : " class=\"text\"",
		            findings_columns[i].heading);
	}
	strbuf_add_str(out, "</tr></thead>\n<tbody>\n");
}

static void add_table(const struct findings *findings, const struct findings_list *list, bool all,
                      struct strbuf *out)
{
	size_t count = list->count < ROWS_MOST ? list->count : ROWS_MOST;
	struct dumbbell_axis axis = dumbbell_axis_of(list->rows, count, findings->trial->margin);

	if (count == 0)
		return;
	strbuf_add_str(out, "<div class=\"wide\">\n");
	add_heads(&axis, all, out);
	for (size_t i = 0; i < count; i++)
		add_row(&axis, list->rows[i], all, out);
	strbuf_add_str(out, "</tbody>\n</table>\n</div>\n");
	if (axis.is_cut)
		strbuf_add_str(out, "<p>The axis ends at a factor of ten: what is beyond is drawn "
		                    "at its end.</p>\n");
	if (count < list->count)
		strbuf_addf(out, "<p class=\"drawn\">%zu more rows are not on this page.</p>\n",
		            list->count - count);
}

static void add_key(const struct findings *findings, struct strbuf *out)
{
	static const struct {
		const char *name, *text;
	} keys[] = {{"rose", "moved up"},
	            {"fell", "moved down"},
	            {"same", "same"},
	            {"unknown", "unknown"}};

	strbuf_add_str(out, "<p class=\"keys\">");
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		strbuf_addf(
		        out,
		        "<span><svg class=\"key\" width=\"14\" height=\"12\" aria-hidden=\"true\">"
		        "<circle class=\"%s\" cx=\"7\" cy=\"6\" r=\"4.5\"/></svg>&#160;%s</span>\n",
		        keys[i].name, keys[i].text);
	strbuf_addf(
	        out,
	        "<br>The line is the 95 %% interval of the change from A, in percent, and the band "
	        "the margin of %g %%</p>\n",
	        100 * findings->trial->margin);
}

/* All rows, whatever they say. */
static void add_all(const struct findings *findings, const struct comparison *comparison,
                    size_t shown, const char *id, const char *command, struct strbuf *out)
{
	struct findings all = *findings;
	struct findings_list list;

	all.verbose = true;
	all.limit = 0;
	findings_list_init(&list, &all, comparison);
	if (list.count > shown) {
		strbuf_add_str(out, "<details>\n<summary>all rows</summary>\n");
		page_add_heading(id, "All rows", command, " -v --limit 0", out);
		add_table(findings, &list, true, out);
		strbuf_add_str(out, "</details>\n");
	}
	findings_list_done(&list);
}

static void add_arms(const struct trial *trial, struct strbuf *out)
{
	strbuf_add_str(out, "<p class=\"keys\">");
	for (unsigned arm = 0; arm < trial->arm_count; arm++) {
		cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;

		findings_add_name(trial->arms[arm].name, &name);
		strbuf_add_str(out, "<span><svg class=\"key\" width=\"14\" height=\"12\" "
		                    "aria-hidden=\"true\">");
		strip_add_sign(arm, "7", 6, out);
		strbuf_add_str(out, "</svg>&#160;");
		markup_add_str(out, strbuf_str(&name));
		strbuf_add_str(out, "</span>\n");
	}
	strbuf_add_str(out, "<br>A shaded band is a block</p>\n");
}

static void add_strip(const struct trial *trial, const struct effect *effect, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;

	effect_add_name(effect, &name);
	strbuf_add_str(out, "<tr><th scope=\"row\">");
	markup_add_str(out, strbuf_str(&name));
	strbuf_add_str(out, "</th><td>");
	strip_add_end(trial, effect, false, out);
	strbuf_addf(out,
	            "</td><td class=\"bars\"><svg class=\"bar titled\" width=\"100%%\" "
	            "height=\"%d\">",
	            STRIP_HEIGHT);
	strip_add(trial, effect, out);
	strbuf_add_str(out, "</svg></td><td>");
	strip_add_end(trial, effect, true, out);
	strbuf_add_str(out, "</td></tr>\n");
}

static void add_strips(const struct findings *findings, const struct findings_list *list,
                       const char *id, const char *command, struct strbuf *out)
{
	size_t count = list->count < STRIPS_MOST ? list->count : STRIPS_MOST;

	if (count == 0)
		return;
	page_add_heading(id, "Units in the order of time", command, " -f json", out);
	strbuf_add_str(out,
	               "<p>Each sign is the value of one unit, between the lowest and the "
	               "highest one. The JSON has them (values, in the order of units), and the "
	               "difference of the arms in each block (contrasts).</p>\n");
	add_arms(findings->trial, out);
	strbuf_add_str(out, "<div class=\"wide\">\n<table class=\"strips\">\n<thead><tr>"
	                    "<th scope=\"col\">row</th><th scope=\"col\">lowest</th>"
	                    "<th scope=\"col\" class=\"bars\">units</th>"
	                    "<th scope=\"col\">highest</th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < count; i++)
		add_strip(findings->trial, list->rows[i], out);
	strbuf_add_str(out, "</tbody>\n</table>\n</div>\n");
	if (count < list->count)
		strbuf_addf(out,
		            "<p class=\"drawn\">Of %zu more rows of the first table no units are "
		            "drawn.</p>\n",
		            list->count - count);
}

static struct findings limited(const struct findings *findings)
{
	struct findings first = *findings;

	first.limit = first.limit > 0 && first.limit < MOVED_MOST ? first.limit : MOVED_MOST;
	return first;
}

static void add_comparison(const struct findings *given, size_t place, const char *command,
                           struct strbuf *out)
{
	const struct findings findings = limited(given);
	const struct comparison *comparison = &findings.comparisons[place];
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT, id = STRBUF_INIT;
	struct findings_list list;

	findings_list_init(&list, &findings, comparison);
	findings_add_answers(&findings, comparison, &text);
	strbuf_cut(&text, text.len - 1);
	strbuf_addf(&id, "effects-%zu", place + 1);
	page_add_heading(strbuf_str(&id), strbuf_str(&text), command, "", out);
	strbuf_clear(&text);
	findings_add_failures(comparison, &text);
	page_add_lines(strbuf_str(&text), true, out);
	if (list.count > 0)
		add_key(&findings, out);
	add_table(&findings, &list, false, out);
	strbuf_clear(&text);
	findings_list_add_notes(&list, &findings, &text);
	findings_add_rest(&findings, comparison, &text);
	findings_add_validity(&findings, comparison, &text);
	page_add_lines(strbuf_str(&text), true, out);
	strbuf_clear(&id);
	strbuf_addf(&id, "all-%zu", place + 1);
	add_all(&findings, comparison, list.count, strbuf_str(&id), command, out);
	strbuf_clear(&id);
	strbuf_addf(&id, "units-%zu", place + 1);
	add_strips(&findings, &list, strbuf_str(&id), command, out);
	findings_list_done(&list);
}

void page_add_experiment(const struct findings *findings, const char *command, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf head = STRBUF_INIT;

	findings_add_head(findings, &head);
	page_begin_text(strbuf_str(&head), true, out);
	for (size_t i = 0; i < findings->count; i++)
		add_comparison(findings, i, command, out);
	page_end(out);
}

/* A chart by itself has the rows of all comparisons, below one another. */
struct drawing {
	const struct findings *findings;
	struct dumbbell_axis axis;
	unsigned row_height;
	bool strips;
	unsigned y;
	struct strbuf *out;
};

static void draw_name(const struct drawing *drawing, const struct effect *effect)
{
	cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;

	effect_add_name(effect, &name);
	strbuf_addf(drawing->out,
	            "<svg y=\"%u\" width=\"%d\" height=\"%u\"><text x=\"4\" y=\"13\">", drawing->y,
	            SVG_NAME - SVG_GAP, drawing->row_height);
	markup_add_str(drawing->out, strbuf_str(&name));
	strbuf_add_str(drawing->out, "</text></svg>\n");
}

static void draw_row(struct drawing *drawing, const struct effect *effect)
{
	draw_name(drawing, effect);
	strbuf_addf(drawing->out, "<svg x=\"%d\" y=\"%u\" width=\"%d\" height=\"%u\">", SVG_NAME,
	            drawing->y, SVG_CHART, drawing->row_height);
	if (drawing->strips)
		strip_add(drawing->findings->trial, effect, drawing->out);
	else
		dumbbell_add_row(&drawing->axis, effect, drawing->out);
	strbuf_add_str(drawing->out, "</svg>\n");
	drawing->y += drawing->row_height + (drawing->strips ? SVG_GAP : 2);
}

/* The sign of each arm, behind the names of rows. */
static void draw_arms(const struct drawing *drawing)
{
	enum { NAME = 18, BASE = 16 };
	const struct trial *trial = drawing->findings->trial;
	unsigned width = SVG_CHART / (unsigned)trial->arm_count;

	for (unsigned arm = 0; arm < trial->arm_count; arm++) {
		cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;

		findings_add_name(trial->arms[arm].name, &name);
		strbuf_addf(drawing->out,
		            "<svg class=\"key\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"20\">",
		            SVG_NAME + width * arm, drawing->y, width);
		strip_add_sign(arm, "7", BASE - 4, drawing->out);
		strbuf_addf(drawing->out, "<text x=\"%d\" y=\"%d\">", NAME, BASE);
		markup_add_str(drawing->out, strbuf_str(&name));
		strbuf_add_str(drawing->out, "</text></svg>\n");
	}
}

static bool draw(const struct findings *given, bool strips, struct strbuf *out)
{
	enum { HEAD = 26 };
	const struct findings findings = limited(given);
	cleanup_(strbuf_done) struct strbuf rows = STRBUF_INIT;
	struct drawing drawing = {.findings = &findings,
	                          .row_height = strips ? STRIP_HEIGHT : DUMBBELL_HEIGHT,
	                          .strips = strips,
	                          .out = &rows};

	for (size_t i = 0; i < findings.count; i++) {
		cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
		struct findings_list list;
		size_t count;

		findings_list_init(&list, &findings, &findings.comparisons[i]);
		count = strips && list.count > STRIPS_MOST ? STRIPS_MOST : list.count;
		drawing.axis = dumbbell_axis_of(list.rows, count, findings.trial->margin);
		findings_add_answers(&findings, &findings.comparisons[i], &text);
		strbuf_cut(&text, text.len - 1);
		strbuf_addf(&rows, "<text x=\"4\" y=\"%u\" font-weight=\"bold\">", drawing.y + 16);
		markup_add_str(&rows, strbuf_str(&text));
		strbuf_add_str(&rows, "</text>\n");
		drawing.y += HEAD;
		if (strips) {
			draw_arms(&drawing);
			drawing.y += HEAD;
		}
		if (!strips) {
			strbuf_addf(&rows, "<svg x=\"%d\" y=\"%u\" width=\"%d\" height=\"15\">",
			            SVG_NAME, drawing.y, SVG_CHART);
			dumbbell_add_labels(&drawing.axis, &rows);
			strbuf_add_str(&rows, "</svg>\n");
			drawing.y += HEAD - SVG_GAP;
		}
		for (size_t k = 0; k < count; k++)
			draw_row(&drawing, list.rows[k]);
		findings_list_done(&list);
	}
	if (drawing.y == 0)
		return false;
	page_begin_svg(SVG_NAME + SVG_CHART + SVG_GAP, drawing.y + SVG_GAP, out);
	strbuf_add(out, rows.data, rows.len);
	strbuf_add_str(out, "</svg>\n");
	return true;
}

bool page_add_effects_svg(const struct findings *findings, struct strbuf *out)
{
	return draw(findings, false, out);
}

bool page_add_blocks_svg(const struct findings *findings, struct strbuf *out)
{
	return draw(findings, true, out);
}
