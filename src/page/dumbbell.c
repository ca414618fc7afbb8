// SPDX-License-Identifier: GPL-2.0-or-later
#include "dumbbell.h"

#include <math.h>

#include "base/markup.h"
#include "findings/findings-list.h"

/* A factor of ten is the most that an axis has. */
static const double most_ratio = 10, least_margin = 0.001, widest = 100;

/* Returns the logarithm of a ratio; a fall by all is one to a thousandth. */
static double log_of(double percent)
{
	return log1p(fmax(percent / 100, -0.999));
}

static void reach(struct dumbbell_axis *axis, double percent)
{
	double size = fabs(log_of(percent));

	axis->is_cut = axis->is_cut || !(size <= log(most_ratio));
	axis->most = fmax(axis->most, fmin(size, log(most_ratio)));
}

struct dumbbell_axis dumbbell_axis_of(const struct effect *const *effects, size_t count,
                                      double margin)
{
	struct dumbbell_axis axis = {.margin = log1p(fmax(margin, least_margin))};

	axis.most = 3 * axis.margin;
	for (size_t i = 0; i < count; i++) {
		const struct effect *effect = effects[i];

		if (!effect_has_percent(effect))
			continue;
		reach(&axis, effect_percent(effect, effect->test.mean));
		if (effect->has_interval) {
			reach(&axis, effect_percent(effect, effect->ci95.low));
			reach(&axis, effect_percent(effect, effect->ci95.high));
		}
	}
	return axis;
}

double dumbbell_place(const struct dumbbell_axis *axis, double percent)
{
	double share = asinh(log_of(percent) / axis->margin) / asinh(axis->most / axis->margin);

	/* Circles at the ends are whole. */
	return widest / 2 + 0.47 * widest * fmax(-1, fmin(1, share));
}

static void add_band(const struct dumbbell_axis *axis, struct strbuf *out)
{
	double from = dumbbell_place(axis, 100 * expm1(-axis->margin));
	double to = dumbbell_place(axis, 100 * expm1(axis->margin));

	strbuf_addf(out,
	            "<rect class=\"band\" x=\"%.2f%%\" width=\"%.2f%%\" height=\"100%%\"/>"
	            "<line class=\"axis\" x1=\"50%%\" x2=\"50%%\" y1=\"0\" y2=\"100%%\"/>",
	            from, to - from);
}

void dumbbell_add_labels(const struct dumbbell_axis *axis, struct strbuf *out)
{
	/* Those that matter most come first: others must not touch them. */
	static const double labels[] = {0,   900, -90, 100, -50, 20, -20, 10,
	                                -10, 300, -75, 50,  5,   -5, 2,   -2};
	enum { COUNT = ARRAY_SIZE(labels), APART = 11 };
	double drawn[COUNT] = {0};
	size_t count = 0;

	for (size_t i = 0; i < COUNT; i++) {
		double at = dumbbell_place(axis, labels[i]);
		bool has_room = fabs(log_of(labels[i])) <= axis->most * 1.001;

		for (size_t k = 0; k < count; k++)
			has_room = has_room && fabs(drawn[k] - at) >= APART;
		if (!has_room)
			continue;
		drawn[count++] = at;
		strbuf_addf(out, "<text x=\"%.2f%%\" y=\"12\" text-anchor=\"middle\">%s%.0f</text>",
		            at, labels[i] > 0 ? "+" : "", labels[i]);
	}
}

/* The answer by colour and by form: what moved is full and coloured, what is the same is full and grey, the rest is hollow. */
static const char *class_of(const struct effect *effect)
{
	if (effect->answer == ANSWER_MOVED)
		return effect->test.mean > 0 ? "rose" : "fell";
	return effect->answer == ANSWER_SAME ? "same" : "unknown";
}

static void add_cell(const struct effect *effect, enum findings_column column, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	findings_add_cell(effect, column, &text);
	markup_add_str(out, strbuf_str(&text));
}

static void add_title(const struct effect *effect, struct strbuf *out)
{
	strbuf_add_str(out, "<title>");
	add_cell(effect, FINDINGS_METRIC, out);
	strbuf_add_char(out, ' ');
	add_cell(effect, FINDINGS_GROUP, out);
	strbuf_add_str(out, "\n");
	add_cell(effect, FINDINGS_A, out);
	strbuf_add_str(out, " → ");
	add_cell(effect, FINDINGS_B, out);
	strbuf_add_str(out, ": ");
	add_cell(effect, FINDINGS_CHANGE, out);
	if (effect->has_interval) {
		strbuf_add_str(out, ", 95 % interval ");
		add_cell(effect, FINDINGS_INTERVAL, out);
	}
	strbuf_addf(out, "\n%s</title>", effect_answer_names[effect->answer]);
}

void dumbbell_add_row(const struct dumbbell_axis *axis, const struct effect *effect,
                      struct strbuf *out)
{
	double at;

	add_title(effect, out);
	if (!effect_has_percent(effect)) {
		strbuf_add_str(out, "<text class=\"soft\" x=\"50%\" y=\"13\" "
		                    "text-anchor=\"middle\">no percentage</text>");
		return;
	}
	at = dumbbell_place(axis, effect_percent(effect, effect->test.mean));
	add_band(axis, out);
	strbuf_addf(out, "<line class=\"axis\" x1=\"50%%\" x2=\"%.2f%%\" y1=\"9\" y2=\"9\"/>", at);
	if (effect->has_interval)
		strbuf_addf(out,
		            "<line class=\"ci\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"9\" y2=\"9\"/>",
		            dumbbell_place(axis, effect_percent(effect, effect->ci95.low)),
		            dumbbell_place(axis, effect_percent(effect, effect->ci95.high)));
	strbuf_addf(out,
	            "<circle class=\"a\" cx=\"50%%\" cy=\"9\" r=\"3.5\"/>"
	            "<circle class=\"%s\" cx=\"%.2f%%\" cy=\"9\" r=\"4.5\"/>",
	            class_of(effect), at);
}
