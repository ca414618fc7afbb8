// SPDX-License-Identifier: GPL-2.0-or-later
#include "bands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/markup.h"
#include "base/mem.h"
#include "plot/plot.h"
#include "time-chart.h"

/* Returns how many records are in one column. */
static size_t each_of(const struct series *series)
{
	return (series->count + BAND_COLUMNS - 1) / BAND_COLUMNS;
}

/* The first record is of the begin, and has no length; where it is the only one, it has a second. */
void bands_make_columns(const struct series *series, struct history *ret)
{
	size_t each = each_of(series);

	for (size_t i = series->count > 1 ? 1 : 0; i < series->count; i += each) {
		size_t last = i + each < series->count ? i + each - 1 : series->count - 1;
		struct history_column *column =
		        array_add(ret->columns, ret->column_count, ret->column_capacity);

		*column =
		        (struct history_column){.end_ns = (uint64_t)series->records[last].time_ns};
		if (i > 0)
			column->begin_ns = (uint64_t)series->records[i - 1].time_ns;
		else
			column->end_ns = NS_PER_SECOND;
		column->length_ns = column->end_ns - column->begin_ns;
	}
}

/* Returns the column of a time, which is the end of a record. */
static size_t column_at(const struct history *columns, int64_t time_ns)
{
	size_t low = 0, high = columns->column_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if ((int64_t)columns->columns[middle].end_ns < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low < columns->column_count ? low : columns->column_count - 1;
}

static double larger(double a, double b)
{
	return isnan(a) || b > a ? b : a;
}

void bands_series_values(const struct series *series, const struct history *columns,
                         enum series_id id, double *ret)
{
	for (size_t i = 0; i < columns->column_count; i++)
		ret[i] = NAN;
	for (size_t i = series->count > 1 ? 1 : 0; i < series->count; i++) {
		size_t at = column_at(columns, series->records[i].time_ns);

		ret[at] = larger(ret[at], series->records[i].values[id]);
	}
}

/* Adds the largest value of each column. */
static void add_process(const struct series *series, const struct series_process *process,
                        const struct history *columns, enum series_use_kind kind, struct band *band)
{
	double *own = mem_calloc(columns->column_count + 1, sizeof(own[0]));

	for (size_t i = 0; i < process->count; i++) {
		size_t at = column_at(columns, process->points[i].time_ns);

		own[at] = fmax(own[at], series_use_value(series, &process->points[i], kind));
	}
	for (size_t i = 0; i < columns->column_count; i++)
		band->values[i] += own[i];
	free(own);
}

static void name_band(struct band *band, const struct series_use *use)
{
	cleanup_(strbuf_done) struct strbuf label = STRBUF_INIT;

	plot_add_process(use, &label);
	band->label = mem_copy(strbuf_str(&label), label.len);
}

/* Adds what no process has of the totals as a band. */
static void add_rest(struct bands *bands, const struct history *columns, const double *totals)
{
	struct band *band = &bands->entries[bands->count];

	band->values = mem_calloc(columns->column_count + 1, sizeof(double));
	for (size_t i = 0; i < columns->column_count; i++) {
		double rest = totals[i];

		for (unsigned k = 0; k < bands->count; k++)
			rest -= bands->entries[k].values[i];
		if (rest > 0) /* a total may be missing */
			band->values[i] = rest;
		band->most = fmax(band->most, band->values[i]);
		bands->top = fmax(bands->top, totals[i]);
	}
	bands->has_rest = band->most > 0;
	if (bands->has_rest)
		bands->count++;
	else
		free(take_ptr(band->values));
}

/* A column has the most of each process, which need not be of one moment: where they are more than the most of all together, that is
 * divided among them. */
static void divide(struct bands *bands, const struct series *series, const struct history *columns,
                   enum series_use_kind kind)
{
	double *totals = mem_calloc(columns->column_count + 1, sizeof(totals[0]));

	bands_series_values(series, columns, series_use_total(kind), totals);
	for (size_t i = 0; i < columns->column_count; i++) {
		double sum = 0, part;

		for (unsigned k = 0; k < bands->count; k++) {
			double value = bands->entries[k].values[i];

			sum += value;
			bands->entries[k].most = fmax(bands->entries[k].most, value);
		}
		part = sum > totals[i] ? totals[i] / sum : 1;
		for (unsigned k = 0; k < bands->count; k++)
			bands->entries[k].values[i] *= part;
		bands->top = fmax(bands->top, sum * part);
	}
	if (kind == SERIES_USE_TIME)
		add_rest(bands, columns, totals);
	free(totals);
}

void bands_init(struct bands *bands, const struct series *series, const struct history *columns,
                enum series_use_kind kind)
{
	size_t count;
	struct series_use *uses = series_use_sort(series, kind, &count);

	*bands = (struct bands){0};
	for (size_t i = 0; i < count; i++) {
		bool is_own = i < BANDS_OWN || count == BANDS_OWN + 1;
		struct band *band = &bands->entries[i < BANDS_OWN ? i : BANDS_OWN];

		if (!band->values) {
			band->values = mem_calloc(columns->column_count + 1, sizeof(double));
			bands->count++;
		}
		if (is_own)
			name_band(band, &uses[i]);
		else
			bands->others++;
		add_process(series, uses[i].process, columns, kind, band);
	}
	divide(bands, series, columns, kind);
	free(uses);
}

void bands_done(struct bands *bands)
{
	for (unsigned i = 0; i < bands->count; i++) {
		free(bands->entries[i].label);
		free(bands->entries[i].values);
	}
	*bands = (struct bands){0};
}

void bands_add_name(const struct bands *bands, unsigned band, struct strbuf *out)
{
	if (bands->entries[band].label)
		strbuf_add_str(out, bands->entries[band].label);
	else if (bands->has_rest && band == bands->count - 1)
		strbuf_add_str(out, "what no sample saw");
	else
		plot_add_other_processes(bands->others, out);
}

unsigned bands_colour(const struct bands *bands, unsigned band)
{
	return bands->has_rest && band == bands->count - 1 ? BANDS_OWN + 1 : band;
}

static void add_title(const struct bands *bands, unsigned band, enum series_unit unit,
                      struct strbuf *out)
{
	cleanup_(strbuf_done) struct strbuf text = STRBUF_INIT;

	bands_add_name(bands, band, &text);
	if (bands->entries[band].label) {
		strbuf_add_str(&text, "\nmost ");
		plot_add_value(unit, bands->entries[band].most, &text);
	}
	strbuf_add_str(out, "<title>");
	markup_add_str(out, strbuf_str(&text));
	strbuf_add_str(out, "</title>");
}

void bands_add(const struct bands *bands, const struct history *columns, enum series_unit unit,
               struct strbuf *out)
{
	double *below = mem_calloc(columns->column_count + 1, sizeof(below[0]));

	for (unsigned band = 0; band < bands->count; band++) {
		const double *values = bands->entries[band].values;

		strbuf_add_str(out, "<g>");
		add_title(bands, band, unit, out);
		strbuf_addf(out, "<path class=\"s%u\" d=\"", bands_colour(bands, band));
		for (size_t i = 0; i < columns->column_count; i++) {
			const struct history_column *column = &columns->columns[i];
			double scale = bands->top > 0 ? (BANDS_HEIGHT - 2) / bands->top : 0;

			if (values[i] > 0)
				strbuf_addf(out, "M%.1f %.1fH%.1fV%.1fH%.1fz",
				            time_chart_place(columns, column->begin_ns),
				            BANDS_HEIGHT - below[i] * scale,
				            time_chart_place(columns, column->end_ns),
				            BANDS_HEIGHT - (below[i] + values[i]) * scale,
				            time_chart_place(columns, column->begin_ns));
			below[i] += values[i];
		}
		strbuf_add_str(out, "\"/></g>\n");
	}
	free(below);
}
