// SPDX-License-Identifier: GPL-2.0-or-later
#include "effect/fact-table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/mem.h"
#include "base/text.h"
#include "facts/cgroup-gone.h"
#include "facts/fact-derive.h"
#include "unit-label.h"

void fact_table_init(struct fact_table *table, bool literal_cgroups, enum measure_per per,
                     size_t units)
{
	*table = (struct fact_table){
	        .by = group_by_key(GROUP_KEY_cgroup, false),
	        .per = per == PER_total ? PER_total : PER_second,
	        .units = units,
	};
	table->by.literal_cgroups = literal_cgroups;
}

void fact_table_done(struct fact_table *table)
{
	for (size_t i = 0; i < table->map.count; i++) {
		struct fact_series *series = table->map.entries[i].value;

		free(series->metric);
		free(series->values);
		free(series);
	}
	for (size_t i = 0; i < table->labels.count; i++) {
		struct fact_label *label = table->labels.entries[i].value;

		free(label->text);
		free(label);
	}
	strmap_done(&table->map);
	strmap_done(&table->labels);
	*table = (struct fact_table){0};
}

void fact_table_begin(struct fact_table *table, size_t unit)
{
	table->unit = unit;
	cgroup_table_init(&table->cgroups);
	group_table_init(&table->names, table->by);
}

void fact_table_add(struct fact_table *table, const struct cgroup_stats *stats)
{
	struct span pattern = group_table_cgroup(&table->names, strbuf_str(&stats->path),
	                                         stats->path.len, stats->is_v1);

	cgroup_table_add(&table->cgroups, pattern, stats);
}

void fact_table_add_ended(struct fact_table *table, const struct thread_sample *sample)
{
	struct span pattern = group_table_cgroup(&table->names, strbuf_str(&sample->cgroup),
	                                         sample->cgroup.len, sample->cgroup_is_v1);

	cgroup_gone_add(&table->cgroups, pattern, &sample->cgroup, sample->cgroup_is_v1);
}

/* Leaves out settings, averages over more time than a window has, values of the cgroups above, and values that lack a
 * cgroup. */
static bool is_tested(const struct fact_row *row)
{
	if (row->sides[0].state != FACT_NUMBER || fact_row_is_partial(row, 0))
		return false;
	if (row->section == SECTION_pressure || row->section == SECTION_host_pressure)
		return row->unit == UNIT_us;
	if (row->section != SECTION_cgroup_stats)
		return true;
	return row->id >= CGROUP_VALUE_COUNT
	               ? row->id < FACT_ID_DERIVED
	               : cgroup_value_table[row->id].window != FACT_WINDOW_RISEN;
}

static struct fact_label *label_of(struct fact_table *table, const char *pattern)
{
	struct strmap_entry *entry = strmap_add(&table->labels, pattern, strlen(pattern));

	if (!entry->value)
		entry->value = mem_calloc(1, sizeof(struct fact_label));
	return entry->value;
}

static bool is_of_host(const struct fact_row *row)
{
	return row->section == SECTION_host_pressure || row->section == SECTION_host_cpu;
}

static struct fact_series *new_series(struct fact_table *table, const struct fact_row *row)
{
	struct fact_series *series = mem_calloc(1, sizeof(*series));

	*series = (struct fact_series){
	        .metric = mem_copy(row->metric, strlen(row->metric)),
	        .unit = row->unit,
	        .per = row->per,
	        .label = is_of_host(row) ? NULL : label_of(table, row->group),
	        .values = mem_calloc(table->units, sizeof(series->values[0])),
	};
	for (size_t i = 0; i < table->units; i++)
		series->values[i] = NAN;
	return series;
}

