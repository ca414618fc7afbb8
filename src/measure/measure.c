// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/measure.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"

const char *measure_name(unsigned measure)
{
	return measure_is_derived(measure) ? derived_table[measure_derived(measure)].name
	                                   : metric_table[measure].name;
}

enum metric_unit measure_unit(unsigned measure)
{
	return measure_is_derived(measure) ? derived_table[measure_derived(measure)].unit
	                                   : metric_unit((enum metric_id)measure);
}

enum metric_section measure_section(unsigned measure)
{
	return measure_is_derived(measure) ? derived_table[measure_derived(measure)].section
	                                   : metric_table[measure].section;
}

const char *measure_type(unsigned measure)
{
	return measure_is_derived(measure) ? "derived"
	                                   : metric_type_table[metric_table[measure].type].name;
}

bool measure_is_label(unsigned measure)
{
	return !measure_is_derived(measure) && metric_table[measure].rule == RULE_MODE;
}

bool measure_is_place(unsigned measure)
{
	return !measure_is_derived(measure) && (metric_table[measure].rule == RULE_RANGE ||
	                                        metric_table[measure].rule == RULE_AFFINITY);
}

bool measure_has_any(unsigned measure, const struct metric_set *metrics)
{
	const struct derived_desc *derived;

	if (!measure_is_derived(measure))
		return metric_set_has(metrics, (enum metric_id)measure);
	derived = &derived_table[measure_derived(measure)];
	for (size_t i = 0; i < derived->input_count; i++)
		if (metric_set_has(metrics, derived->inputs[i]))
			return true;
	return false;
}

const struct measure_per_desc measure_per_table[PER_COUNT] = {
        [PER_total] = {"total", ""},
        [PER_second] = {"second", "/s"},
        [PER_thread] = {"thread", "/thread"},
        [PER_cpu_second] = {"cpu-second", "/CPU-s"},
};

/* clang-format off */
static const char *const unit_names[][PER_COUNT] = {
#define UNIT(id_, name_, suffix_, ...)              \
	[UNIT_##id_] = {                            \
		[PER_total] = name_,                \
		[PER_second] = name_ "/s",          \
		[PER_thread] = name_ "/thread",     \
		[PER_cpu_second] = name_ "/cpu-second", \
	},
#include "units.def"
#undef UNIT
};
/* clang-format on */

const char *unit_name_per(enum metric_unit unit, enum measure_per per)
{
	return unit_names[unit][per];
}

const char *measure_unit_name(unsigned measure, enum measure_per per)
{
	return unit_name_per(measure_unit(measure), measure_scales(measure) ? per : PER_total);
}

enum measure_per measure_per_default(enum snapshot_kind kind)
{
	return kind == KIND_window ? PER_second : PER_total;
}

bool measure_is_extreme(unsigned measure)
{
	return !measure_is_derived(measure) &&
	       (metric_table[measure].rule == RULE_MAX || metric_table[measure].rule == RULE_MIN);
}

bool measure_is_of_lives(unsigned measure)
{
	return measure_is_derived(measure) &&
	       derived_table[measure_derived(measure)].basis == BASIS_LIFE;
}

bool measure_is_amount(unsigned measure, enum measure_per per)
{
	if (per == PER_thread || per == PER_cpu_second)
		return !measure_scales(measure) && measure_is_amount(measure, PER_total);
	if (!measure_is_derived(measure))
		return metric_table[measure].rule == RULE_SUM || measure_is_extreme(measure);
	switch (derived_table[measure_derived(measure)].basis) {
	case BASIS_ADDS:
	case BASIS_PARTS:
	case BASIS_RATES:
	case BASIS_RATE_PARTS:
	case BASIS_LEVELS:
		return true;
	case BASIS_SUMS:
	case BASIS_SHARE:
	case BASIS_LIFE:
		break;
	}
	return false;
}

bool measure_scales(unsigned measure)
{
	enum derived_basis basis;

	if (!measure_is_derived(measure))
		return metric_has_rate((enum metric_id)measure);
	basis = derived_table[measure_derived(measure)].basis;
	return basis == BASIS_ADDS || basis == BASIS_PARTS;
}

static struct quantity total(unsigned measure, const struct derive_inputs *in)
{
	return measure_is_derived(measure)
	               ? derive(measure_derived(measure), in)
	               : fold_quantity((enum metric_id)measure, &in->cells[measure]);
}

static struct quantity per_second(unsigned measure, const struct derive_inputs *in)
{
	enum metric_id metric = (enum metric_id)measure;

	if (measure_is_derived(measure))
		return derive_per_second(measure_derived(measure), in);
	if (in->cells[metric].seen == 0 || !in->rates || !in->rate_list ||
	    in->rate_list->places[metric] == 0)
		return (struct quantity){0};
	return quantity_real(derive_rate(in, metric));
}

