// SPDX-License-Identifier: GPL-2.0-or-later
/* The overview as a table: columns leave before anything is wider than the terminal. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "overview/overview-label.h"
#include "report-overview.h"

/* The rows whose reasons stay on the screen. */
enum { FIRST_ROWS = 3 };

enum { GROUP_COLUMN = OVERVIEW_GROUP, COLUMNS = OVERVIEW_COLUMNS };

/* A number in three digits or so: "0.4", "35", "1.2K". A number that rounds to 0.0 is empty. */
static void add_number(double number, double base, struct strbuf *out)
{
	static const char *const suffixes[] = {"", "K", "M", "G", "T", "P", "E"};
	unsigned step = 0;

	/* A thousand of anything needs no fourth digit. */
	while (number >= 999.5 && step + 1 < ARRAY_SIZE(suffixes)) {
		number /= base;
		step++;
	}
	if (number >= 0.05)
		strbuf_addf(out, number < 9.95 ? "%.1f%s" : "%.0f%s", number, suffixes[step]);
}

/* Bytes have no fractions: below a tenth of a KiB there is nothing. */
static void add_bytes(double bytes, struct strbuf *out)
{
	const double kib = 1024;

	if (bytes >= 0.05 * kib && bytes < kib)
		strbuf_addf(out, "%.1fK", bytes / kib);
	else if (bytes >= kib)
		add_number(bytes, kib, out);
}

void overview_add_time(double ns, struct strbuf *out)
{
	static const struct {
		double below, divisor;
		const char *suffix;
	} steps[] = {
	        {NS_PER_SECOND, NS_PER_SECOND / 1000.0, "ms"},
	        {100.0 * NS_PER_SECOND, NS_PER_SECOND, "s"},
	        {100.0 * 60 * NS_PER_SECOND, 60.0 * NS_PER_SECOND, "min"},
	        {48.0 * 3600 * NS_PER_SECOND, 3600.0 * NS_PER_SECOND, "h"},
	        {INFINITY, 24.0 * 3600 * NS_PER_SECOND, "d"},
	};
	size_t step = 0;

	while (step + 1 < ARRAY_SIZE(steps) && ns >= steps[step].below)
		step++;
	ns /= steps[step].divisor;
	if (ns >= 0.05)
		strbuf_addf(out, ns < 9.95 ? "%.1f%s" : "%.0f%s", ns, steps[step].suffix);
}

void overview_add_amount(const struct overview *overview, unsigned aspect, double amount,
                         struct strbuf *out)
{
	switch (aspect_table[aspect].kind) {
	case ASPECT_KIND_TIME:
		if (overview_is_of_lives(overview->kind))
			overview_add_time(amount, out);
		else
			add_number(amount, 1000, out);
		break;
	case ASPECT_KIND_COUNT:
	case ASPECT_KIND_THREADS:
		add_number(amount, 1000, out);
		break;
	case ASPECT_KIND_BYTES:
	case ASPECT_KIND_PEAK:
		add_bytes(amount, out);
		break;
	}
}

const char *overview_arrow(const struct report *report)
{
	return report->style.ascii ? ">" : "→";
}

/* "-" is what is not known, nothing is nothing. */
static void add_value(const struct overview *overview, unsigned aspect,
                      const struct overview_value *value, struct strbuf *out)
{
	size_t start;

	/* A window has peaks only where they rose. */
	if (!value->seen && aspect_table[aspect].kind == ASPECT_KIND_PEAK &&
	    !overview_is_of_lives(overview->kind))
		return;
	if (!value->seen) {
		strbuf_add_char(out, '-');
		return;
	}
	start = out->len;
	overview_add_amount(overview, aspect, value->amount, out);
	if (value->partial)
		strbuf_add_str(out, out->len == start ? "0*" : "*");
	if (value->began_before && out->len > start)
		strbuf_add_str(out, report_began_before_mark);
}