/* A value that the first unit lacks cannot be in all of them. */
static void add_row(struct fact_table *table, uint64_t clock_ticks_per_second,
                    const struct fact_row *row)
{
	cleanup_(strbuf_done) struct strbuf key = STRBUF_INIT;
	struct fact_series *series;

	strbuf_add_str(&key, row->metric);
	if (!is_of_host(row))
		strbuf_addf(&key, "@%s", row->group);
	series = strmap_get(&table->map, key.data, key.len);
	if (!series && table->filled > 0)
		return;
	if (!series)
		strmap_add(&table->map, key.data, key.len)->value = series = new_series(table, row);
	if (series->per == row->per &&
	    measure_ticks_compare(row->unit, clock_ticks_per_second, table->clock_ticks_per_second))
		series->values[table->unit] =
		        quantity_double(row->sides[0].number) *
		        measure_ticks_factor(row->unit, clock_ticks_per_second,
		                             table->clock_ticks_per_second);
}

/* The labels come from the names of the unit, as those of groups of threads do. */
static void note_labels(struct fact_table *table)
{
	for (size_t i = 0; i < table->cgroups.map.count; i++) {
		const struct strmap_entry *entry = &table->cgroups.map.entries[i];
		struct span pattern = {entry->key, entry->key_len};
		cleanup_(strbuf_done) struct strbuf escaped = STRBUF_INIT;

		text_add_escaped(&escaped, pattern.text, pattern.len);
		unit_label_note(&label_of(table, strbuf_str(&escaped))->text,
		                &table->names.names[0], pattern);
	}
}

void fact_table_end(struct fact_table *table, const struct snapshot_info *info)
{
	const struct fact_side side = {.cgroups = &table->cgroups, .info = info};
	struct fact_row_options options = {.unchanged = true, .per = table->per};
	uint64_t clock_ticks_per_second = derive_frame_of(info).clock_ticks_per_second;
	struct fact_row_set set;

	if (table->filled == 0)
		table->clock_ticks_per_second = clock_ticks_per_second;
	cgroup_table_finish(&table->cgroups);
	options.sections[SECTION_cgroup_stats] = options.sections[SECTION_pressure] = true;
	options.sections[SECTION_host_pressure] = options.sections[SECTION_host_cpu] = true;
	fact_rows_init(&set, &side, 1, &options);
	note_labels(table);
	for (size_t i = 0; i < set.count; i++)
		if (is_tested(&set.rows[i]))
			add_row(table, clock_ticks_per_second, &set.rows[i]);
	fact_rows_done(&set);
	cgroup_table_done(&table->cgroups);
	group_table_done(&table->names);
	table->filled++;
}

static bool fits(const char *glob, const char *name)
{
	return glob_match_name(glob, name, strlen(name));
}

static bool fits_pressure(const char *glob)
{
	for (unsigned resource = 0; resource < PSI_RESOURCE_COUNT; resource++)
		for (unsigned row = 0; row < PSI_ROW_COUNT; row++) {
			cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;

			strbuf_addf(&name, "%s_%s_total", psi_resource_names[resource],
			            psi_row_names[row]);
			if (fits(glob, strbuf_str(&name)))
				return true;
		}
	return false;
}

static bool fits_io(const char *glob)
{
	for (size_t i = 0; i < cgroup_key_count; i++) {
		cleanup_(strbuf_done) struct strbuf name = STRBUF_INIT;

		strbuf_addf(&name, "io_%s", cgroup_key_table[i].key);
		if (cgroup_key_table[i].list == CGROUP_LIST_io_stat &&
		    fits(glob, strbuf_str(&name)))
			return true;
	}
	return false;
}

bool fact_metric_fits(const char *glob, bool of_host)
{
	if (fits_pressure(glob) || (!of_host && fits_io(glob)))
		return true;
	for (unsigned i = 0; of_host && i < FACT_DERIVED_COUNT; i++)
		if (fact_derived_table[i].section == SECTION_host_cpu &&
		    fits(glob, fact_derived_table[i].name))
			return true;
	for (unsigned i = 0; !of_host && i < CGROUP_VALUE_COUNT; i++)
		if (cgroup_value_table[i].section == SECTION_cgroup_stats &&
		    cgroup_value_table[i].window != FACT_WINDOW_RISEN &&
		    fits(glob, cgroup_value_table[i].name))
			return true;
	return false;
}