/* Returns the number of threads whose value is included. */
static uint32_t threads_in(unsigned measure, const struct derive_inputs *in)
{
	return measure_is_derived(measure) ? derive_threads(measure_derived(measure), in)
	                                   : in->cells[measure].seen;
}

/* Returns the work of the group's own threads, the only part that is divided by their number. */
static struct quantity per_thread(unsigned measure, const struct derive_inputs *in)
{
	struct fold_cell cells[METRIC_COUNT];
	struct derive_inputs living = {.cells = cells, .frame = in->frame};
	struct quantity sum;
	uint32_t threads;

	memcpy(cells, in->cells, sizeof(cells));
	for (unsigned i = 0; i < PROCESS_TOTAL_COUNT; i++) {
		enum metric_id metric = process_total_table[i].metric;

		cells[metric].number -= in->exited ? in->exited[i] : 0;
		cells[metric].seen -= in->covered ? in->covered[i] : 0;
	}
	threads = threads_in(measure, &living);
	if (threads == 0)
		return (struct quantity){0};
	sum = total(measure, &living);
	return sum.kind == QUANTITY_NONE ? sum : quantity_real(quantity_double(sum) / threads);
}

/* Reduces sums to the part that can have been in the window, as the CPU time was. */
static void cut_before(struct fold_cell cells[static METRIC_COUNT],
                       const struct wait_before *before)
{
	for (unsigned i = 0; before && i < METRIC_COUNT; i++)
		if (before[i].threads > 0)
			cells[i].number -= before[i].beyond_ns < cells[i].number
			                           ? before[i].beyond_ns
			                           : cells[i].number;
}

/* Returns a sum of delays without the time that the threads' lives have no room for; other sums as they are, also below zero. */
static double within_lives(double sum, unsigned measure, const struct derive_inputs *in)
{
	enum evicted evicted;

	if (!measure_is_derived(measure) || !in->delays_beyond ||
	    derived_table[measure_derived(measure)].basis != BASIS_PARTS)
		return sum;
	evicted = derive_evicted(in->cells[METRIC_swapin_delay_total_ns].number,
	                         in->cells[METRIC_thrashing_delay_total_ns].number);
	return fmax(sum - (double)in->delays_beyond->ns[evicted], 0);
}

static struct quantity per_cpu_second(unsigned measure, const struct derive_inputs *in)
{
	const struct fold_cell *run_time = &in->cells[METRIC_run_time_ns];
	struct fold_cell cells[METRIC_COUNT];
	struct derive_inputs inside = *in;
	struct quantity sum;

	memcpy(cells, in->cells, sizeof(cells));
	cut_before(cells, in->before);
	inside.cells = cells;
	inside.before = NULL;
	sum = total(measure, &inside);
	if (sum.kind == QUANTITY_NONE || run_time->seen != threads_in(measure, in) ||
	    run_time->number == 0)
		return (struct quantity){0};
	return quantity_real(within_lives(quantity_double(sum), measure, &inside) * NS_PER_SECOND /
	                     (double)run_time->number);
}

struct quantity measure_quantity(unsigned measure, enum measure_per per,
                                 const struct derive_inputs *in)
{
	if (!measure_scales(measure))
		return total(measure, in);
	switch (per) {
	case PER_second:
		return per_second(measure, in);
	case PER_thread:
		return per_thread(measure, in);
	case PER_cpu_second:
		return per_cpu_second(measure, in);
	case PER_total:
	case PER_COUNT:
		break;
	}
	return total(measure, in);
}

struct quantity measure_inside(unsigned measure, enum measure_per per,
                               const struct derive_inputs *in)
{
	struct fold_cell cells[METRIC_COUNT];
	struct derive_inputs inside = *in;

	if (!in->before ||
	    (measure_scales(measure) && (per == PER_second || per == PER_cpu_second)))
		return measure_quantity(measure, per, in);
	memcpy(cells, in->cells, sizeof(cells));
	cut_before(cells, in->before);
	inside.cells = cells;
	inside.before = NULL;
	return measure_quantity(measure, per, &inside);
}

uint32_t measure_began_before(unsigned measure, const struct derive_inputs *in)
{
	const struct derived_desc *derived;
	uint32_t most = 0;

	if (!measure_is_derived(measure))
		return derive_began_before(in, (enum metric_id)measure);
	derived = &derived_table[measure_derived(measure)];
	for (size_t i = 0; i < derived->input_count; i++) {
		uint32_t threads = derive_began_before(in, derived->inputs[i]);

		most = threads > most ? threads : most;
	}
	return most;
}

bool measure_find(const char *name, size_t len, unsigned *ret_measure)
{
	for (unsigned i = 0; i < MEASURE_COUNT; i++)
		if (strlen(measure_name(i)) == len && memcmp(measure_name(i), name, len) == 0) {
			*ret_measure = i;
			return true;
		}
	return false;
}
