// SPDX-License-Identifier: GPL-2.0-or-later
#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"

void plot_show_default(bool shown[SERIES_COUNT])
{
	for (unsigned i = 0; i < SERIES_COUNT; i++)
		shown[i] = series_panels[series_rows[i].panel].is_default;
}

bool plot_has_lines(const struct plot *plot)
{
	for (unsigned i = 0; i < SERIES_COUNT; i++)
		if (plot->shown[i] && series_has(plot->series, (enum series_id)i))
			return true;
	return false;
}

static void merge(struct series_record *into, const struct series_record *record)
{
	into->time_ns = record->time_ns;
	for (unsigned i = 0; i < SERIES_COUNT; i++)
		if (isnan(into->values[i]) || record->values[i] > into->values[i])
			into->values[i] = record->values[i];
}

/* A record has maxima, and so has one of several records. The first one is a moment, and stays by itself. */
static void copy_records(struct picture *picture, const struct series *series, size_t most)
{
	size_t each = (series->count + most - 1) / most;

	picture->records = mem_calloc(series->count / each + 2, sizeof(picture->records[0]));
	for (size_t i = 0; i < series->count; i++) {
		if (i == 0 || (i - 1) % each == 0)
			picture->records[picture->count++] = series->records[i];
		else
			merge(&picture->records[picture->count - 1], &series->records[i]);
	}
}

static double most_of(const struct picture *picture, enum series_id id)
{
	double most = NAN;

	for (size_t i = 0; i < picture->count; i++)
		if (isnan(most) || picture->records[i].values[id] > most)
			most = picture->records[i].values[id];
	return most;
}

static void add_panels(struct picture *picture, const struct plot *plot)
{
	for (unsigned p = 0; p < SERIES_PANEL_COUNT; p++) {
		struct panel panel = {.id = (enum series_panel)p};

		for (unsigned i = 0; i < SERIES_COUNT && panel.count < PANEL_LINES; i++) {
			double most = most_of(picture, (enum series_id)i);

			if (series_rows[i].panel != panel.id || !plot->shown[i] || isnan(most))
				continue;
			panel.lines[panel.count++] = (enum series_id)i;
			panel.most = fmax(panel.most, most);
		}
		if (panel.count > 0)
			picture->panels[picture->panel_count++] = panel;
	}
}

static void add_escaped(struct strbuf *out, const char *text)
{
	text_add_escaped(out, text, strlen(text));
}

static void add_seconds(struct strbuf *out, double seconds)
{
	const double exact_below = 100;

	if (seconds < exact_below)
		strbuf_addf(out, "%.1f s", seconds);
	else
		axis_add_time((uint64_t)(seconds + 0.5), out);
}

/* Returns a number of the description, which may hold anything; NaN if it is not a sensible one. */
static double fact(const struct job_info *info, const char *name)
{
	const double most = 1e18;
	double number = job_info_number(info, name);

	return number >= 0 && number <= most ? number : NAN;
}

static void add_facts(struct picture *picture, const struct plot *plot)
{
	struct strbuf *out = &picture->facts;
	double wall = fact(plot->info, "wall_clock_time"), code = fact(plot->info, "exit_code");
	const size_t records = plot->series->count;

	strbuf_addf(out, "%zu record%s over ", records, records == 1 ? "" : "s");
	add_seconds(out, picture_seconds(&plot->series->records[records - 1]));
	if (wall >= 0) {
		strbuf_add_str(out, ", wall ");
		add_seconds(out, wall);
	}
	if (!isnan(code))
		strbuf_addf(out, ", exit code %.0f", code);
	strbuf_add_str(out, "; ");
	add_escaped(out, plot->name);
}

double picture_seconds(const struct series_record *record)
{
	return (double)record->time_ns / (double)NS_PER_SECOND;
}

void picture_init(struct picture *picture, const struct plot *plot, size_t most)
{
	const char *command = job_info_text(plot->info, "command");

	*picture = (struct picture){0};
	copy_records(picture, plot->series, most);
	picture->seconds = picture_seconds(&picture->records[picture->count - 1]);
	if (!(picture->seconds > 0))
		picture->seconds = 1;
	add_panels(picture, plot);
	add_escaped(&picture->title, command ? command : plot->name);
	add_facts(picture, plot);
}

void plot_add_value(enum series_unit unit, double value, struct strbuf *out)
{
	axis_add_value(unit, value, out);
}

void plot_add_head(const struct plot *plot, struct strbuf *out)
{
	struct picture picture;

	picture_init(&picture, plot, 1);
	strbuf_addf(out, "%s\n%s\n", strbuf_str(&picture.title), strbuf_str(&picture.facts));
	picture_done(&picture);
}

void picture_done(struct picture *picture)
{
	free(picture->records);
	strbuf_done(&picture->title);
	strbuf_done(&picture->facts);
	*picture = (struct picture){0};
}

void picture_add_label(const struct picture *picture, enum series_id id, enum label_form form,
                       struct strbuf *out)
{
	strbuf_add_str(out, series_rows[id].label);
	if (form == LABEL_NAME)
		return;
	strbuf_add_str(out, form == LABEL_FULL ? ", max " : " ");
	axis_add_value(series_panels[series_rows[id].panel].unit, most_of(picture, id), out);
}

void picture_add_limit(const struct plot *plot, enum series_panel panel, struct strbuf *out)
{
	double cpus = fact(plot->info, "cpu_total"), memory = fact(plot->info, "memory_total");

	if (panel == SERIES_PANEL_cpu && cpus > 0)
		strbuf_addf(out, "host: %.0f CPU%s", cpus, cpus == 1 ? "" : "s");
	if (panel == SERIES_PANEL_memory && memory > 0) {
		strbuf_add_str(out, "host: ");
		axis_add_value(SERIES_UNIT_bytes, memory, out);
	}
}
