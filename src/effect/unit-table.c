// SPDX-License-Identifier: GPL-2.0-or-later
#include "effect/unit-table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "effect/fact-table.h"
#include "unit-label.h"

static double *new_values(size_t units)
{
	double *values = mem_calloc(MEASURE_COUNT * units, sizeof(values[0]));

	for (size_t i = 0; i < MEASURE_COUNT * units; i++)
		values[i] = NAN;
	return values;
}

void unit_table_init(struct unit_table *table, struct group_by by, enum measure_per per,
                     size_t units)
{
	*table = (struct unit_table){.by = by,
	                             .per = per,
	                             .units = units,
	                             .totals = new_values(units),
	                             .ends = mem_calloc(units, sizeof(struct unit_ends))};
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (metric_has_rate((enum metric_id)i))
			rate_list_add(&table->rates, (enum metric_id)i);
}

static void group_done(struct unit_group *group)
{
	free(group->label);
	free(group->in);
	free(group->values);
	free(group->shares);
	free(group->began_before);
	free(group->missing);
	free(group);
}

void unit_table_done(struct unit_table *table)
{
	for (size_t i = 0; i < table->map.count; i++)
		if (table->map.entries[i].value)
			group_done(table->map.entries[i].value);
	strmap_done(&table->map);
	free(table->totals);
	free(table->ends);
	*table = (struct unit_table){0};
}

void unit_table_begin(struct unit_table *table, size_t unit, const struct snapshot_info *info)
{
	table->unit = unit;
	group_table_init(&table->groups, table->by);
	table->groups.info = info;
	table->groups.host = &info->host;
	table->groups.lifetime_rates = &table->rates;
	table->groups.window_rates = &table->rates;
}

/* A group that was in none of the earlier units has no values: it cannot be in all of them any more. */
static struct unit_group *group_of(struct unit_table *table, struct span pattern)
{
	struct strmap_entry *entry = strmap_add(&table->map, pattern.text, pattern.len);
	struct unit_group *group = entry->value;

	if (!group) {
		group = entry->value = mem_calloc(1, sizeof(*group));
		group->in = mem_calloc(table->units, sizeof(group->in[0]));
		if (table->filled == 0) {
			group->values = new_values(table->units);
			group->missing = mem_calloc(DERIVED_COUNT, sizeof(group->missing[0]));
		}
	}
	return group;
}

static double value_of(const struct unit_table *table, const struct group *group,
                       const struct derive_frame *frame, unsigned measure)
{
	struct derive_inputs in = group_inputs(group, table->groups.rates, frame);
	struct quantity quantity;

	if (table->per == PER_thread && group->threads == 0 && measure_scales(measure))
		return NAN;
	quantity = measure_inside(measure, table->per, &in);
	if (quantity.kind == QUANTITY_NONE ||
	    !measure_ticks_compare(measure_unit(measure), frame->clock_ticks_per_second,
	                           table->clock_ticks_per_second))
		return NAN;
	return quantity_double(quantity) * measure_ticks_factor(measure_unit(measure),
	                                                        frame->clock_ticks_per_second,
	                                                        table->clock_ticks_per_second);
}

/* Sums of different inputs have no difference. */
static bool has_same_inputs(const struct unit_table *table, struct unit_group *to,
                            const struct group *group, const struct derive_frame *frame,
                            unsigned measure)
{
	struct derive_inputs in = group_inputs(group, table->groups.rates, frame);
	struct metric_set missing = derive_missing(measure_derived(measure), &in);
	struct metric_set *known = &to->missing[measure_derived(measure)];

	if (table->filled == 0)
		*known = missing;
	return metric_set_equal(known, &missing);
}

/* Returns the part of the group's threads that a value is of; of a derived one, that of the input that most threads lack. */
static double share_of(const struct unit_table *table, const struct group *group,
                       const struct derive_frame *frame, unsigned measure)
{
	struct derive_inputs in = group_inputs(group, table->groups.rates, frame);
	struct group_coverage coverage = group_covers_measure(group, &in, measure, false, true);
	const struct derived_desc *derived;

	if (table->per != PER_thread && !measure_is_of_lives(measure) &&
	    group_measure_lacks_exited(group, frame, measure))
		return 0;
	if (measure_is_derived(measure)) {
		derived = &derived_table[measure_derived(measure)];
		for (size_t i = 0; i < derived->input_count; i++) {
			uint32_t seen = group->cells[derived->inputs[i]].seen;

			if (seen > 0 && seen < coverage.seen)
				coverage.seen = seen;
		}
	}
	return coverage.seen < coverage.expected ? coverage.seen / (double)coverage.expected : 1;
}

static void set_share(const struct unit_table *table, struct unit_group *to, unsigned measure,
                      double share)
{
	size_t count = MEASURE_COUNT * table->units;

	if (!to->shares && share == 1)
		return;
	if (!to->shares) {
		to->shares = mem_calloc(count, sizeof(to->shares[0]));
		for (size_t i = 0; i < count; i++)
			to->shares[i] = 1;
	}
	to->shares[measure * table->units + table->unit] = (float)share;
}

static void note_began_before(const struct unit_table *table, struct unit_group *to,
                              const struct group *group, const struct derive_frame *frame,
                              unsigned measure)
{
	struct derive_inputs in = group_inputs(group, table->groups.rates, frame);

	if (measure_began_before(measure, &in) == 0)
		return;
	if (!to->began_before)
		to->began_before =
		        mem_calloc(MEASURE_COUNT * table->units, sizeof(to->began_before[0]));
	to->began_before[measure * table->units + table->unit] = true;
}

