// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/markup.h"
#include "base/mem.h"
#include "icicle.h"
#include "page-section.h"
#include "report/overview-table.h"
#include "report/report-text.h"

enum { FRAME_HEIGHT = 22, ALONE_WIDTH = 1200, FRAMES_MAX = 6000 };

/* Frames of a thousandth and less cannot be seen. */
static const double narrowest = 0.001, narrowest_named = 0.015;

static struct icicle_leaf leaf_of(const struct report *report, const struct overview_row *row,
                                  unsigned aspect)
{
	const struct overview *overview = report->overview;
	struct icicle_leaf leaf = {.unlike = row->unlike[aspect]};

	for (unsigned i = 0; i < ICICLE_LEVELS; i++)
		leaf.parts[i] = row->group->parts[i] ? row->group->parts[i] : "";
	for (unsigned side = 0; side < overview->sides; side++) {
		leaf.hidden[side] = overview->sides == ICICLE_SIDES &&
		                    row_may_hide(report->rows, row->group, side);
		leaf.there[side] =
		        overview->sides == 1 || row->group->sides[side] || leaf.hidden[side];
		leaf.known[side] = row->values[aspect][side].seen;
		leaf.partial[side] = row->values[aspect][side].partial;
		leaf.began_before[side] = row->values[aspect][side].began_before;
		leaf.amounts[side] = leaf.known[side] ? row->values[aspect][side].amount : 0;
	}
	return leaf;
}

/* Returns all groups, those that only one side has as well; owned by the caller. */
static struct icicle_leaf *leaves_of(const struct report *report, unsigned aspect,
                                     size_t *ret_count)
{
	const struct overview *overview = report->overview;
	size_t most = overview->count + 1, count = 0;
	struct icicle_leaf *leaves;

	for (unsigned side = 0; side < overview->sides; side++)
		most += overview->apart_count[side];
	leaves = mem_calloc(most, sizeof(*leaves));
	for (size_t i = 0; i < overview->count; i++)
		leaves[count++] = leaf_of(report, &overview->rows[i], aspect);
	for (unsigned side = 0; side < overview->sides; side++)
		for (size_t i = 0; i < overview->apart_count[side]; i++)
			leaves[count++] = leaf_of(report, &overview->apart[side][i], aspect);
	*ret_count = count;
	return leaves;
}

/* Returns whether both sides are printed as the same number: a part of next to nothing is no change to look at. */
static bool prints_same(const struct overview *overview, const struct icicle_frame *frame,
                        unsigned aspect)
{
	cleanup_(strbuf_done) struct strbuf before = STRBUF_INIT, after = STRBUF_INIT;

	if (!frame->there[0] || !frame->there[1] || !frame->known[0] || !frame->known[1] ||
	    frame->hidden)
		return false;
	overview_add_amount(overview, aspect, frame->amounts[0], &before);
	overview_add_amount(overview, aspect, frame->amounts[1], &after);
	return strcmp(strbuf_str(&before), strbuf_str(&after)) == 0;
}

/* The class of a frame: its level where nothing is compared, else the direction and size of its change in three steps. */
static void add_class(const struct overview *overview, const struct icicle *icicle,
                      const struct icicle_frame *frame, unsigned aspect, struct strbuf *out)
{
	static const double steps[] = {0.1, 0.3, 0.6};
	double change = icicle_change(frame);
	unsigned step = 0;

	if (icicle->sides == 1) {
		strbuf_addf(out, "l%u", frame->level);
		return;
	}
	while (step < ARRAY_SIZE(steps) && fabs(change) >= steps[step])
		step++;
	if (prints_same(overview, frame, aspect))
		step = 0;
	if (isnan(change) || step == 0)
		strbuf_add_str(out, isnan(change) ? "u" : "c0");
	else
		strbuf_addf(out, "%c%u", change > 0 ? 'm' : 'd', step);
}

static void add_name(const struct icicle_frame *frame, struct strbuf *out)
{
	if (frame->stands_for > 0)
		strbuf_addf(out, "%zu more", frame->stands_for);
	else if (frame->name)
		markup_add_str(out, frame->name);
	else
		strbuf_add_str(out, "all threads");
}

static void add_amount(const struct overview *overview, const struct icicle_frame *frame,
                       unsigned aspect, unsigned side, struct strbuf *out)
{
	size_t start = out->len;

	if (!frame->there[side] || !frame->known[side]) {
		strbuf_add_char(out, '-');
		return;
	}
	overview_add_amount(overview, aspect, frame->amounts[side], out);
	if (out->len == start)
		strbuf_add_char(out, '0');
	if (frame->partial[side])
		strbuf_add_char(out, '*');
	if (frame->began_before[side])
		strbuf_add_str(out, report_began_before_mark);
}

