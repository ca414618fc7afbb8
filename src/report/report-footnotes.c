// SPDX-License-Identifier: GPL-2.0-or-later
/* The lines below a table that explain the marks in its cells. */
#include "report-cells.h"
#include "report/report-text.h"

struct marks {
	bool partial; /* by threads: see report_is_partial() */
	bool members_differ;
	bool went_back;
	bool impossible_differs;
	bool began_before;
	bool measured_differently;
	bool uneven; /* differences of sums: see row_marks_inputs() */
	/* Indexed by derived metric: the inputs that a marked value lacks. */
	struct metric_set missing_inputs[DERIVED_COUNT];
};

static void add_missing_inputs(struct marks *marks, const struct row_view *view, unsigned side)
{
	struct metric_set *set = &marks->missing_inputs[measure_derived(view->measure)];

	for (unsigned i = 0; i < METRIC_SET_WORDS; i++)
		set->words[i] |= view->missing_inputs[side].words[i];
}

/* Notes the marks of the values in a row's cells. */
static void add_value_marks(struct marks *marks, const struct row_view *view, unsigned sides)
{
	for (unsigned side = 0; side < sides; side++) {
		marks->began_before = marks->began_before ||
		                      (view->began_before[side] > 0 && row_has_value(view, side));
		if (!metric_set_is_empty(&view->missing_inputs[side]))
			add_missing_inputs(marks, view, side);
		else
			marks->partial = marks->partial || report_is_partial(view, side);
	}
}

static bool is_uneven(const struct row_view *view)
{
	return view->delta_partial && !view->is_interval && measure_is_derived(view->measure) &&
	       basis_is_of_parts(derived_table[measure_derived(view->measure)].basis);
}

static void find_marks(const struct report *report, struct marks *ret)
{
	const struct column_list *columns = &report->columns;
	bool counted = column_list_has(columns, COLUMN_threads);
	bool sorted = column_list_has(columns, COLUMN_SORTED);
	bool valued = column_list_has(columns, COLUMN_value) ||
	              column_list_has(columns, COLUMN_baseline) ||
	              column_list_has(columns, COLUMN_candidate) ||
	              column_list_has(columns, COLUMN_arrow);
	struct row_context context = {.report = report};

	for (size_t i = 0; i < report_shown(report); i++) {
		const struct row_view *view = report_view_of(&context, i);
		struct row_view by;

		ret->members_differ = ret->members_differ || (counted && view->members_differ &&
		                                              !row_group_is_exited(view->group));
		ret->partial = ret->partial || (column_list_has(columns, COLUMN_delta) &&
		                                view->delta_partial && !is_uneven(view));
		ret->uneven =
		        ret->uneven || (column_list_has(columns, COLUMN_delta) && is_uneven(view));
		ret->went_back = ret->went_back ||
		                 (column_list_has(columns, COLUMN_delta) && view->went_back);
		ret->measured_differently =
		        ret->measured_differently ||
		        (column_list_has(columns, COLUMN_delta) && view->measured_differently);
		ret->impossible_differs =
		        ret->impossible_differs || (column_list_has(columns, COLUMN_delta) &&
		                                    view->impossible_differs && !view->went_back);
		ret->began_before = ret->began_before || (column_list_has(columns, COLUMN_delta) &&
		                                          view->delta_began_before);
		if (valued)
			add_value_marks(ret, view, report->rows->sides);
		if (!sorted)
			continue;
		row_view(report->rows, view->group, report->sorted_by, &by);
		add_value_marks(ret, &by, report->rows->sides);
	}
}

/* Adds "* total_offcpu_delay_ns is a lower bound: without irq_delay_total_ns, which some or all of the threads, or
 * those that have exited, do not have". */
static void add_derived_note(enum derived_id id, const struct metric_set *missing,
                             struct strbuf *out)
{
	const struct derived_desc *derived = &derived_table[id];
	const char *separator = derive_only_adds(id)
	                                ? " is a lower bound: without "
	                                : " is an upper bound: nothing is subtracted for ";

	if (metric_set_is_empty(missing))
		return;
	strbuf_addf(out, "* %s", derived->name);
	for (size_t i = 0; i < derived->input_count; i++) {
		if (!metric_set_has(missing, derived->inputs[i]))
			continue;
		strbuf_addf(out, "%s%s", separator, metric_table[derived->inputs[i]].name);
		separator = ", ";
	}
	strbuf_add_str(
	        out,
	        ", which some or all of the threads, or those that have exited, do not have\n");
}

void report_add_footnotes(const struct report *report, struct strbuf *out)
{
	struct marks marks = {0};

	find_marks(report, &marks);
	if (marks.partial)
		strbuf_add_str(out, "* from some of the group's threads: the others, or those "
		                    "that have exited, did not have the value, could not be "
		                    "read, or were counted anew\n");
	for (unsigned i = 0; i < DERIVED_COUNT; i++)
		add_derived_note((enum derived_id)i, &marks.missing_inputs[i], out);
	if (marks.uneven)
		strbuf_add_str(out,
		               "* a difference of sums that lack a part of unlike shares of the "
		               "threads: off by about 1 % at most, and not ranked by impact\n");
	if (marks.members_differ)
		strbuf_addf(
		        out,
		        "%s not the same threads on both sides: some started, exited or changed "
		        "their name\n",
		        report_members_mark);
	if (marks.went_back)
		strbuf_addf(out,
		            "%s went back: of the same threads it is lower than before, so it was "
		            "counted anew, and there is no difference\n",
		            report_went_back_mark);
	if (marks.measured_differently)
		strbuf_addf(
		        out,
		        "%s measured differently: one side lacks more of the group's threads, of "
		        "their names, or of the work of those that ended (see exits); not ranked "
		        "by impact\n",
		        report_measured_mark);
	if (marks.impossible_differs)
		strbuf_addf(out,
		            "%s some thread's value is impossible on one side only, or in between, "
		            "so there is no difference\n",
		            report_impossible_mark);
	if (marks.began_before)
		strbuf_addf(
		        out,
		        "%s began before: waits of some threads are longer than these were in the "
		        "window; of those, rates and percentages count no more than that\n",
		        report_began_before_mark);
}
