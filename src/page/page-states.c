// SPDX-License-Identifier: GPL-2.0-or-later
/* Bars of the states of a group's threads. Sleep for no known reason is a number and no part of the bar, because everything else
 * would be too narrow beside it. */
#include <math.h>
#include <string.h>

#include "base/markup.h"
#include "ctprof/base/macro.h"
#include "measure/measure.h"
#include "metric/units.h"
#include "page-section.h"

enum { STATES = DERIVED_COUNT, GROUPS_MAX = 40, BAR_HEIGHT = 16, SVG_NAME = 240, SVG_BAR = 560 };

static const char prefix[] = "state_", suffix[] = "_percent";

/* A group's states on one side, by derived metric. */
struct budget {
	bool there;
	struct quantity shares[STATES];
	bool partial[STATES]; /* some of the group's threads are not in it */
};

struct states {
	const struct report *report;
	size_t groups;
	unsigned sides;
	unsigned list[STATES]; /* derived metrics of the section */
	unsigned count;
	bool any_partial;
	/* Those that no group has a value of, and those that are zero in all groups, have no column; safe to print. */
	struct strbuf unknown, zero;
	struct group_reader readers[SIDE_MAX];
};

static bool is_asleep(unsigned derived)
{
	return derived == DERIVED_state_other_sleep_percent ||
	       derived == DERIVED_state_unexplained_percent;
}

/* "on cpu" of "state_on_cpu_percent". */
static void add_name(unsigned derived, struct strbuf *out)
{
	const char *name = derived_table[derived].name + strlen(prefix);

	for (size_t len = strlen(name) - strlen(suffix); len > 0; len--, name++)
		strbuf_add_char(out, *name == '_' ? ' ' : *name);
}

/* Returns whether the share of the window between two snapshots lacks some of the group's threads. */
static bool interval_is_partial(const struct row_set *set, const struct group *group,
                                unsigned derived, const struct derive_inputs *in)
{
	struct metric_set missing = derive_missing((enum derived_id)derived, in);

	return !metric_set_is_empty(&missing) ||
	       derive_threads((enum derived_id)derived, in) < group->threads ||
	       group_measure_lacks_exited(group, &set->interval_frame, METRIC_COUNT + derived);
}

/* Returns whether that of a side does. */
static bool side_is_partial(const struct row_set *set, const struct row_group *group, unsigned side,
                            unsigned derived)
{
	struct row_view view;

	row_view(set, group, METRIC_COUNT + derived, &view);
	return report_is_partial(&view, side);
}

static void read_budget(struct states *states, size_t row, unsigned side, struct budget *ret)
{
	const struct row_set *set = states->report->rows;
	const struct overview *overview = states->report->overview;
	const struct row_group *group = overview->rows[row].group;
	bool interval = overview->kind == OVERVIEW_INTERVAL;
	const struct group *cells =
	        group_read(&states->readers[side], interval ? group->interval : group->sides[side]);
	struct derive_inputs in;

	*ret = (struct budget){.there = cells != NULL};
	if (!cells)
		return;
	in = group_inputs(cells, interval ? set->interval_rates : set->rate_lists[side],
	                  interval ? &set->interval_frame : &set->frames[side]);
	for (unsigned i = 0; i < states->count; i++) {
		unsigned derived = states->list[i];

		ret->shares[derived] = derive((enum derived_id)derived, &in);
		ret->partial[derived] = ret->shares[derived].kind != QUANTITY_NONE &&
		                        (interval ? interval_is_partial(set, cells, derived, &in)
		                                  : side_is_partial(set, group, side, derived));
	}
}

/* Appends what is in a cell, as the command prints it. */
static void add_share(const struct budget *budget, unsigned derived, struct strbuf *out)
{
	if (budget->there)
		units_format(derived_table[derived].unit, budget->shares[derived], true, out);
	else
		strbuf_add_char(out, '-');
	if (budget->partial[derived])
		strbuf_add_char(out, '*');
}

/* A state of the groups: no value, zero in all of them, or more. */
enum presence { PRESENCE_NONE, PRESENCE_ZERO, PRESENCE_SOME };

static void find_presence(struct states *states, enum presence ret[STATES])
{
	for (size_t row = 0; row < states->groups; row++)
		for (unsigned side = 0; side < states->sides; side++) {
			struct budget budget;

			read_budget(states, row, side, &budget);
			for (unsigned i = 0; i < states->count; i++) {
				const struct quantity *share = &budget.shares[states->list[i]];
				enum presence *presence = &ret[states->list[i]];

				if (share->kind == QUANTITY_NONE)
					continue;
				states->any_partial |= budget.partial[states->list[i]];
				/* Less is printed as zero. */
				if (fabs(quantity_double(*share)) >= 0.005)
					*presence = PRESENCE_SOME;
				else if (*presence == PRESENCE_NONE)
					*presence = PRESENCE_ZERO;
			}
		}
}

