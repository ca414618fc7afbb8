// SPDX-License-Identifier: GPL-2.0-or-later
#include "guards.h"

static void set(struct guard_values *values, enum plan_guard guard, double value)
{
	values->known[guard] = true;
	values->values[guard] = value;
}

static void set_steal(const struct snapshot_info *info, struct guard_values *values)
{
	static const enum host_field fields[] = {
	        HOST_user_clock_ticks,   HOST_system_clock_ticks, HOST_idle_clock_ticks,
	        HOST_iowait_clock_ticks, HOST_irq_clock_ticks,    HOST_softirq_clock_ticks,
	        HOST_steal_clock_ticks,
	};
	const struct host *host = &info->host;
	double sum = 0;

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (host->seen[fields[i]])
			sum += (double)host->numbers[fields[i]];
	if (host->seen[HOST_steal_clock_ticks] && sum > 0)
		set(values, PLAN_GUARD_STEAL, (double)host->numbers[HOST_steal_clock_ticks] / sum);
}

static void set_pressure(const struct snapshot_info *info, enum psi_resource resource,
                         enum plan_guard guard, struct guard_values *values)
{
	const struct psi_line *line = &info->psi.lines[resource][PSI_ROW_some];
	const double ns_per_usec = 1000;
	uint64_t interval = info->host.numbers[HOST_pressure_interval_ns];

	if (line->seen && info->host.seen[HOST_pressure_interval_ns] && interval > 0)
		set(values, guard, (double)line->total_usec * ns_per_usec / (double)interval);
}

void guard_values_of(const struct snapshot_info *info, struct guard_values *ret)
{
	static const enum window_number lost[] = {WINDOW_threads_lost, WINDOW_threads_missed};
	double sum = 0;

	*ret = (struct guard_values){0};
	set_steal(info, ret);
	set_pressure(info, PSI_cpu, PLAN_GUARD_PSI_CPU, ret);
	set_pressure(info, PSI_io, PLAN_GUARD_PSI_IO, ret);
	set_pressure(info, PSI_memory, PLAN_GUARD_PSI_MEMORY, ret);
	if (!window_exits_are_known(info->window.exits))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(lost); i++)
		if (info->window.seen[lost[i]])
			sum += (double)info->window.numbers[lost[i]];
	set(ret, PLAN_GUARD_LOST, sum);
}

static void add_value(enum plan_guard guard, double value, struct strbuf *out)
{
	if (guard == PLAN_GUARD_LOST)
		strbuf_addf(out, "%.0f", value);
	else
		strbuf_addf(out, "%.3g%%", value * 100);
}

enum guard_answer guard_judge(const struct plan *plan, const struct guard_values *values,
                              struct strbuf *reason)
{
	for (unsigned i = 0; i < PLAN_GUARD_COUNT; i++) {
		const struct plan_limit *limit = &plan->guards[i];

		if (!limit->given)
			continue;
		if (!values->known[i]) {
			strbuf_addf(reason, "the guard %s has no value on this host",
			            plan_guard_names[i]);
			return GUARD_UNKNOWN;
		}
		if (values->values[i] < limit->limit ||
		    (limit->inclusive && values->values[i] <= limit->limit))
			continue;
		strbuf_add_str(reason, "the guard ");
		plan_add_guard(plan, (enum plan_guard)i, reason);
		strbuf_add_str(reason, " does not hold: ");
		add_value((enum plan_guard)i, values->values[i], reason);
		return GUARD_BROKEN;
	}
	return GUARD_HOLDS;
}
