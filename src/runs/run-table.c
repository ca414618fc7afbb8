// SPDX-License-Identifier: GPL-2.0-or-later
#include "run-table.h"

#include <math.h>
#include <string.h>

#include "base/scan.h"
#include "base/text.h"

enum { COLUMNS_MAX = 256 };
enum total_row { TOTAL_SUM, TOTAL_MEAN, TOTAL_MAX, TOTAL_ROWS };

struct printed {
	const struct runs *runs;
	const char *names[COLUMNS_MAX];
	struct table_column columns[COLUMNS_MAX];
	struct run_total totals[COLUMNS_MAX];
	unsigned count;
	struct strbuf headings[COLUMNS_MAX]; /* of fields that no registry has */
	size_t shared;                       /* bytes of all prefixes that are above the table */
};

static void add_column(struct printed *printed, const char *name, unsigned leaves)
{
	const struct run_field *field = run_field_find(name);
	struct table_column *column = &printed->columns[printed->count];

	if (printed->count == COLUMNS_MAX)
		return;
	text_add_escaped(&printed->headings[printed->count], name, strlen(name));
	*column = (struct table_column){
	        .heading = field ? field->heading : strbuf_str(&printed->headings[printed->count]),
	        .right = field && field->form != RUN_FORM_text,
	        .shrinks = field && strcmp(name, "command") == 0    ? SHRINKS_ALWAYS
	                   : !field || field->form == RUN_FORM_text ? SHRINKS_WRAPPED
	                                                            : SHRINKS_NEVER,
	        .leaves = leaves,
	};
	printed->totals[printed->count] = runs_total(printed->runs, name);
	printed->names[printed->count++] = name;
}

/* Adds con-duct's fields, and beside each that can be asked for what was. The command is the last one, since it is the longest. */
static void add_default_columns(struct printed *printed)
{
	static const char *const pairs[][3] = {
	        {"wall_clock_time", "time_asked", "time_used_percent"},
	        {"peak_rss", "memory_asked", "memory_used_percent"},
	        {"average_pcpu", "cpus_asked", "cpus_used_percent"},
	};

	add_column(printed, "exit_code", 0);
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		add_column(printed, pairs[i][0], 0);
		if (!runs_have(printed->runs, pairs[i][1]))
			continue;
		add_column(printed, pairs[i][1], 2);
		add_column(printed, pairs[i][2], 1);
	}
	add_column(printed, "command", 0);
}

static void add_value(const struct printed *printed, size_t row, unsigned column,
                      struct strbuf *out)
{
	const struct job_field *value =
	        job_info_find(&printed->runs->entries[row], printed->names[column]);
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	if (!value || value->kind == JOB_FIELD_NULL)
		strbuf_add_str(&text, "-");
	else
		run_add_value(run_field_find(printed->names[column]), value, &text);
	if (column == 0)
		text_add_escaped(out, text.data + printed->shared, text.len - printed->shared);
	else
		text_add_escaped(out, strbuf_str(&text), text.len);
}

static bool has_total(const struct run_field *field, const struct run_total *total,
                      enum total_row row)
{
	return field && total->seen > 0 && field->totals != RUN_TOTALS_none &&
	       (row != TOTAL_SUM || field->totals == RUN_TOTALS_sum);
}

/* A mean of whole numbers has a fraction. */
static void add_total_number(const struct run_field *field, const struct run_total *total,
                             enum total_row row, struct strbuf *out)
{
	double number = row == TOTAL_SUM    ? total->sum
	                : row == TOTAL_MEAN ? total->mean
	                                    : total->max;

	if (field->form == RUN_FORM_number)
		strbuf_addf(out, row == TOTAL_MEAN ? "%.1f" : "%.0f", number);
	else
		run_add_number(field->form, number, out);
}

static void add_total(const struct printed *printed, enum total_row row, unsigned column,
                      struct strbuf *out)
{
	static const char *const names[TOTAL_ROWS] = {"sum", "mean", "maximum"};
	const struct run_field *field = run_field_find(printed->names[column]);
	size_t failed;

	if (column == 0) {
		strbuf_add_str(out, names[row]);
		if (row != TOTAL_SUM)
			return;
		failed = runs_failed(printed->runs);
		strbuf_addf(out, " of %zu runs", printed->runs->count);
		if (failed > 0)
			strbuf_addf(out, ", %zu failed", failed);
	} else if (has_total(field, &printed->totals[column], row)) {
		add_total_number(field, &printed->totals[column], row, out);
	}
}

static enum table_color add_cell(void *context, size_t row, unsigned column, struct strbuf *out)
{
	const struct printed *printed = context;
	const struct job_info *info;