static void add_side(const struct overview_table *table, const struct overview_row *row,
                     unsigned aspect, unsigned side, struct strbuf *out)
{
	size_t start = out->len;

	if (row->group->sides[side])
		add_value(table->overview, aspect, &row->values[aspect][side], out);
	else if (row_absence(table->report->rows, row->group, side) == ABSENCE_PARTIAL)
		strbuf_add_str(out, "0*");
	else if (row_absence(table->report->rows, row->group, side) == ABSENCE_UNKNOWN)
		strbuf_add_char(out, '-');
	if (out->len == start)
		strbuf_add_char(out, '0');
}

/* Returns whether the cell has only zeros, for a group that one side does not have. */
static bool is_nothing(const struct overview_row *row, const char *before, const char *after)
{
	return (!row->group->sides[SIDE_BASELINE] && strcmp(after, "0") == 0) ||
	       (!row->group->sides[SIDE_CANDIDATE] && strcmp(before, "0") == 0);
}

/* A zero that lacks some threads is one as well. */
static bool is_zero(const char *cell)
{
	return strcmp(cell, "0") == 0 || strcmp(cell, "0*") == 0;
}

/* "35→80", or nothing where both are the same. */
static enum table_color add_change(const struct overview_table *table,
                                   const struct overview_row *row, unsigned aspect,
                                   struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf after = STRBUF_INIT;
	const struct overview_value *values = row->values[aspect];
	size_t start = out->len;
	bool both_zero;

	/* A peak that did not rise has no value: it can be lower than before, or the same. */
	if (aspect_table[aspect].kind == ASPECT_KIND_PEAK &&
	    !(values[SIDE_BASELINE].seen && values[SIDE_CANDIDATE].seen)) {
		if (values[SIDE_CANDIDATE].seen)
			add_value(table->overview, aspect, &values[SIDE_CANDIDATE], out);
		return COLOR_NONE;
	}
	add_side(table, row, aspect, SIDE_BASELINE, out);
	add_side(table, row, aspect, SIDE_CANDIDATE, &after);
	if (strcmp(strbuf_str(out) + start, strbuf_str(&after)) == 0 ||
	    is_nothing(row, strbuf_str(out) + start, strbuf_str(&after))) {
		if (values[SIDE_BASELINE].seen || values[SIDE_CANDIDATE].seen)
			strbuf_cut(out, start);
		return COLOR_NONE;
	}
	both_zero = is_zero(strbuf_str(out) + start) && is_zero(strbuf_str(&after));
	strbuf_addf(out, "%s%s", overview_arrow(table->report), strbuf_str(&after));
	if (row->unlike[aspect])
		strbuf_add_str(out, report_measured_mark);
	if (isnan(row->moved[aspect]) || both_zero)
		return COLOR_NONE;
	return values[SIDE_CANDIDATE].amount > values[SIDE_BASELINE].amount ? COLOR_MORE
	                                                                    : COLOR_LESS;
}

/* "12", "12+3-1" of a begin with 12, "12→15", "new 2", "gone 2"; of short lives on both sides all that were there. */
static void add_threads(const struct overview_table *table, const struct overview_row *row,
                        struct strbuf *out)
{
	const struct overview_threads *threads = &row->threads;
	bool change = overview_is_change(table->overview->kind);

	if (row->mark == OVERVIEW_NEW) {
		strbuf_addf(out, "new %u", threads->born);
		if (threads->gone > 0)
			strbuf_addf(out, "-%u", threads->gone);
	} else if (row->mark == OVERVIEW_GONE && threads->born > 0) {
		strbuf_addf(out, "%u+%u-%u", threads->before, threads->born, threads->gone);
	} else if (row->mark == OVERVIEW_GONE) {
		strbuf_addf(out, "gone %u", threads->gone);
	} else if (change && threads->ran[0] > 0 && threads->ran[1] > 0) {
		strbuf_addf(out, "%u", threads->ran[SIDE_BASELINE]);
		if (threads->ran[SIDE_CANDIDATE] != threads->ran[SIDE_BASELINE])
			strbuf_addf(out, "%s%u", overview_arrow(table->report),
			            threads->ran[SIDE_CANDIDATE]);
	} else if (change && threads->ran[0] + threads->ran[1] > 0 &&
	           threads->born + threads->gone == 0) {
		bool after = threads->ran[SIDE_CANDIDATE] > 0;

		if (after)
			strbuf_addf(out, "-%s%u", overview_arrow(table->report),
			            threads->ran[after]);
		else
			strbuf_addf(out, "%u%s-", threads->ran[after],
			            overview_arrow(table->report));
	} else if (change && threads->before != threads->after) {
		strbuf_addf(out, "%u%s%u", threads->before, overview_arrow(table->report),
		            threads->after);
	} else {
		strbuf_addf(out, "%u", threads->before);
		if (threads->born > 0)
			strbuf_addf(out, "+%u", threads->born);
		if (threads->gone > 0)
			strbuf_addf(out, "-%u", threads->gone);
	}
}