static void add_title(const struct overview *overview, const struct icicle *icicle,
                      const struct icicle_frame *frame, unsigned aspect, struct strbuf *out)
{
	const char *heading = overview_is_of_lives(overview->kind)
	                              ? aspect_table[aspect].life_heading
	                              : aspect_table[aspect].heading;

	strbuf_add_str(out, "<title>");
	add_name(frame, out);
	/* No command prints what they are together. */
	if (frame->stands_for > 0) {
		strbuf_add_str(out, "\neach less than 0.1 % of the width</title>");
		return;
	}
	/* The table prints no number that did not change. */
	if (icicle->sides == ICICLE_SIDES && prints_same(overview, frame, aspect)) {
		strbuf_addf(out, "\n%s is the same in both</title>", heading);
		return;
	}
	strbuf_addf(out, "\n%s ", heading);
	add_amount(overview, frame, aspect, 0, out);
	if (icicle->sides == ICICLE_SIDES) {
		strbuf_add_str(out, "→");
		add_amount(overview, frame, aspect, 1, out);
		if (frame->unlike)
			strbuf_add_str(out, report_measured_mark);
		else if (!frame->there[0] || !frame->there[1])
			strbuf_add_str(out, frame->there[1] ? ", new" : ", gone");
	}
	strbuf_add_str(out, "</title>");
}

static void add_frame(const struct overview *overview, const struct icicle *icicle,
                      const struct icicle_frame *frame, unsigned aspect, struct strbuf *out)
{
	bool one_sided = icicle->sides == ICICLE_SIDES && !frame->unlike &&
	                 !(frame->there[0] && frame->there[1]);

	strbuf_add_str(out, "<svg class=\"f ");
	add_class(overview, icicle, frame, aspect, out);
	strbuf_addf(out, "\" x=\"%.3f%%\" y=\"%u\" width=\"%.3f%%\" height=\"%d\">", 100 * frame->x,
	            frame->level * FRAME_HEIGHT, 100 * frame->width, FRAME_HEIGHT - 1);
	add_title(overview, icicle, frame, aspect, out);
	strbuf_add_str(out, "<rect width=\"100%\" height=\"100%\"/>");
	if (one_sided)
		strbuf_addf(out,
		            "<rect class=\"h\" width=\"100%%\" height=\"100%%\" "
		            "fill=\"url(#hatch-%s)\"/>",
		            aspect_table[aspect].name);
	if (frame->width >= narrowest_named) {
		strbuf_add_str(out, "<text x=\"4\" y=\"15\">");
		add_name(frame, out);
		strbuf_add_str(out, "</text>");
	}
	strbuf_add_str(out, "</svg>\n");
}

static size_t add_frames(const struct overview *overview, const struct icicle *icicle,
                         unsigned aspect, struct strbuf *out)
{
	size_t left_out = 0, drawn = 0;

	strbuf_addf(out,
	            "<defs><pattern id=\"hatch-%s\" width=\"6\" height=\"6\" "
	            "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
	            "<rect class=\"line\" width=\"2\" height=\"6\"/></pattern></defs>\n",
	            aspect_table[aspect].name);
	for (size_t i = 0; i < icicle->count; i++) {
		const struct icicle_frame *frame = &icicle->frames[i];

		if (frame->width > 0 && drawn < FRAMES_MAX) {
			add_frame(overview, icicle, frame, aspect, out);
			drawn++;
		} else {
			left_out += frame->stands_for > 0 ? frame->stands_for : 1;
		}
	}
	return left_out;
}

static const struct {
	const char *name, *text;
} keys[] = {{"d3", "at least 60 % less"}, {"d2", "30 % less"}, {"d1", "10 % less"},
            {"c0", "about the same"},     {"m1", "10 % more"}, {"m2", "30 % more"},
            {"m3", "at least 60 % more"}, {"u", "not known"}};

static void add_key(unsigned aspect, bool unlike, struct strbuf *out)
{
	strbuf_add_str(out, "<p class=\"keys\">");
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		strbuf_addf(
		        out,
		        "<span><svg class=\"key\" width=\"14\" height=\"12\" aria-hidden=\"true\">"
		        "<svg class=\"f %s\"><rect width=\"14\" "
		        "height=\"12\"/></svg></svg>&#160;%s</span>\n",
		        keys[i].name, keys[i].text);
	strbuf_addf(out,
	            "<span><svg class=\"key\" width=\"14\" height=\"12\" aria-hidden=\"true\">"
	            "<svg class=\"f c0\"><rect width=\"14\" height=\"12\"/><rect width=\"14\" "
	            "height=\"12\" fill=\"url(#hatch-%s)\"/></svg></svg>&#160;new or gone</span>\n"
	            "<span>* may lack some threads</span>",
	            aspect_table[aspect].name);
	if (unlike)
		strbuf_addf(out, "\n<span>%s ended threads incomplete on one side</span>",
		            report_measured_mark);
	strbuf_add_str(out, "</p>\n");
}

