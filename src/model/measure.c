// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/measure.h"

#include <string.h>

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

struct quantity measure_quantity(unsigned measure, const struct fold_cell cells[METRIC_COUNT])
{
	return measure_is_derived(measure)
	               ? derive(measure_derived(measure), cells)
	               : fold_quantity((enum metric_id)measure, &cells[measure]);
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