static enum table_color color_of_threads(const struct overview_table *table,
                                         const struct overview_row *row)
{
	const struct overview_threads *threads = &row->threads;
	bool ran = threads->ran[SIDE_BASELINE] > 0 && threads->ran[SIDE_CANDIDATE] > 0;
	uint32_t before = ran ? threads->ran[SIDE_BASELINE] : threads->before;
	uint32_t after = ran ? threads->ran[SIDE_CANDIDATE] : threads->after;

	if (row->mark == OVERVIEW_NEW)
		return COLOR_MORE;
	if (row->mark == OVERVIEW_GONE)
		return COLOR_LESS;
	if (!overview_is_change(table->overview->kind) || before == after)
		return COLOR_NONE;
	return after > before ? COLOR_MORE : COLOR_LESS;
}

enum table_color overview_table_cell(void *context, size_t index, unsigned column,
                                     struct strbuf *out)
{
	const struct overview_table *table = context;
	const struct overview_row *row = &table->overview->rows[index];
	unsigned aspect = table->columns[column];

	if (aspect == GROUP_COLUMN) {
		overview_label_add(row->group, table->report->rows->by.count, &table->report->style,
		                   table->group_width, out);
		if (row->group->was)
			strbuf_addf(out, " (was %s)", row->group->was);
		return COLOR_NONE;
	}
	if (aspect_table[aspect].kind == ASPECT_KIND_THREADS) {
		add_threads(table, row, out);
		return color_of_threads(table, row);
	}
	if (overview_is_change(table->overview->kind))
		return add_change(table, row, aspect, out);
	add_value(table->overview, aspect, &row->values[aspect][SIDE_BASELINE], out);
	return COLOR_NONE;
}

static const char *heading_of(const struct overview_table *table, unsigned aspect)
{
	if (aspect == GROUP_COLUMN)
		return table->group_heading;
	return overview_is_of_lives(table->overview->kind) ? aspect_table[aspect].life_heading
	                                                   : aspect_table[aspect].heading;
}

struct overview_marks overview_table_marks(struct overview_table *table)
{
	struct overview_marks marks = {0};
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	for (size_t row = 0; row < table->shown; row++)
		for (unsigned c = 0; c < table->count; c++) {
			strbuf_clear(&text);
			overview_table_cell(table, row, c, &text);
			if (table->columns[c] == GROUP_COLUMN)
				continue;
			if (strchr(strbuf_str(&text), '*'))
				marks.partial = true;
			if (strstr(strbuf_str(&text), report_began_before_mark))
				marks.began_before = true;
		}
	return marks;
}

/* The width of the column, and whether all of its cells are empty. */
static size_t width_of(struct overview_table *table, unsigned column, bool *ret_empty)
{
	const char *heading = heading_of(table, table->columns[column]);
	size_t width = text_width(heading, strlen(heading));
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	*ret_empty = true;
	for (size_t row = 0; row < table->shown; row++) {
		size_t len;

		strbuf_clear(&text);
		overview_table_cell(table, row, column, &text);
		len = text_width(strbuf_str(&text), text.len);
		*ret_empty = *ret_empty && len == 0;
		width = len > width ? len : width;
	}
	return width;
}

/* Columns leave in the order of these numbers: empty ones, then those by which none of the first rows has its place, then the
 * others; each of these kinds as the registry has it. 0 never leaves. */
