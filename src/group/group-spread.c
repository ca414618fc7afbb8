// SPDX-License-Identifier: GPL-2.0-or-later
#include "group-spread.h"

#include <string.h>

#include "base/mem.h"
#include "group-rates.h"
#include "measure/measure.h"

/* Returns the divisor of the values that are kept of the measure. */
static enum measure_per per_of(const struct group_table *table, unsigned measure)
{
	enum snapshot_kind kind = table->rates == table->window_rates ? KIND_window : KIND_lifetime;

	if (!measure_scales(measure))
		return PER_total;
	return table->spread_per == PER_COUNT ? measure_per_default(kind) : table->spread_per;
}

static void add_rate(const struct group_table *table, struct spread *spread,
                     const struct thread_sample *sample, enum metric_id metric)
{
	uint64_t interval_ns = group_rates_interval_ns(table, sample, metric);
	struct rate_sum rate = {0};

	if (interval_ns == 0)
		return;
	rate_add(&rate, sample_inside(sample, metric), interval_ns);
	spread_add_real(spread, rate_value(rate));
}

static void add_metric(struct spread *spread, const struct thread_sample *sample,
                       enum metric_id metric)
{
	const void *value = sample_value(sample, metric);
	uint64_t number;
	uint32_t small;
	int32_t negative;

	switch (metric_type_table[metric_table[metric].type].representation) {
	case REPRESENTATION_U64:
		memcpy(&number, value, sizeof(number));
		/* No event has happened yet: there is no smallest value. */
		if (metric_table[metric].rule != RULE_MIN || number > 0)
			spread_add_u64(spread, number);
		break;
	case REPRESENTATION_U32:
		memcpy(&small, value, sizeof(small));
		spread_add_u64(spread, small);
		break;
	case REPRESENTATION_I32:
		memcpy(&negative, value, sizeof(negative));
		spread_add_i64(spread, negative);
		break;
	case REPRESENTATION_TEXT:
	case REPRESENTATION_LETTER:
	case REPRESENTATION_FLAG:
	case REPRESENTATION_CPUS:
		break;
	}
}

/* A derived metric of one thread is that of a group of one. */
static void add_derived(const struct group_table *table, struct spread *spread,
                        const struct thread_sample *sample, enum derived_id derived,
                        enum measure_per per)
{
	bool by_rates = basis_is_of_rates(derived_table[derived].basis) || per == PER_second;
	const struct derived_desc *desc = &derived_table[derived];
	struct fold_cell cells[METRIC_COUNT];
	struct rate_list list = {0};
	struct rate_sum rates[DERIVED_INPUTS_MAX] = {{0}};
	struct delays_beyond delays_beyond = {0};
	struct derive_frame frame = group_table_frame(table);
	struct derive_inputs in = {.cells = cells,
	                           .rate_list = &list,
	                           .rates = rates,
	                           .delays_beyond = &delays_beyond,
	                           .frame = &frame};
	struct quantity value;

	cells[METRIC_lived_ns] = (struct fold_cell){0};
	for (size_t i = 0; i < desc->input_count; i++) {
		enum metric_id input = desc->inputs[i];

		cells[input] = (struct fold_cell){0};
		if (metric_set_has(&sample->seen, input))
			metric_table[input].fold(&cells[input], sample_value(sample, input));
		else if (i < desc->needed_count)
			return;
		if (by_rates && cells[input].seen > 0)
			cells[input].number = sample_inside(sample, input);
		else if (cells[input].seen > 0 &&
		         (desc->basis == BASIS_LIFE || desc->basis == BASIS_SHARE))
			cells[input].number = sample_state_inside(sample, input);
		if (!by_rates)
			continue;
		if (table->process.interval_ns == 0)
			return;
		rate_list_add(&list, input);
		rate_add(&rates[list.places[input] - 1u], (uint64_t)cells[input].number,
		         group_rates_interval_ns(table, sample, input));
	}
	if (desc->basis == BASIS_PARTS && by_rates)
		group_rates_note_delays_beyond(&delays_beyond, sample, table->process.interval_ns);
	value = per == PER_second ? derive_per_second(derived, &in) : derive(derived, &in);
	if (value.kind != QUANTITY_NONE)
		spread_add_real(spread, quantity_double(value));
}

void group_spread_add(const struct group_table *table, struct group *group,
                      const struct thread_sample *sample)
{
	if (table->spread_count == 0)
		return;
	if (!group->spreads)
		group->spreads = mem_calloc(table->spread_count, sizeof(group->spreads[0]));
	for (size_t i = 0; i < table->spread_count; i++) {
		unsigned measure = table->spread_measures[i];
		enum measure_per per = per_of(table, measure);

		/* A thread's own CPU time may be too short to divide by. */
		if (per == PER_cpu_second)
			continue;
		if (measure_is_derived(measure))
			add_derived(table, &group->spreads[i], sample, measure_derived(measure),
			            per);
		else if (!metric_set_has(&sample->seen, (enum metric_id)measure))
			continue;
		else if (per == PER_second)
			add_rate(table, &group->spreads[i], sample, (enum metric_id)measure);
		else
			add_metric(&group->spreads[i], sample, (enum metric_id)measure);
	}
}
