// SPDX-License-Identifier: GPL-2.0-or-later
#include "page-strip.h"

#include <math.h>

#include "base/markup.h"
#include "findings/findings-list.h"

enum { ROOM = 8 /* pixels above and below the signs */ };

struct range {
	double low, high;
};

static struct range range_of(const struct trial *trial, const struct effect *effect)
{
	struct range range = {NAN, NAN};

	for (size_t i = 0; i < trial->unit_count; i++) {
		double value = effect->values[i];

		if (isnan(value))
			continue;
		range.low = isnan(range.low) ? value : fmin(range.low, value);
		range.high = isnan(range.high) ? value : fmax(range.high, value);
	}
	return range;
}

void strip_add_sign(unsigned arm, const char *x, double y, struct strbuf *out)
{
	static const unsigned colors[] = {0, 1, 4, 3, 5, 2, 7, 6};
	const char *hollow = arm >= 2 ? " hollow" : "";
	unsigned color = colors[arm % ARRAY_SIZE(colors)];

	if (arm % 2 == 0)
		strbuf_addf(out, "<circle class=\"s%u%s\" cx=\"%s\" cy=\"%.1f\" r=\"4\"/>", color,
		            hollow, x, y);
	else
		strbuf_addf(out,
		            "<rect class=\"s%u%s\" x=\"%s\" y=\"%.1f\" width=\"7\" height=\"7\" "
		            "transform=\"translate(-3.5 -3.5)\"/>",
		            color, hollow, x, y);
}

/* Returns the number of the unit's block, as the JSON of ab-report has it. */
static size_t block_of(const struct trial *trial, size_t unit)
{
	for (size_t block = 0; block < trial->block_count; block++)
		for (size_t i = 0; i < trial->blocks[block].count; i++)
			if (trial->blocks[block].units[i] == unit)
				return block;
	return trial->block_count;
}

static void add_title(const struct trial *trial, const struct effect *effect, size_t unit,
                      struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "block %zu, arm ", block_of(trial, unit));
	findings_add_name(trial->arms[trial->units[unit].arm].name, &text);
	strbuf_add_str(&text, ": ");
	findings_add_value(effect, effect->values[unit], &text);
	strbuf_add_str(out, "<title>");
	markup_add_str(out, strbuf_str(&text));
	strbuf_add_str(out, "</title>");
}

static bool is_same_block(const struct trial *trial, size_t a, size_t b)
{
	return trial->units[a].block == trial->units[b].block &&
	       trial->units[a].session == trial->units[b].session;
}

static void add_blocks(const struct trial *trial, struct strbuf *out)
{
	const double width = 100 / (double)trial->unit_count;
	size_t first = 0;
	bool odd = false;

	for (size_t i = 1; i <= trial->unit_count; i++) {
		if (i < trial->unit_count && is_same_block(trial, first, i))
			continue;
		if (odd)
			strbuf_addf(out,
			            "<rect class=\"band\" x=\"%.3f%%\" width=\"%.3f%%\" "
			            "height=\"100%%\"/>",
			            width * (double)first, width * (double)(i - first));
		if (i < trial->unit_count && trial->units[i].session != trial->units[first].session)
			strbuf_addf(out,
			            "<line class=\"axis\" x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"0\" "
			            "y2=\"100%%\"/>",
			            width * (double)i, width * (double)i);
		odd = !odd;
		first = i;
	}
}

void strip_add(const struct trial *trial, const struct effect *effect, struct strbuf *out)
{
	struct range range = range_of(trial, effect);
	double span = range.high - range.low;

	add_blocks(trial, out);
	for (size_t i = 0; i < trial->unit_count; i++) {
		cleanup_(strbuf_done) struct strbuf x = STRBUF_INIT;
		double share = span > 0 ? (effect->values[i] - range.low) / span : 0.5;

		if (isnan(effect->values[i]))
			continue;
		strbuf_addf(&x, "%.3f%%", 100 * ((double)i + 0.5) / (double)trial->unit_count);
		strbuf_add_str(out, "<g>");
		add_title(trial, effect, i, out);
		strip_add_sign(trial->units[i].arm, strbuf_str(&x),
		               STRIP_HEIGHT - ROOM - share * (STRIP_HEIGHT - 2 * ROOM), out);
		strbuf_add_str(out, "</g>\n");
	}
}

void strip_add_end(const struct trial *trial, const struct effect *effect, bool highest,
                   struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct range range = range_of(trial, effect);

	findings_add_value(effect, highest ? range.high : range.low, &text);
	markup_add_str(out, strbuf_str(&text));
}