/* Finds the states that have a column. */
static void states_init(struct states *states, const struct report *report)
{
	const struct overview *overview = report->overview;
	enum presence presence[STATES] = {PRESENCE_NONE};
	unsigned all;

	*states = (struct states){.report = report, .sides = overview->sides};
	states->groups = overview->count < GROUPS_MAX ? overview->count : GROUPS_MAX;
	for (unsigned i = 0; i < DERIVED_COUNT; i++)
		if (derived_table[i].section == SECTION_state)
			states->list[states->count++] = i;
	find_presence(states, presence);
	all = states->count;
	states->count = 0;
	for (unsigned i = 0; i < all; i++) {
		unsigned derived = states->list[i];
		struct strbuf *names =
		        presence[derived] == PRESENCE_NONE ? &states->unknown : &states->zero;

		if (presence[derived] == PRESENCE_SOME) {
			states->list[states->count++] = derived;
			continue;
		}
		strbuf_add_str(names, names->len > 0 ? ", " : "");
		add_name(derived, names);
	}
}

static void states_done(struct states *states)
{
	for (unsigned side = 0; side < SIDE_MAX; side++)
		group_reader_done(&states->readers[side]);
	strbuf_done(&states->unknown);
	strbuf_done(&states->zero);
}

static double share_of(const struct budget *budget, unsigned derived)
{
	struct quantity share = budget->shares[derived];

	return share.kind == QUANTITY_NONE ? 0 : fmax(0, quantity_double(share));
}

/* Returns whether its threads were asleep all the time, which takes a known share of a CPU. */
static bool is_idle(const struct budget *budget)
{
	return budget->there && budget->shares[DERIVED_state_on_cpu_percent].kind != QUANTITY_NONE;
}

/* Appends the parts of a bar, in percent of the width, or a word where there is none. */
static void add_bar(const struct states *states, const struct budget *budget, struct strbuf *out)
{
	double whole = 0, x = 0;

	for (unsigned i = 0; i < states->count; i++)
		whole += is_asleep(states->list[i]) ? 0 : share_of(budget, states->list[i]);
	if (!(whole > 0)) {
		strbuf_addf(out, "<text class=\"soft\" x=\"2\" y=\"13\">%s</text>",
		            is_idle(budget) ? "asleep" : "-");
		return;
	}
	for (unsigned i = 0; i < states->count; i++) {
		unsigned derived = states->list[i];
		double part = 100 * share_of(budget, derived) / whole;

		if (is_asleep(derived) || part < 0.05)
			continue;
		strbuf_addf(out,
		            "<rect class=\"st%u\" x=\"%.2f%%\" width=\"%.2f%%\" height=\"%d\">",
		            derived - DERIVED_state_on_cpu_percent, x, part, BAR_HEIGHT);
		strbuf_add_str(out, "<title>");
		add_name(derived, out);
		strbuf_add_str(out, " ");
		add_share(budget, derived, out);
		strbuf_add_str(out, " of its threads' time</title></rect>");
		x += part;
	}
}

static void add_cells(const struct states *states, const struct budget budgets[SIDE_MAX],
                      struct strbuf *out)
{
	for (unsigned i = 0; i < states->count; i++) {
		unsigned derived = states->list[i];
		double before = share_of(&budgets[0], derived);
		double after = share_of(&budgets[states->sides - 1], derived);
		bool both = budgets[0].shares[derived].kind != QUANTITY_NONE &&
		            budgets[states->sides - 1].shares[derived].kind != QUANTITY_NONE;

		strbuf_addf(out, "<td%s>",
		            !both || fabs(after - before) < 0.95 ? ""
		            : after > before                     ? " class=\"more\""
		                                                 : " class=\"less\"");
		add_share(&budgets[0], derived, out);
		if (states->sides == SIDE_MAX) {
			strbuf_add_str(out, "→");
			add_share(&budgets[1], derived, out);
		}
		strbuf_add_str(out, "</td>");
	}
}

static void add_row(struct states *states, size_t row, struct strbuf *out)
{
	struct budget budgets[SIDE_MAX] = {{0}};

	strbuf_add_str(out, "<tr><th scope=\"row\">");
	markup_add_str(out, states->report->overview->rows[row].group->label);
	strbuf_add_str(out, "</th><td class=\"bars\">");
	for (unsigned side = 0; side < states->sides; side++) {
		cleanup_(strbuf_done) struct strbuf bar = STRBUF_INIT;

		read_budget(states, row, side, &budgets[side]);
		add_bar(states, &budgets[side], &bar);
		strbuf_addf(out,
		            "<svg class=\"bar\" width=\"100%%\" height=\"%d\" role=\"img\" "
		            "aria-label=\"%s\">%s</svg>",
		            BAR_HEIGHT,
		            states->sides == 1      ? "states"
		            : side == SIDE_BASELINE ? "states before"
		                                    : "states after",
		            strbuf_str(&bar));
	}
	strbuf_add_str(out, "</td>");
	add_cells(states, budgets, out);
	strbuf_add_str(out, "</tr>\n");
}