	if (row >= printed->runs->count) {
		add_total(printed, (enum total_row)(row - printed->runs->count), column, out);
		return COLOR_HEADING;
	}
	add_value(printed, row, column, out);
	info = &printed->runs->entries[row];
	return strcmp(printed->names[column], "exit_code") == 0 &&
	                       job_info_number(info, "exit_code") != 0
	               ? COLOR_POOR
	               : COLOR_NONE;
}

/* Long names of directories that all prefixes begin with would leave no room for the rest on a terminal: they are printed once.
 * Returns their length. */
static size_t shared_directories(const struct runs *runs)
{
	enum { LONG = 40 };
	const char *first = job_info_text(&runs->entries[0], "prefix");
	size_t shared = strlen(first), longest = 0;

	for (size_t i = 0; i < runs->count; i++) {
		const char *other = job_info_text(&runs->entries[i], "prefix");
		size_t same = 0;

		while (same < shared && other[same] == first[same])
			same++;
		shared = same;
		longest = strlen(other) > longest ? strlen(other) : longest;
	}
	while (shared > 0 && first[shared - 1] != '/')
		shared--;
	return longest > LONG && runs->count > 1 ? shared : 0;
}

static void print_shared(FILE *file, const struct printed *printed, const struct table_style *style)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	strbuf_add_str(&text, "prefixes begin with ");
	text_add_escaped(&text, job_info_text(&printed->runs->entries[0], "prefix"),
	                 printed->shared);
	if (style->ascii)
		text_make_ascii(&text);
	fprintf(file, "%s\n", strbuf_str(&text));
}

void run_table_print(FILE *file, const struct runs *runs, const char *const *names,
                     const struct table_style *style)
{
	struct printed printed = {.runs = runs};

	add_column(&printed, "prefix", 0);
	if (!names)
		add_default_columns(&printed);
	for (; names && *names; names++)
		add_column(&printed, *names, 0);
	if (style->width > 0 && !style->markdown && runs->count > 0)
		printed.shared = shared_directories(runs);
	if (printed.shared > 0)
		print_shared(file, &printed, style);
	table_print(file, style, printed.columns, printed.count,
	            runs->count + (runs->count > 1 ? TOTAL_ROWS : 0), add_cell, &printed);
	for (unsigned i = 0; i < COLUMNS_MAX; i++)
		strbuf_done(&printed.headings[i]);
}

/* Appends "Peak Rss" for peak_rss. */
static void add_title(const char *name, struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;
	bool begins = true;

	text_add_escaped(&text, name, strlen(name));
	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i];

		if (begins && c >= 'a' && c <= 'z')
			c = (char)(c - 'a' + 'A');
		else if (!begins && c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		begins = !char_is_letter(c);
		strbuf_add_char(out, c == '_' ? ' ' : c);
	}
}

static void add_summary(const struct job_info *info, const char *const *names, struct strbuf *out)
{
	const struct job_field *value = job_info_find(info, "prefix");

	strbuf_add_str(out, "Prefix: ");
	text_add_escaped(out, value->text, strlen(value->text));
	strbuf_add_char(out, '\n');
	for (; *names; names++) {
		cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

		value = job_info_find(info, *names);
		if (!value)
			continue;
		run_add_value(run_field_find(*names), value, &text);
		strbuf_add_char(out, '\t');
		add_title(*names, out);
		strbuf_add_str(out, ": ");
		text_add_escaped(out, strbuf_str(&text), text.len);
		strbuf_add_char(out, '\n');
	}
}

static void add_summary_total(const struct runs *runs, const char *name, struct strbuf *out)
{
	static const char *const words[TOTAL_ROWS] = {"sum", "mean", "maximum"};
	const struct run_field *field = run_field_find(name);
	const struct run_total total = runs_total(runs, name);
	bool any = false;

	for (unsigned row = 0; row < TOTAL_ROWS; row++) {
		if (!has_total(field, &total, (enum total_row)row))
			continue;
		if (!any) {
			strbuf_add_char(out, '\t');
			add_title(name, out);
		}
		strbuf_addf(out, "%s %s ", any ? "," : ":", words[row]);
		add_total_number(field, &total, (enum total_row)row, out);
		any = true;
	}
	if (any)
		strbuf_add_char(out, '\n');
}

void run_summaries_add(const struct runs *runs, const char *const *names, struct strbuf *out)
{
	for (size_t i = 0; i < runs->count; i++)
		add_summary(&runs->entries[i], names, out);
	if (runs->count < 2)
		return;
	strbuf_addf(out, "All %zu runs, %zu failed\n", runs->count, runs_failed(runs));
	for (; *names; names++)
		add_summary_total(runs, *names, out);
}