static unsigned leaves_as(const struct overview_table *table, unsigned aspect, bool empty)
{
	const unsigned kind = empty ? 0 : table->is_reason[aspect] ? 2 : 1;

	if (aspect_table[aspect].leaves == 0)
		return 0;
	return kind * (ASPECT_COUNT + 1) + aspect_table[aspect].leaves;
}

/* The column that leaves next; the count if none does. */
static unsigned next_to_leave(struct overview_table *table, size_t *ret_total)
{
	size_t group_min = overview_label_min(&table->report->rows->by, table->report->style.width);
	unsigned next = table->count, first = UINT_MAX;

	*ret_total = table->count - 1;
	for (unsigned c = 0; c < table->count; c++) {
		unsigned aspect = table->columns[c], place;
		bool empty;
		size_t width = width_of(table, c, &empty);

		*ret_total += aspect == GROUP_COLUMN && width > group_min ? group_min : width;
		if (aspect == GROUP_COLUMN)
			continue;
		place = leaves_as(table, aspect, empty);
		if (place > 0 && place < first) {
			next = c;
			first = place;
		}
	}
	return next;
}

static void find_reasons(struct overview_table *table)
{
	if (table->overview->sorted_by < ASPECT_COUNT) {
		table->is_reason[table->overview->sorted_by] = true;
		return;
	}
	for (size_t row = 0; row < table->shown && row < FIRST_ROWS; row++) {
		unsigned aspect =
		        overview_reason(table->overview->rows[row].moved, &table->overview->scale);

		if (aspect < ASPECT_COUNT)
			table->is_reason[aspect] = true;
	}
}

static void choose_columns(struct overview_table *table)
{
	size_t total;
	unsigned next;

	table->columns[table->count++] = GROUP_COLUMN;
	for (unsigned a = 0; a < ASPECT_COUNT; a++)
		if (table->overview->seen[a])
			table->columns[table->count++] = a;
	while ((next = next_to_leave(table, &total)) < table->count &&
	       table->report->style.width > 0 && total > table->report->style.width) {
		table->count--;
		memmove(table->columns + next, table->columns + next + 1,
		        (table->count - next) * sizeof(table->columns[0]));
	}
}

/* Sets the width of group names: the rest beside the other columns. */
static void fit_group(struct overview_table *table)
{
	enum { GROUP_LEAST = 8 };
	size_t width = table->report->style.width, others = table->count - 1;
	bool empty;

	for (unsigned c = 0; c < table->count; c++)
		if (table->columns[c] != GROUP_COLUMN)
			others += width_of(table, c, &empty);
	table->group_width = width > others + GROUP_LEAST ? width - others : 0;
}

static void set_heading(struct overview_table *table)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	overview_label_add_heading(&table->report->rows->by, &text);
	snprintf(table->group_heading, sizeof(table->group_heading), "%s", strbuf_str(&text));
}

void overview_table_init(struct overview_table *table, const struct report *report)
{
	*table = (struct overview_table){
	        .report = report,
	        .overview = report->overview,
	        .shown = overview_shown(report),
	};
	set_heading(table);
	find_reasons(table);
	choose_columns(table);
	fit_group(table);
}

const char *overview_table_heading(const struct overview_table *table, unsigned column)
{
	return heading_of(table, table->columns[column]);
}

struct overview_marks report_print_overview_rows(FILE *file, const struct report *report)
{
	struct overview_table table;
	struct table_column columns[COLUMNS];

	if (overview_shown(report) == 0)
		return (struct overview_marks){0};
	overview_table_init(&table, report);
	for (unsigned c = 0; c < table.count; c++)
		columns[c] = (struct table_column){
		        heading_of(&table, table.columns[c]), table.columns[c] != GROUP_COLUMN,
		        table.columns[c] == GROUP_COLUMN ? SHRINKS_ALWAYS : SHRINKS_NEVER, 0};
	table_print(file, &report->style, columns, table.count, table.shown, overview_table_cell,
	            &table);
	return overview_table_marks(&table);
}

size_t overview_shown(const struct report *report)
{
	size_t count = report->overview->count;

	return report->limit > 0 && report->limit < count ? report->limit : count;
}