static void add_values(struct unit_table *table, struct unit_group *to, const struct group *group,
                       const struct derive_frame *frame)
{
	for (unsigned measure = 0; measure < MEASURE_COUNT; measure++) {
		double value;

		if (measure_is_label(measure))
			continue;
		if (measure_is_derived(measure) &&
		    !has_same_inputs(table, to, group, frame, measure))
			continue;
		value = value_of(table, group, frame, measure);
		to->values[measure * table->units + table->unit] = value;
		if (isnan(value) || measure_is_place(measure))
			continue;
		set_share(table, to, measure, share_of(table, group, frame, measure));
		note_began_before(table, to, group, frame, measure);
	}
}

static void note_ends(struct unit_table *table, const struct group *total)
{
	const struct snapshot_info *info = table->groups.info;

	table->ends[table->unit] = (struct unit_ends){
	        .exits = info->window.exits,
	        .exits_also = info->window.exits_also,
	        .any_ended = total->ended > 0 || total->exited_unseen > 0,
	        .unaccounted_percent = window_unaccounted_percent(info),
	};
}

static void add_totals(struct unit_table *table, const struct derive_frame *frame)
{
	struct group *total = group_table_total(&table->groups);

	for (unsigned measure = 0; measure < MEASURE_COUNT; measure++)
		if (!measure_is_label(measure))
			table->totals[measure * table->units + table->unit] =
			        value_of(table, total, frame, measure);
	note_ends(table, total);
	group_free(total, 0);
}

/* Frees the values of groups that this unit lacks. */
static void drop_absent(struct unit_table *table)
{
	for (size_t i = 0; i < table->map.count; i++) {
		struct unit_group *group = table->map.entries[i].value;

		if (group->in[table->unit])
			continue;
		free(group->values);
		free(group->shares);
		free(group->began_before);
		free(group->missing);
		group->values = NULL;
		group->shares = NULL;
		group->began_before = NULL;
		group->missing = NULL;
	}
}

void unit_table_end(struct unit_table *table)
{
	const unsigned all = (1u << PROCESS_SOURCE_COUNT) - 1;
	struct group_table *groups = &table->groups;
	struct derive_frame frame;
	struct group_reader reader = {0};

	group_table_finish(groups);
	frame = group_table_frame(groups);
	if (table->filled == 0)
		table->clock_ticks_per_second = frame.clock_ticks_per_second;
	for (size_t i = 0; i < groups->map.count; i++) {
		const struct strmap_entry *entry = &groups->map.entries[i];
		struct span pattern = group_table_pattern(groups, entry, 0);
		struct unit_group *group = group_of(table, pattern);

		group_include_exited(groups, entry->value, all, 0);
		unit_label_note(&group->label, &groups->names[0], pattern);
		group->in[table->unit] = 1;
		group->present++;
		if (group->values)
			add_values(table, group, group_read(&reader, entry->value), &frame);
	}
	group_reader_done(&reader);
	add_totals(table, &frame);
	drop_absent(table);
	group_table_done(groups);
	table->filled++;
}

const double *unit_group_values(const struct unit_table *table, const struct unit_group *group,
                                unsigned measure)
{
	return group->values ? &group->values[measure * table->units] : NULL;
}

const float *unit_group_shares(const struct unit_table *table, const struct unit_group *group,
                               unsigned measure)
{
	return group->shares ? &group->shares[measure * table->units] : NULL;
}

const bool *unit_group_began_before(const struct unit_table *table, const struct unit_group *group,
                                    unsigned measure)
{
	return group->began_before ? &group->began_before[measure * table->units] : NULL;
}

struct unit_reading {
	struct snapshot_visitor visitor; /* must stay the first member */
	struct unit_table *tables;
	size_t count;
	struct fact_table *facts;
};

static int add_thread(struct snapshot_visitor *self, struct thread_sample *sample)
{
	struct unit_reading *reading = (struct unit_reading *)self;

	for (size_t i = 0; i < reading->count; i++)
		group_table_add(&reading->tables[i].groups, sample);
	if (sample->has_cgroup && sample_ended_inside(sample))
		fact_table_add_ended(reading->facts, sample);
	return 0;
}

static int add_cgroup(struct snapshot_visitor *self, const struct cgroup_stats *stats)
{
	struct unit_reading *reading = (struct unit_reading *)self;

	fact_table_add(reading->facts, stats);
	return 0;
}

int unit_tables_read(struct unit_table *tables, size_t count, struct fact_table *facts, size_t unit,
                     struct byte_source *source, const struct snapshot_limits *limits,
                     struct snapshot_info *ret_info, struct strbuf *reterr)
{
	struct unit_reading reading = {
	        {.thread = add_thread, .cgroup = add_cgroup}, tables, count, facts};
	int r;

	for (size_t i = 0; i < count; i++)
		unit_table_begin(&tables[i], unit, ret_info);
	fact_table_begin(facts, unit);
	r = snapshot_read(source, limits, &reading.visitor, ret_info, reterr);
	for (size_t i = 0; i < count; i++)
		unit_table_end(&tables[i]);
	fact_table_end(facts, ret_info);
	if (r == 0 && ret_info->kind != KIND_window)
		return -EMEDIUMTYPE;
	return r;
}
