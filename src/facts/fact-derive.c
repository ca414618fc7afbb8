// SPDX-License-Identifier: GPL-2.0-or-later
/* The formulas are those of the tools that the registry names, with one difference: no result is cut off. */
#include "facts/fact-derive.h"
#include "base/clock.h"

#include "ctprof/base/macro.h"
#include "facts/cgroup-rates.h"

/* clang-format off */
const struct fact_derived_desc fact_derived_table[FACT_DERIVED_COUNT] = {
#define FACT_DERIVED(id_, per_, unit_, section_, formula_, tool_, text_)                           \
	[FACT_DERIVED_##id_] = {                                                                   \
		.name = #id_,                                                                      \
		.description = text_,                                                              \
		.formula = formula_,                                                               \
		.tool = tool_,                                                                     \
		.unit = UNIT_##unit_,                                                              \
		.per = PER_##per_,                                                                 \
		.section = SECTION_##section_,                                                     \
	},
#include CTPROF_FACT_DERIVED_DEF
#undef FACT_DERIVED
};
/* clang-format on */

/* Rounds to the nearest 2^-32, so that equal quotients are equal to the bit: 3 s of 30 s and 6 s of 60 s. */
static struct quantity quotient(unsigned __int128 numerator, unsigned __int128 denominator)
{
	enum { FRACTION_BITS = 32 };
	unsigned __int128 whole, rest;

	if (denominator == 0)
		return (struct quantity){0};
	whole = numerator / denominator;
	rest = ((numerator % denominator) << FRACTION_BITS) + denominator / 2;
	return quantity_real((double)whole +
	                     (double)(rest / denominator) / (double)(UINT64_C(1) << FRACTION_BITS));
}

/* The parts of the time of all CPUs in /proc/stat, in its order, without guests, whose time is part of the user
 * time. */
static const enum host_field cpu_time_fields[] = {
        HOST_user_clock_ticks,   HOST_system_clock_ticks, HOST_idle_clock_ticks,
        HOST_iowait_clock_ticks, HOST_irq_clock_ticks,    HOST_softirq_clock_ticks,
        HOST_steal_clock_ticks,
};

/* Returns the sum of the first fields; 0 if one of them is not known. */
static uint64_t clock_ticks_of(const struct host *host, size_t fields)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < fields; i++)
		if (!host->seen[cpu_time_fields[i]] ||
		    __builtin_add_overflow(sum, host->numbers[cpu_time_fields[i]], &sum))
			return 0;
	return sum;
}

static uint64_t all_clock_ticks(const struct host *host)
{
	return clock_ticks_of(host, ARRAY_SIZE(cpu_time_fields));
}

/* Returns docker's time of the system: the first seven numbers of the line, without the time that a hypervisor gave to
 * others. */
static uint64_t docker_clock_ticks(const struct host *host)
{
	return clock_ticks_of(host, ARRAY_SIZE(cpu_time_fields) - 1);
}

/* An unknown sum makes the denominator 0. */
static struct quantity share_of_host(const struct host *host, uint64_t clock_ticks)
{
	return quotient((unsigned __int128)clock_ticks * 100, all_clock_ticks(host));
}

static struct quantity share_of_field(const struct host *host, enum host_field field)
{
	return share_of_host(host, host->numbers[field]);
}

static struct quantity busy_share(const struct host *host)
{
	uint64_t all = all_clock_ticks(host);

	return share_of_host(host, all > 0 ? all - host->numbers[HOST_idle_clock_ticks] : 0);
}

/* Returns how long the numbers of the snapshot have counted; 0 if that is not known. */
static uint64_t length_ns(const struct snapshot_info *info)
{
	if (info->kind == KIND_window)
		return derive_frame_of(info).length_ns;
	return info->host.seen[HOST_uptime_ns] ? info->host.numbers[HOST_uptime_ns] : 0;
}

/* Returns how long the numbers of /proc/stat have counted; files without that number have the snapshot's own time
 * only. */
static uint64_t stat_interval_ns(const struct snapshot_info *info)
{
	const struct host *host = &info->host;

	return host->seen[HOST_stat_interval_ns] ? host->numbers[HOST_stat_interval_ns]
	                                         : length_ns(info);
}

static struct quantity forks_per_second(const struct snapshot_info *info)
{
	if (!info->host.seen[HOST_forks])
		return (struct quantity){0};
	return quotient((unsigned __int128)info->host.numbers[HOST_forks] * NS_PER_SECOND,
	                stat_interval_ns(info));
}

/* Computes the CPU time of the cgroup in ns per second of its own interval, as cgroup-rates.h has rates, from the
 * hierarchy that it is in. Returns false if that is not known, or counts from the birth of the cgroup, whose time is
 * not in the snapshot. */