static void add_heads(const struct states *states, struct strbuf *out)
{
	strbuf_add_str(out, "<table class=\"states\">\n<thead><tr><th scope=\"col\">group</th>"
	                    "<th scope=\"col\" class=\"bars\">states</th>");
	for (unsigned i = 0; i < states->count; i++) {
		unsigned derived = states->list[i];

		strbuf_add_str(out, "<th scope=\"col\" title=\"");
		markup_add_str(out, derived_table[derived].description);
		strbuf_add_str(out, "\">");
		if (!is_asleep(derived))
			strbuf_addf(out,
			            "<svg class=\"key\" width=\"10\" height=\"10\" "
			            "aria-hidden=\"true\"><rect class=\"st%u\" width=\"10\" "
			            "height=\"10\"/></svg>&#160;",
			            derived - DERIVED_state_on_cpu_percent);
		add_name(derived, out);
		strbuf_add_str(out, "</th>");
	}
	strbuf_add_str(out, "</tr></thead>\n<tbody>\n");
}

/* Says which states have no column. Time of a state that is not known is taken for sleep, see registry/derived.def. */
static void add_absent(const struct states *states, struct strbuf *out)
{
	if (states->zero.len > 0)
		strbuf_addf(out, "<p>Zero in all of these groups: %s.</p>\n",
		            strbuf_str(&states->zero));
	if (states->unknown.len > 0)
		strbuf_addf(
		        out,
		        "<p>Not known of any of these groups: %s. If there was any, it is in other "
		        "sleep.</p>\n",
		        strbuf_str(&states->unknown));
}

void page_add_states(const struct report *report, const struct page_command *command,
                     struct strbuf *out)
{
	struct states states;

	states_init(&states, report);
	if (states.count > 0 && states.groups > 0) {
		page_add_heading("states", "What the time of threads was", command->states, "",
		                 out);
		strbuf_addf(
		        out,
		        "<p>A bar is the time in which a group's threads were not merely "
		        "asleep, by state%s. The numbers are percent of all time of its threads; "
		        "- was not seen.%s%s</p>\n<div class=\"wide\">\n",
		        states.sides == SIDE_MAX ? ", before and below it after" : "",
		        states.any_partial ? " A * marks those that lack some of the threads." : "",
		        states.sides == SIDE_MAX ? " Bars have the colours of states, numbers "
		                                   "those of more and less."
		                                 : "");
		add_heads(&states, out);
		for (size_t row = 0; row < states.groups; row++)
			add_row(&states, row, out);
		strbuf_add_str(out, "</tbody>\n</table>\n</div>\n");
		add_absent(&states, out);
		if (states.groups < report->overview->count)
			strbuf_addf(out,
			            "<p class=\"drawn\">%zu more of the overview without a bar "
			            "here.</p>\n",
			            report->overview->count - states.groups);
	}
	states_done(&states);
}

/* Returns its end. */
static unsigned add_svg_key(const struct states *states, struct strbuf *out)
{
	unsigned x = SVG_NAME;

	for (unsigned i = 0; i < states->count; i++) {
		cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;
		enum { LETTER = 7, KEY = 16, GAP = 28 };

		if (is_asleep(states->list[i]))
			continue;
		add_name(states->list[i], &name);
		strbuf_addf(out,
		            "<rect class=\"st%u\" x=\"%u\" y=\"6\" width=\"10\" height=\"10\"/>"
		            "<text x=\"%u\" y=\"15\">%s</text>\n",
		            states->list[i] - DERIVED_state_on_cpu_percent, x, x + KEY,
		            strbuf_str(&name));
		x += GAP + LETTER * (unsigned)name.len;
	}
	return x;
}

void page_add_states_svg(const struct report *report, struct strbuf *out)
{
	enum { STEP = BAR_HEIGHT + 2, TOP = 28, GAP = 8 };
	cleanup_(strbuf_done) struct strbuf key = STRBUF_INIT;
	struct states states;
	unsigned y = TOP, width;

	states_init(&states, report);
	width = add_svg_key(&states, &key);
	width = width > SVG_NAME + SVG_BAR + GAP ? width : SVG_NAME + SVG_BAR + GAP;
	page_begin_svg(width, TOP + (unsigned)states.groups * (STEP * states.sides + GAP), out);
	strbuf_add(out, key.data, key.len);
	for (size_t row = 0; row < states.groups; row++) {
		strbuf_addf(out, "<svg width=\"%d\" y=\"%u\" height=\"%d\"><text x=\"4\" y=\"13\">",
		            SVG_NAME - GAP, y, BAR_HEIGHT + 2);
		markup_add_str(out, report->overview->rows[row].group->label);
		strbuf_add_str(out, "</text></svg>\n");
		for (unsigned side = 0; side < states.sides; side++, y += STEP) {
			struct budget budget;

			read_budget(&states, row, side, &budget);
			strbuf_addf(out, "<svg x=\"%d\" y=\"%u\" width=\"%d\" height=\"%d\">",
			            SVG_NAME, y, SVG_BAR, BAR_HEIGHT);
			add_bar(&states, &budget, out);
			strbuf_add_str(out, "</svg>\n");
		}
		y += GAP;
	}
	strbuf_add_str(out, "</svg>\n");
	states_done(&states);
}