/* The levels of the tree, from the top down to the one of the heading's command. */
static void add_levels(unsigned aspect, const struct page_command *command, struct strbuf *out)
{
	static const char *const levels[][2] = {
	        {"All threads:", "host"}, {"Cgroups:", "cgroup"}, {"Processes:", "cgroup,pcomm"}};

	strbuf_add_str(out, "<details>\n<summary>numbers of the levels above</summary>\n");
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		cleanup_(strbuf_done) struct strbuf options = STRBUF_INIT;

		strbuf_addf(&options, " -g %s --sort-by %s --limit 0", levels[i][1],
		            aspect_table[aspect].name);
		page_add_command(levels[i][0], command->tree, strbuf_str(&options), out);
	}
	strbuf_add_str(out, "</details>\n");
}

static void add_icicle(const struct report *report, const struct icicle *icicle, unsigned aspect,
                       const struct page_command *command, struct strbuf *out)
{
	const struct overview *overview = report->overview;
	cleanup_(strbuf_done) struct strbuf options = STRBUF_INIT, id = STRBUF_INIT;
	size_t left_out;

	strbuf_addf(&id, "tree-%s", aspect_table[aspect].name);
	strbuf_addf(&options, " -g all --sort-by %s --limit 0", aspect_table[aspect].name);
	page_add_heading(strbuf_str(&id), aspect_table[aspect].description, command->tree,
	                 strbuf_str(&options), out);
	strbuf_addf(out,
	            "<p>All threads; below them cgroups, processes and pools of threads. The width "
	            "is %s%s.%s</p>\n",
	            icicle->sides == 1 ? "the time"
	                               : "the time after; of what is gone, the time before",
	            icicle->sides == 1 ? "" : "; the colour is the change",
	            icicle->frames[0].began_before[0] || icicle->frames[0].began_before[1]
	                    ? " A § marks waits that began before the window; their part in it "
	                      "counts."
	                    : "");
	if (icicle->sides > 1)
		add_key(aspect, icicle->frames[0].unlike, out);
	strbuf_addf(out,
	            "<svg class=\"icicle\" width=\"100%%\" height=\"%d\" role=\"group\" "
	            "aria-label=\"",
	            (ICICLE_LEVELS + 1) * FRAME_HEIGHT);
	markup_add_str(out, aspect_table[aspect].description);
	strbuf_add_str(out, "\">\n");
	left_out = add_frames(overview, icicle, aspect, out);
	strbuf_add_str(out, "</svg>\n");
	add_levels(aspect, command, out);
	if (left_out > 0)
		strbuf_addf(out,
		            "<p class=\"drawn\">Not drawn: %zu frame%s narrower than 0.1 %% of the "
		            "whole.</p>\n",
		            left_out, left_out == 1 ? "" : "s");
}

static bool icicle_of(const struct report *report, unsigned aspect, struct icicle *ret)
{
	const struct overview *overview = report->overview;
	struct icicle_leaf *leaves;
	size_t count;

	if (aspect_table[aspect].kind != ASPECT_KIND_TIME || !overview->seen[aspect])
		return false;
	leaves = leaves_of(report, aspect, &count);
	icicle_init(ret, leaves, count, overview->sides, narrowest);
	free(leaves);
	return ret->frames[0].weight > 0;
}

void page_add_icicles(const struct report *report, const struct page_command *command,
                      struct strbuf *out)
{
	for (unsigned a = 0; a < ASPECT_COUNT; a++) {
		cleanup_(icicle_done) struct icicle icicle = {0};

		if (icicle_of(report, a, &icicle))
			add_icicle(report, &icicle, a, command, out);
	}
}

/* The key of a chart by itself. */
static void draw_key(unsigned aspect, unsigned y, struct strbuf *out)
{
	enum { STEP = 132 };
	unsigned x = 4;

	for (size_t i = 0; i <= ARRAY_SIZE(keys); i++, x += STEP) {
		bool is_hatch = i == ARRAY_SIZE(keys);

		strbuf_addf(out,
		            "<svg x=\"%u\" y=\"%u\" width=\"%d\" height=\"16\"><svg class=\"f %s\">"
		            "<rect y=\"2\" width=\"14\" height=\"12\"/>",
		            x, y, STEP, is_hatch ? "c0" : keys[i].name);
		if (is_hatch)
			strbuf_addf(out,
			            "<rect y=\"2\" width=\"14\" height=\"12\" "
			            "fill=\"url(#hatch-%s)\"/>",
			            aspect_table[aspect].name);
		strbuf_addf(out, "</svg><text x=\"18\" y=\"12\">%s</text></svg>\n",
		            is_hatch ? "new or gone" : keys[i].text);
	}
}

bool page_add_icicle_svg(const struct report *report, unsigned aspect, struct strbuf *out)
{
	cleanup_(icicle_done) struct icicle icicle = {0};

	if (!icicle_of(report, aspect, &icicle))
		return false;
	page_begin_svg(ALONE_WIDTH, (ICICLE_LEVELS + (icicle.sides > 1 ? 2 : 1)) * FRAME_HEIGHT,
	               out);
	(void)add_frames(report->overview, &icicle, aspect, out);
	if (icicle.sides > 1)
		draw_key(aspect, (ICICLE_LEVELS + 1) * FRAME_HEIGHT, out);
	strbuf_add_str(out, "</svg>\n");
	return true;
}