static bool usage_rate(const struct snapshot_info *info, const struct cgroup_stats *stats,
                       const struct cgroup_stats *rates, unsigned __int128 *ret)
{
	const struct cgroup_stats *from = rates ? rates : stats;
	const struct fact_value *usec = &from->values[CGROUP_VALUE_cpu_usage_usec];
	const struct fact_value *ns = &from->values[CGROUP_VALUE_cpuacct_usage_ns];
	const struct fact_value *value = usec->state == FACT_NUMBER ? usec : ns;
	uint64_t length = length_ns(info);

	/* A snapshot may hold any number. */
	if (info->kind != KIND_window || value->state != FACT_NUMBER || value->number < 0 ||
	    (!rates && length == 0))
		return false;
	*ret = (unsigned __int128)(rates ? value->number
	                                 : cgroup_rate((uint64_t)value->number, length)) *
	       (value == usec ? NS_PER_US : 1);
	return true;
}

/* Both are rates, so that the two intervals may differ. */
static struct quantity percent_docker(const struct snapshot_info *info,
                                      const struct cgroup_stats *stats,
                                      const struct cgroup_stats *rates)
{
	struct derive_frame frame = derive_frame_of(info);
	enum { TICK_RATE_BITS = 32 };
	uint64_t cpu_ticks_per_second, stat_ns = stat_interval_ns(info);
	unsigned __int128 usage, ticks = docker_clock_ticks(&info->host);

	if (!usage_rate(info, stats, rates, &usage) || stat_ns == 0 ||
	    __builtin_mul_overflow(frame.clock_ticks_per_second, frame.online_cpus,
	                           &cpu_ticks_per_second) ||
	    cpu_ticks_per_second == 0 || cpu_ticks_per_second > UINT32_MAX)
		return (struct quantity){0};
	/* 64 + 30 + 32 bits; before the division 63 + 10 + 7 + 32 + 12. */
	ticks = (ticks * NS_PER_SECOND << TICK_RATE_BITS) / stat_ns;
	return quotient(usage * 100 * cpu_ticks_per_second << (TICK_RATE_BITS - CGROUP_RATE_BITS),
	                ticks * NS_PER_SECOND);
}

static struct quantity percent_cadvisor(const struct snapshot_info *info,
                                        const struct cgroup_stats *stats,
                                        const struct cgroup_stats *rates)
{
	unsigned __int128 usage;

	if (!usage_rate(info, stats, rates, &usage))
		return (struct quantity){0};
	return quotient(usage * 100, (unsigned __int128)NS_PER_SECOND << CGROUP_RATE_BITS);
}

static struct quantity of_cgroup(enum fact_derived_id derived, const struct snapshot_info *info,
                                 const struct cgroup_stats *stats, const struct cgroup_stats *rates)
{
	if (derived == FACT_DERIVED_cpu_percent_docker)
		return percent_docker(info, stats, rates);
	if (derived == FACT_DERIVED_cpu_percent_cadvisor)
		return percent_cadvisor(info, stats, rates);
	return (struct quantity){0};
}

static struct quantity of_host(enum fact_derived_id derived, const struct snapshot_info *info)
{
	const struct host *host = &info->host;

	switch (derived) {
	case FACT_DERIVED_busy_percent:
		return busy_share(host);
	case FACT_DERIVED_user_percent:
		return share_of_field(host, HOST_user_clock_ticks);
	case FACT_DERIVED_system_percent:
		return share_of_field(host, HOST_system_clock_ticks);
	case FACT_DERIVED_iowait_percent:
		return share_of_field(host, HOST_iowait_clock_ticks);
	case FACT_DERIVED_irq_percent:
		return share_of_field(host, HOST_irq_clock_ticks);
	case FACT_DERIVED_softirq_percent:
		return share_of_field(host, HOST_softirq_clock_ticks);
	case FACT_DERIVED_steal_percent:
		return share_of_field(host, HOST_steal_clock_ticks);
	case FACT_DERIVED_idle_percent:
		return share_of_field(host, HOST_idle_clock_ticks);
	case FACT_DERIVED_forks_per_second:
		return forks_per_second(info);
	case FACT_DERIVED_throttled_by ... FACT_DERIVED_pids_limit_by:
	case FACT_DERIVED_cpu_percent_docker:
	case FACT_DERIVED_cpu_percent_cadvisor:
	case FACT_DERIVED_COUNT:
		break;
	}
	return (struct quantity){0};
}

struct quantity fact_derive(enum fact_derived_id derived, const struct snapshot_info *info,
                            const struct cgroup_stats *stats, const struct cgroup_stats *rates)
{
	return stats ? of_cgroup(derived, info, stats, rates) : of_host(derived, info);
}
