// SPDX-License-Identifier: GPL-2.0-or-later
#include "fact-above.h"

#include "facts/cgroup-rates.h"

/* Limits of the CPU are in millionths of one. */
enum { CPU_LIMIT_PER_PERCENT = 10000 };

static struct fact_cell number_cell(struct quantity number, bool is_lacking)
{
	return (struct fact_cell){
	        .state = FACT_NUMBER, .number = number, .members = 1, .lacking = is_lacking};
}

/* The name of a cgroup, as the tables have it. */
static struct fact_cell name_cell(const struct fact_build *build, struct span pattern)
{
	const struct key_names *names[SIDE_MAX] = {NULL};

	if (!pattern.text)
		return (struct fact_cell){0};
	for (unsigned side = 0; side < build->set->sides; side++)
		names[side] = build->sides[side].cgroup_names;
	return (struct fact_cell){.state = FACT_TEXT,
	                          .text = key_names_shown(names, build->set->sides, pattern).text};
}

static struct fact_cell bound_cell(const struct cgroup_bound *bound)
{
	return bound->state == FACT_NUMBER
	               ? number_cell(quantity_integer(bound->number), bound->hidden)
	               : (struct fact_cell){.state = bound->state};
}

static struct fact_cell cpu_bound_cell(const struct cgroup_bound *bound)
{
	struct fact_cell cell = bound_cell(bound);

	if (cell.state != FACT_NUMBER)
		return cell;
	cell.number = bound->number % CPU_LIMIT_PER_PERCENT == 0
	                      ? quantity_integer(bound->number / CPU_LIMIT_PER_PERCENT)
	                      : quantity_real((double)bound->number / CPU_LIMIT_PER_PERCENT);
	return cell;
}

static struct fact_cell throttled_cell(const struct cgroup_above *above, uint64_t number,
                                       int64_t rate)
{
	struct fact_cell cell = number_cell(quantity_integer(number), above->throttling_hidden);

	if (!cgroup_above_knows_throttling(above))
		return (struct fact_cell){0};
	if (above->has_rates)
		cell.rate = cgroup_rate_quantity(rate);
	return cell;
}

bool fact_above_cell(const struct fact_build *build, enum fact_derived_id id,
                     const struct cgroup_above *above, struct fact_cell *ret)
{
	const struct cgroup_bound *bounds = above->bounds;

	switch (id) {
	case FACT_DERIVED_throttled_by:
		*ret = name_cell(build, above->by);
		return true;
	case FACT_DERIVED_throttled_by_periods:
		*ret = throttled_cell(above, above->periods, above->periods_rate);
		return true;
	case FACT_DERIVED_throttled_by_usec:
		*ret = throttled_cell(above, above->usec, above->usec_rate);
		return true;
	case FACT_DERIVED_cpu_limit_percent:
		*ret = cpu_bound_cell(&bounds[CGROUP_LIMIT_cpu]);
		return true;
	case FACT_DERIVED_memory_limit:
		*ret = bound_cell(&bounds[CGROUP_LIMIT_memory]);
		return true;
	case FACT_DERIVED_memory_high_limit:
		*ret = bound_cell(&bounds[CGROUP_LIMIT_memory_high]);
		return true;
	case FACT_DERIVED_pids_limit:
		*ret = bound_cell(&bounds[CGROUP_LIMIT_pids]);
		return true;
	case FACT_DERIVED_cpu_limit_by:
		*ret = name_cell(build, bounds[CGROUP_LIMIT_cpu].by);
		return true;
	case FACT_DERIVED_memory_limit_by:
		*ret = name_cell(build, bounds[CGROUP_LIMIT_memory].by);
		return true;
	case FACT_DERIVED_memory_high_limit_by:
		*ret = name_cell(build, bounds[CGROUP_LIMIT_memory_high].by);
		return true;
	case FACT_DERIVED_pids_limit_by:
		*ret = name_cell(build, bounds[CGROUP_LIMIT_pids].by);
		return true;
	default:
		return false;
	}
}
